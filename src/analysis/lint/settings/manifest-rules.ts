// Rules about the keys of manifests, frontmatter and YAML states, and about manifests that contradict the states.
import { MANIFEST_INPUT_KEYS, MANIFEST_KEYS } from '../../../packages/manifest.js';
import { YAML_STATE_KEYS } from '../../../packages/yaml.js';
import { FRONTMATTER_KEYS } from '../../../protocol/language/state-file.js';
import { originOf } from '../../../protocol/scope.js';
import { nearest } from '../../../protocol/text.js';
import { allEdges, asksOf } from '../../graph.js';
import type { SourceKey } from '../../prompt-source.js';
import { isClosed, packageName, readsInput, statesOf } from '../helpers.js';
import { neededAt } from '../values/needed-variables.js';
import { isDocument } from '../flow/package-rules.js';
import type { Analysis, FindingDetails, Rule } from '../rule.js';

function* unknownFields(analysis: Analysis): Generator<FindingDetails> {
  const { manifest, scope } = analysis.graph.source;
  if (manifest !== undefined) {
    const top = scope.kind === 'yaml' ? ['states', ...MANIFEST_KEYS] : MANIFEST_KEYS;
    yield* unknownKeys(manifest.keys, { known: top });
    yield* unknownKeys(manifest.input, { known: MANIFEST_INPUT_KEYS });
  }
  const keys = scope.kind === 'yaml' ? YAML_STATE_KEYS : FRONTMATTER_KEYS;
  for (const state of statesOf(analysis)) {
    const { source, file } = state;
    if (isDocument(state, analysis)) continue;
    if (source.kind === 'prompt') yield* unknownKeys(source.prompt.keys, { known: keys, state: file });
    if (source.kind !== 'script') continue;
    yield* unknownKeys(source.keys, { known: keys, state: file });
    for (const { text, at } of source.ignored) {
      const [, word = ''] = /"([^"]*)"/.exec(text) ?? [];
      const column = (source.raw.text.split('\n')[at.line - 1] ?? '').indexOf(word) + 1;
      yield { at: column < 1 ? at : { ...at, column }, message: text, state: file };
    }
  }
}

function* unknownKeys(
  keys: readonly SourceKey[],
  { known, state }: { readonly known: readonly string[]; readonly state?: string },
): Generator<FindingDetails> {
  for (const { key, at } of keys) {
    if (known.includes(key) || key.startsWith('x-')) continue;
    const suggestion = nearest(key, known);
    yield {
      at,
      ...(suggestion === undefined
        ? {
            message: `unknown key ${JSON.stringify(key)}; the keys are ${known.join(', ')}`,
            fix: 'remove it',
          }
        : {
            message: `unknown key ${JSON.stringify(key)}`,
            fix: `write ${suggestion}`,
            edit: { kind: 'replace', at, old: key, text: suggestion },
          }),
      ...(state === undefined ? {} : { state }),
    };
  }
}

function* humanInput(analysis: Analysis): Generator<FindingDetails> {
  const { parsedManifest, manifest } = analysis.graph.source;
  const key = manifest?.keys.find(({ key }) => key === 'requires_human_input');
  if (key === undefined) return;
  const edges = allEdges(analysis.graph).filter(({ from }) => analysis.reached.has(from));
  const [asks] = [
    ...statesOf(analysis).filter((state) => analysis.reached.has(state.file) && asksOf(state).length > 0),
    ...analysis.asksInOtherPackages,
  ];
  const callsWorkflows = edges.some(({ to }) => to.kind === 'workflow');
  if (parsedManifest?.requiresHumanInput === 'false' && asks !== undefined)
    yield {
      at: key.valueAt,
      message: `the manifest says that no person is asked, but ${asks.file} may ask one`,
      fix: 'write auto, or remove <ask>',
    };
  if (parsedManifest?.requiresHumanInput === 'true' && asks === undefined && !callsWorkflows && isClosed(analysis))
    yield {
      at: key.valueAt,
      message: 'the manifest says that a person is asked, but no reachable state asks one',
      fix: 'write auto, or end a state with <ask>',
    };
}

function* inputModes(analysis: Analysis): Generator<FindingDetails> {
  const { graph, reached } = analysis;
  const mode = graph.source.parsedManifest?.input.mode ?? 'optional';
  const at = graph.source.manifest?.input.find(({ key }) => key === 'mode')?.valueAt;
  const entry = graph.entry.kind === 'state' ? graph.states.get(graph.entry.file) : undefined;
  if (at === undefined || entry === undefined) return;
  const returns = allEdges(graph).some(({ to }) => to.kind === 'state' && to.file === entry.file);
  if (mode === 'none' && readsInput(entry) && !returns)
    yield {
      at,
      message: `the workflow takes no input, but ${entry.file} reads it`,
      fix: 'write optional or required',
    };
  const reads = statesOf(analysis).some((state) => reached.has(state.file) && readsInput(state));
  if (mode === 'required' && !reads && isClosed(analysis) && allEdges(graph).every(({ to }) => to.kind !== 'workflow'))
    yield {
      at,
      message: 'the workflow requires an input, but no state reads it',
      fix: 'use {{input}} or RAYMOND_INPUT, or write none',
    };
}

function* missingDirectories({ graph, missingDirectory }: Analysis): Generator<FindingDetails> {
  const { manifest, scope } = graph.source;
  const key = manifest?.keys.find((one) => one.key === 'working_directory');
  if (missingDirectory === undefined || key === undefined) return;
  const why = scope.kind === 'directory' ? '' : ': a package in one file counts as a folder with the name of the file';
  yield {
    at: key.valueAt,
    message: `the directory ${missingDirectory} does not exist${why}`,
    fix: 'write a path relative to the folder of the package; .. is the folder that contains the package',
  };
}

/** The `environment` of another workflow, of which a call applies nothing. */
function* lostEnvironments(analysis: Analysis): Generator<FindingDetails> {
  const { graph, workflows, otherPackages } = analysis;
  for (const { from, to } of allEdges(graph)) {
    const answer = to.kind === 'workflow' ? workflows.get(to.specifier) : undefined;
    if (to.kind !== 'workflow' || answer?.kind !== 'workflow') continue;
    const other = otherPackages.find((one) => originOf(one.graph.source.scope) === originOf(answer.scope));
    const own = graph.source.parsedManifest?.environment ?? {};
    const names = Object.keys(other?.graph.source.parsedManifest?.environment ?? {}).filter((name) => !(name in own));
    const files = [...(other?.graph.source.files.values() ?? [])];
    const needed = files.flatMap((file) => names.flatMap((name) => ({ name, at: neededAt(file, name) })));
    const [first] = needed.flatMap(({ at }) => at ?? []);
    const read = new Set(needed.flatMap(({ name, at }) => (at === undefined ? [] : [name])));
    if (first !== undefined)
      yield {
        at: first,
        state: from,
        message: `only the manifest of ${to.specifier} sets ${[...read].join(', ')}, but this does not apply when ${from} of ${packageName(graph.source.path)} leads to it`,
        fix: 'also set it under environment in the manifest of the package that leads here',
      };
  }
}

/** Rules about keys and manifests. */
export const MANIFEST_RULES: readonly Rule[] = [
  {
    id: 'unknown-field',
    severity: 'warning',
    summary:
      'A frontmatter, a manifest, a state in a YAML package or the header of a script has a key that Raymond does not know.',
    why: 'It has no effect, most often because it is misspelt: without it, a prompt may run with the wrong model or without its policy. Keys that start with x- are for comments.',
    check: unknownFields,
  },
  {
    id: 'human-input-contradiction',
    severity: 'warning',
    summary:
      'The manifest says that no state asks a person, but a state may ask; or the manifest says that a state asks, but no state does.',
    why: 'requires_human_input: false lets a run start where no person can answer; true prevents that. If the states disagree, one of the two is wrong. auto derives it from the states.',
    check: humanInput,
  },
  {
    id: 'input-mode-mismatch',
    severity: 'warning',
    summary:
      'The manifest says that the workflow takes no input, but the entry point reads an input; or the manifest requires an input, but no state reads an input.',
    why: 'Mode none rejects a run with an input, and required rejects one without. The states should read the input that the manifest requires.',
    check: inputModes,
  },
  {
    id: 'missing-working-directory',
    severity: 'warning',
    summary:
      'The key working_directory names a directory that does not exist. A relative path starts at the package, not at its parent folder.',
    why: 'The path is relative to the package, not to the folder that contains it. A package in one file counts as a folder with the name of the file, so .. is the folder that contains the file. A run does not start in a directory that does not exist.',
    check: missingDirectories,
  },
  {
    id: 'lost-environment',
    severity: 'warning',
    summary:
      'A tag leads to another workflow, and the scripts of that workflow need a variable that only the environment in the manifest of that workflow sets. But a run uses only the environment of the workflow with which the run was started.',
    why: 'When another workflow calls it, only backend and limit of its manifest are applied. Its environment is applied only when a run starts with it.',
    check: lostEnvironments,
  },
];

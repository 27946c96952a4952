// Rules about the keys of manifests, frontmatter and YAML states, and about what a manifest says of the states.
import { MANIFEST_INPUT_KEYS, MANIFEST_KEYS } from '../../packages/manifest.js';
import { YAML_STATE_KEYS } from '../../packages/yaml.js';
import { FRONTMATTER_KEYS } from '../../protocol/language/state-file.js';
import { nearest } from '../../protocol/text.js';
import { allEdges, asksOf } from '../graph.js';
import type { WrittenKey } from '../prompt-source.js';
import { isClosed, readsInput, statesOf } from './helpers.js';
import type { Analysis, Found, Rule } from './rule.js';

function* unknownFields(analysis: Analysis): Generator<Found> {
  const { manifest, scope } = analysis.graph.source;
  if (manifest !== undefined) {
    const top = scope.kind === 'yaml' ? ['states', ...MANIFEST_KEYS] : MANIFEST_KEYS;
    yield* strangers(manifest.keys, { known: top });
    yield* strangers(manifest.input, { known: MANIFEST_INPUT_KEYS });
  }
  const keys = scope.kind === 'yaml' ? YAML_STATE_KEYS : FRONTMATTER_KEYS;
  for (const { source, file } of statesOf(analysis)) {
    if (source.kind === 'prompt') yield* strangers(source.prompt.keys, { known: keys, state: file });
    if (source.kind === 'script') yield* strangers(source.keys, { known: keys, state: file });
  }
}

function* strangers(
  keys: readonly WrittenKey[],
  { known, state }: { readonly known: readonly string[]; readonly state?: string },
): Generator<Found> {
  for (const { key, at } of keys) {
    if (known.includes(key) || key.startsWith('x-')) continue;
    const near = nearest(key, known);
    yield {
      at,
      message: `there is no key ${JSON.stringify(key)} here; the keys are ${known.join(', ')}`,
      ...(near === undefined
        ? { fix: 'remove it' }
        : { fix: `write ${near}`, edit: { kind: 'replace', at, old: key, text: near } }),
      ...(state === undefined ? {} : { state }),
    };
  }
}

function* humanInput(analysis: Analysis): Generator<Found> {
  const { understood, manifest } = analysis.graph.source;
  const key = manifest?.keys.find(({ key }) => key === 'requires_human_input');
  if (key === undefined) return;
  const edges = allEdges(analysis.graph).filter(({ from }) => analysis.reached.has(from));
  const [asks] = [
    ...statesOf(analysis).filter((state) => analysis.reached.has(state.file) && asksOf(state).length > 0),
    ...analysis.asksInOthers,
  ];
  const away = edges.some(({ to }) => to.kind === 'workflow');
  if (understood?.requiresHumanInput === 'false' && asks !== undefined)
    yield {
      at: key.valueAt,
      message: `the manifest says that nobody is asked, but ${asks.file} may ask a person`,
      fix: 'write auto, or take <ask> out',
    };
  if (understood?.requiresHumanInput === 'true' && asks === undefined && !away && isClosed(analysis))
    yield {
      at: key.valueAt,
      message: 'the manifest says that a person is asked, but no state that can be reached does',
      fix: 'write auto, or let a state end with <ask>',
    };
}

function* inputModes(analysis: Analysis): Generator<Found> {
  const { graph, reached } = analysis;
  const mode = graph.source.understood?.input.mode ?? 'optional';
  const at = graph.source.manifest?.input.find(({ key }) => key === 'mode')?.valueAt;
  const entry = graph.entry.kind === 'state' ? graph.states.get(graph.entry.file) : undefined;
  if (at === undefined || entry === undefined) return;
  const returns = allEdges(graph).some(({ to }) => to.kind === 'state' && to.file === entry.file);
  if (mode === 'none' && readsInput(entry) && !returns)
    yield {
      at,
      message: `the workflow takes no input, but ${entry.file} reads one`,
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

/** What keys say. */
export const MANIFEST_RULES: readonly Rule[] = [
  {
    id: 'unknown-field',
    severity: 'warning',
    says: 'A key of a frontmatter, a manifest or a YAML state means nothing.',
    why: 'It has no effect, most often because it is misspelt. Keys that begin with x- are for remarks.',
    check: unknownFields,
  },
  {
    id: 'human-input-contradiction',
    severity: 'error',
    says: 'The manifest says something else about questions to people than the states.',
    why: 'requires_human_input: false lets a run begin where nobody can answer; true keeps one from beginning there. If the states say otherwise, one of the two is wrong. auto looks at the states.',
    check: humanInput,
  },
  {
    id: 'input-mode-mismatch',
    severity: 'warning',
    says: 'The manifest says something else about the input than the states.',
    why: 'With mode none a run is refused that is given an input, with required one that is not. The states should read what the manifest asks for.',
    check: inputModes,
  },
];

// Rules about settings that nothing reads: headers that are nearly headers, manifests under another name, values in which nothing is replaced,
// and settings that are written as attributes of a tag.
import { executorOf } from '../../../protocol/language/resolve.js';
import { isOwnAttribute } from '../../../protocol/language/tag-table.js';
import { originOf } from '../../../protocol/scope.js';
import { allEdges } from '../../graph.js';
import { isComputed } from '../../mention.js';
import type { SourceFile } from '../../source.js';
import {
  hasUnknownTargets,
  packageName,
  promptsOf,
  scriptsOf,
  searchableText,
  statesOf,
  withoutLongLines,
} from '../helpers.js';
import type { Analysis, FindingDetails, Rule } from '../rule.js';
import { relativeFiles } from '../files/relative-files.js';

const SETTING = String.raw`(?:timeout|retries|limit|sandbox)\s*=`;

/** A comment that is nearly a header: in another case, without its colon, or in a comment of another kind. */
const NEAR_HEADER = new RegExp(
  String.raw`^[ \t]*(?:(?:#|\/\/|rem\b|::)[ \t]*raymond[ \t]*:?[ \t]*${SETTING}|(?:\/\*+|\*|""")[ \t]*raymond:?[ \t]*${SETTING})|^"""[ \t]*\n[ \t]*raymond:?[ \t]*${SETTING}`,
  'gim',
);

const HEADER = /^[ \t]*(?:#|\/\/|[Rr][Ee][Mm]\b|::)[ \t]*raymond:/;

/** Settings of a script that Raymond does not read as a header. */
export function* nearHeaders(analysis: Analysis): Generator<FindingDetails> {
  for (const { source, file } of scriptsOf(analysis)) {
    const { text } = source.raw;
    const mark = executorOf(file) === 'node' ? '//' : '#';
    const near = [...withoutLongLines(text).matchAll(NEAR_HEADER)].find(([line]) => !HEADER.test(line)) ?? null;
    const isFrontmatter =
      executorOf(file) === 'bash' && /^---[ \t]*\n(?:[\w-]+:[^\n]*\n){1,20}---[ \t]*$/m.exec(text)?.index === 0;
    if (near === null && !isFrontmatter) continue;
    const at = near === null ? 0 : near.index + near[0].toLowerCase().indexOf('raymond');
    yield {
      at: source.raw.at(at),
      state: file,
      message: isFrontmatter
        ? 'a script has no frontmatter, so these settings have no effect'
        : 'these settings have no effect, because this is not the form of a header',
      fix: `write a comment line of the form ${mark} raymond: timeout=5m retries=2`,
    };
  }
  for (const { source, file } of promptsOf(analysis)) {
    const match = new RegExp(String.raw`^#[ \t]*raymond:[ \t]*${SETTING}`, 'm').exec(source.prompt.body.text);
    if (match === null || /\bscripts?\b|\.sh\b/i.test(source.prompt.body.text)) continue;
    yield {
      at: source.prompt.body.at(match.index),
      state: file,
      message: 'a prompt has no header, so this line is a part of its text',
      fix: 'write the settings in the frontmatter',
    };
  }
}

const MANIFEST_KEYS =
  /^(?:environment|working_directory|default_budget|sandbox|input|labels|requires_human_input|backend|limit)\s*:/m;

/** A manifest in a file with another name. */
function* unreadManifests({ graph }: Analysis): Generator<FindingDetails> {
  const { files, scope } = graph.source;
  if (scope.kind === 'yaml' || files.has('workflow.yaml')) return;
  for (const [name, file] of files) {
    if (!/^(?:workflow\.yml|workflow\.json|manifest\.ya?ml|raymond\.ya?ml|package\.yaml)$/i.test(name)) continue;
    if (file.kind !== 'other' || file.raw === undefined) continue;
    const { text } = file.raw;
    if (!/^(?:id|name)\s*:/m.test(text) || !MANIFEST_KEYS.test(text) || /^states\s*:/m.test(text)) continue;
    yield {
      at: file.at,
      message: `Raymond does not read ${name}: the manifest of a package is the file workflow.yaml`,
      fix: 'rename the file to workflow.yaml',
    };
  }
}

/** What a shell would replace at the beginning of a path. */
const SHELL_PATH = /^(?:~(?:\/|$)|\$\{?(?:HOME|PWD|USER|TMPDIR)\b)/;

/** Directories of the manifest and of tags, in which nothing replaces what a shell would. */
function* unexpandedPaths(analysis: Analysis): Generator<FindingDetails> {
  yield* unexpandedDirectory(analysis);
  for (const { source, file, mentions } of statesOf(analysis))
    for (const mention of mentions) {
      const cd = mention.attributes.get('cd');
      if (cd === undefined || !isUnexpanded(cd.value, { source, tag: mention.tag })) continue;
      yield {
        at: cd.valueAt,
        state: file,
        mention,
        message: `nothing replaces the beginning of cd="${cd.value}": it counts as the name of a directory, which does not exist`,
        fix: 'write the whole path, or a path relative to the working directory',
      };
    }
}

/** True for a directory that begins with what only a shell replaces; other rules report what bash or a prompt would. */
function isUnexpanded(value: string, { source, tag }: { readonly source: SourceFile; readonly tag: string }): boolean {
  if (source.kind === 'prompt') return SHELL_PATH.test(value);
  return value.startsWith('~') || (tag.endsWith('-workflow') && /\{\{\w+\}\}/.test(value));
}

function* unexpandedDirectory({ graph }: Analysis): Generator<FindingDetails> {
  const { manifest, parsedManifest } = graph.source;
  const keyOf = (name: string) => manifest?.keys.find(({ key }) => key === name);
  const directory = parsedManifest?.workingDirectory;
  const place = keyOf('working_directory');
  if (directory !== undefined && place !== undefined && (SHELL_PATH.test(directory) || /\$\{?\w|\{\{/.test(directory)))
    yield {
      at: place.valueAt,
      message: `nothing is replaced in working_directory, so ${directory} is the name of a directory in the folder of the package`,
      fix: 'write a path relative to the package, or an absolute path',
    };
}

/** Names of settings, which have no meaning as attributes of these tags. */
const SETTING_NAMES =
  /^(?:delay|timeout|timeout_next|model|effort|account|retries|limit|sandbox|backend|budget|priority|return|wait|working_directory|cwd|dir)$/;

/** True for a text that reads a variable. */
function reads(text: string, name: string): boolean {
  return new RegExp(
    `\\{\\{${name}\\}\\}|\\$\\{?${name}\\b|["']${name}["']|\\benv\\.${name}\\b|[{,]\\s*${name}\\b[^{}]*\\}\\s*=`,
  ).test(text);
}

/** An attribute that looks like a setting of the next state, and that the state does not read. */
function* settingsInTags(analysis: Analysis): Generator<FindingDetails> {
  if (hasUnknownTargets(analysis)) return;
  const { graph } = analysis;
  for (const { tag, role, to, from, mention } of allEdges(graph)) {
    const taker = to.kind === 'state' ? graph.states.get(to.file) : undefined;
    if (role !== 'target' || taker === undefined || mention.source === 'policy') continue;
    for (const [name, { at, value }] of mention.attributes) {
      if (!SETTING_NAMES.test(name) || !isOwnAttribute(tag, name) || (tag === 'fork' && name === 'account')) continue;
      if (reads(searchableText(taker), name) || isComputed(value)) continue;
      if (/^(?:delay|wait)$/.test(name) && tag !== 'fork') continue;
      yield {
        at,
        state: from,
        mention,
        message: `<${tag}> does not take ${name}: it is only a variable of ${taker.file}, which does not read it`,
        fix:
          name === 'delay' || name === 'wait'
            ? 'write delay in a <goto> or <reset>, which the forked agent writes first'
            : `set ${name} in ${taker.file}, or remove it`,
      };
    }
  }
}

const DIRECTORY_NAMES = /^(?:working_directory|workdir|cwd|dir|directory|folder)$/;

/** The directory of a forked agent in an attribute that no state reads, although agents of this tag differ in nothing else. */
function* unreadDirectories(analysis: Analysis): Generator<FindingDetails> {
  if (hasUnknownTargets(analysis)) return;
  const texts = [...analysis.graph.source.files].map(
    ([file, source]) => [file, 'raw' in source ? source.raw.text : ''] as const,
  );
  // A state may read all attributes of the awaited agents.
  if (texts.some(([, text]) => /\battributes\b/.test(text))) return;
  for (const { tag, role, to, from, mention } of allEdges(analysis.graph)) {
    const own = [...mention.attributes].filter(([name]) => name !== 'next' && name !== 'task');
    const [name, attribute] = own[0] ?? [];
    if (tag !== 'fork' || role !== 'target' || mention.source !== 'script' || own.length > 1) continue;
    if (to.kind !== 'state' || name === undefined || attribute === undefined || !DIRECTORY_NAMES.test(name)) continue;
    if (!isComputed(attribute.value) || texts.some(([file, text]) => file !== from && reads(text, name))) continue;
    yield {
      at: attribute.at,
      state: from,
      mention,
      message: `<fork> does not take ${name}, and no state reads it: each of these agents works in the directory of the run`,
      fix: 'write cd',
    };
  }
}

/** Settings of a called package that do not apply, though its states rely on them. */
function* lostSettings(analysis: Analysis): Generator<FindingDetails> {
  const { graph, workflows, otherPackages } = analysis;
  const own = graph.source.parsedManifest;
  const seen = new Set<string>();
  for (const { from, to, mention, role } of allEdges(graph)) {
    const answer = to.kind === 'workflow' && role === 'target' ? workflows.get(to.specifier) : undefined;
    if (to.kind !== 'workflow' || answer?.kind !== 'workflow' || seen.has(`${from} ${to.specifier}`)) continue;
    const other = otherPackages.find((one) => originOf(one.graph.source.scope) === originOf(answer.scope));
    const theirs = other?.graph.source.parsedManifest;
    if (other === undefined || theirs?.workingDirectory === undefined || mention.attributes.has('cd')) continue;
    if (theirs.workingDirectory === own?.workingDirectory || /^\.\.\/?$/.test(theirs.workingDirectory)) continue;
    // The folder of the package itself is meant only for the files that it has.
    const isOwnFolder = /^\.\/?$/.test(theirs.workingDirectory);
    const { files, manifest } = other.graph.source;
    const isReader = scriptsOf(other).some((state) =>
      relativeFiles(state).some(({ use, name }) => use === 'read' && (!isOwnFolder || files.has(name))),
    );
    const key = manifest?.keys.find((one) => one.key === 'working_directory');
    if (!isReader || key === undefined) continue;
    seen.add(`${from} ${to.specifier}`);
    yield {
      at: key.at,
      state: from,
      message: `the manifest of ${to.specifier} sets working_directory, but this does not apply when ${from} of ${packageName(graph.source.path)} leads to it: its states look for their files in the working directory of the agent that wrote the tag`,
      fix: 'write cd="…" in <function-workflow>, <fork-workflow> or <reset-workflow>, or pass absolute paths',
    };
  }
}

/** Rules about settings that nothing reads. */
export const UNREAD_SETTINGS_RULES: readonly Rule[] = [
  {
    id: 'unread-manifest',
    severity: 'warning',
    summary: 'A file looks like a manifest, but has another name than workflow.yaml, so Raymond does not read it.',
    why: 'The manifest of a folder or a zip file is the file workflow.yaml. Its settings, such as environment, have no effect in a file with another name.',
    check: unreadManifests,
  },
  {
    id: 'unexpanded-path',
    severity: 'warning',
    summary:
      'The key working_directory of the manifest, or the attribute cd of a tag, contains text such as ~, $NAME or {{name}}, which Raymond does not replace there.',
    why: 'No shell reads these values, and Raymond replaces nothing in them. A directory of this name does not exist.',
    check: unexpandedPaths,
  },
  {
    id: 'setting-in-tag',
    severity: 'warning',
    summary:
      'A tag has an attribute that looks like a setting, such as delay in <fork>, but the tag does not take it, and the next state does not read it.',
    why: 'An attribute that a tag does not take becomes a variable of the next state. It does not change the delay, the timeout, the model or the account.',
    check: (analysis) => [...settingsInTags(analysis), ...unreadDirectories(analysis)],
  },
  {
    id: 'lost-working-directory',
    severity: 'warning',
    summary:
      'A tag leads to another workflow whose manifest sets working_directory. But this key applies only to runs that were started with that workflow, so its states do not find their files.',
    why: 'Of the manifest of another workflow, only backend and limit apply. Its states work in the directory of the agent, or in cd of the tag.',
    check: lostSettings,
  },
];

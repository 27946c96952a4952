// Rules about a package as a whole: its entry point, unreachable states, unused files, and names.
import { literalPattern } from '../../../protocol/text.js';
import { stem } from '../../../protocol/ids.js';
import { executorOf, isModule, resolveState } from '../../../protocol/language/resolve.js';
import { describeProblem } from '../../../protocol/language/problem.js';
import { TAG_RULES } from '../../../protocol/language/tag-table.js';
import { MAX_DEPTH } from '../../../protocol/machine/step.js';
import { MANIFEST_FILE } from '../../../packages/manifest.js';
import { allEdges, FRAGMENT, reachableFrom, type StateNode } from '../../graph.js';
import type { Position } from '../../position.js';
import { isClosed, matches, plainText, promptsOf, searchableText, statesOf } from '../helpers.js';
import { filesOfSubfolders } from '../files/folder-files.js';
import { helpersBeside } from '../files/helper-files.js';
import { hasTagInCapitals, nearTagIn } from '../tags/near-tags.js';
import type { Analysis, FindingDetails, Rule } from '../rule.js';
import { statesForTimeouts } from '../tags/timeout-attribute-rules.js';
import { extensionOf } from '../paths/path.js';
import { documentedEntries, KNOWN_DOCUMENT, unnamedPrograms } from './unnamed-states.js';

function startPosition({ graph }: Analysis): Position {
  return graph.source.manifest?.keys[0]?.at ?? { file: graph.source.path, line: 1, column: 1 };
}

function* entryProblem(analysis: Analysis, ...kinds: readonly string[]): Generator<FindingDetails> {
  const { entry, source } = analysis.graph;
  if (entry.kind !== 'problem' || !kinds.includes(entry.problem.kind)) return;
  const at = { file: source.path, line: 1, column: 1 };
  yield { at, ...(isLibrary(analysis) ? { severity: 'info' } : {}), message: describeProblem(entry.problem) };
}

/** A folder of states that others call by name: it need not be a workflow of its own. */
function isLibrary({ graph, entriesFromOutside = [] }: Analysis): boolean {
  const { entry, source } = graph;
  if (entry.kind !== 'problem' || entry.problem.kind !== 'no-entry') return false;
  if (entriesFromOutside.length > 0) return true;
  if (source.files.has('SKILL.md')) return true;
  if (source.manifest !== undefined) return false;
  return graph.states.size > 0 && [...graph.states.values()].every(({ name }) => !/start/i.test(name));
}

/** A Markdown file for people or for other programs: no tag, no policy, and nothing leads to it. */
export function isDocument(state: StateNode, { graph, reached }: Analysis): boolean {
  const { source, file } = state;
  const isReached =
    graph.entry.kind === 'state'
      ? reached.has(file)
      : allEdges(graph).some(({ to }) => to.kind === 'state' && to.file === file);
  if (source.kind !== 'prompt' || isReached || source.prompt.entries.length > 0) return false;
  if (KNOWN_DOCUMENT.test(file)) return true;
  const isIncluded = promptsOf({ graph }).some(({ source }) => source.prompt.body.text.includes(`@${file}`));
  return isIncluded || (state.mentions.length === 0 && source.prompt.keys.length === 0 && /^[a-z]/.test(file));
}

function* unreachable(analysis: Analysis): Generator<FindingDetails> {
  const { graph, reached } = analysis;
  if (graph.entry.kind !== 'state' || !isClosed(analysis)) return;
  // A name that leads nowhere may mean any of them.
  if (allEdges(graph).some(({ from, to }) => to.kind === 'missing' && reached.has(from))) return;
  if (statesOf(analysis).some((state) => reached.has(state.file) && hasMistakenTag(state))) return;
  const called = reachableFrom(graph, {
    from: [...(analysis.entriesFromOutside ?? []), ...documentedEntries(analysis)],
  });
  const named = namesInTags(analysis);
  const forTimeouts = statesForTimeouts(analysis).map(({ file }) => file);
  const states = [...graph.states.values()].filter(
    (state) =>
      !reached.has(state.file) &&
      !called.has(state.file) &&
      !named.has(state.file) &&
      !named.has(state.name) &&
      !isDocument(state, analysis),
  );
  const unreached = [...states, ...unnamedPrograms(analysis)].filter(({ file }) => !forTimeouts.includes(file));
  // With this many, they are probably started by name.
  const severity = unreached.length > Math.max(3, reached.size) ? ({ severity: 'info' } as const) : {};
  for (const { file, at } of unreached) {
    yield {
      ...severity,
      at,
      state: file,
      message: `${file} cannot be reached from ${graph.entry.file}`,
      fix: 'name it in a tag or a policy, or remove it',
    };
  }
}

/** What prompts and misdirected output name in tags without effect: other rules report those. */
function namesInTags(analysis: Analysis): ReadonlySet<string> {
  const texts = statesOf(analysis).flatMap((state) => {
    if (!analysis.reached.has(state.file)) return [];
    if (state.source.kind !== 'script') return [searchableText(state)];
    const { commands, misdirected = [] } = state.source.script;
    const redirected = commands.filter(({ output }) => output !== undefined);
    return [...misdirected, ...redirected.flatMap(({ args, stdin }) => [...args, ...stdin])].map(({ text }) => text);
  });
  return new Set(texts.flatMap((text) => [...text.matchAll(/>\s*([\w.-]+)\s*<\//g)].map(([, name = '']) => name)));
}

/** True for a state with a tag that names no next state, or with what is only nearly a tag. */
function hasMistakenTag(state: StateNode): boolean {
  if (state.mentions.length === 0) return nearTagIn(searchableText(state)) !== undefined;
  if (state.kind === 'script' && hasTagInCapitals(searchableText(state))) return true;
  return state.mentions.some(({ tag, attributes }) => TAG_RULES[tag].needs.some((name) => !attributes.has(name)));
}

/** Files for people or tools, not for runs. */
const AUXILIARY_FILES = /^(?:\.|(?:readme|license|licence|changelog|notice|skill)(?:\.|$))|\.test\.ya?ml$/i;

/** The file with the schema of a prompt's result. */
function schemaFileOf({ source }: StateNode): string | undefined {
  const result = source.kind === 'prompt' ? source.prompt.policy?.result : undefined;
  return result?.kind === 'file' ? result.file : undefined;
}

function* unusedFiles(analysis: Analysis): Generator<FindingDetails> {
  const text = statesOf(analysis).map(searchableText).join('\n');
  const schemas = new Set(statesOf(analysis).map(schemaFileOf));
  for (const source of analysis.graph.source.files.values()) {
    const { file, at, kind } = source;
    if (kind !== 'other' || file === MANIFEST_FILE || AUXILIARY_FILES.test(file) || text.includes(file)) continue;
    if (schemas.has(file)) continue;
    // A script that lists its folder may use any file.
    if (/RAYMOND_STATE_DIR\}?"?\/?\*/.test(text)) continue;
    yield { at, message: `no state names ${file}`, fix: 'remove it, or name it in a state' };
  }
}

const IN_STATE_DIR = 'read it from the folder that the variable RAYMOND_STATE_DIR names';

/** A script that reads a file of the package as if it were in the working directory. */
function* filesBeside(analysis: Analysis): Generator<FindingDetails> {
  const texts = new Map(statesOf(analysis).map((state) => [state, plainText(state)]));
  const all = [...texts.values()].join('\n');
  for (const file of analysis.onlyBeside ?? []) {
    const isScript = analysis.graph.source.files.get(file)?.kind === 'script';
    if (isScript || file.includes('/') || !/\w\.\w/.test(file)) continue;
    const name = literalPattern(file);
    // Some state may write it, or copy it to the working directory.
    const isMade = new RegExp(
      `(?:>|\\b(?:cp|mv|ln|tee|curl|wget)\\b|write|'w'|"w")[^\\n]*${name}|${name}[^\\n]*(?:write|["']w["'])|(?<![\\s"'(]\\.)/["']?${name}`,
    );
    const inFolders = new RegExp(`[^\\s;|&<>]*(?:task_folder|state_dir)[^\\s;|&<>]*${name}`, 'gi');
    if (isMade.test(all.replace(inFolders, ''))) continue;
    for (const [state, text] of texts) {
      if (state.source.kind !== 'script') continue;
      const read = new RegExp(
        `(?:\\b(?:cat|source|jq|grep|head|tail|wc|sed|awk|sort)\\b(?!\\s*=)[^\\n|;]*\\s|<\\s?|open\\(\\s*|Path\\(\\s*|readFileSync\\(\\s*|(?:^|[;&|])[ \\t]*\\.[ \\t]+)["']?(?:\\./)?(${name})(?![\\w.-])`,
        'm',
      ).exec(text);
      if (read === null) continue;
      yield {
        at: state.source.raw.at(read.index + read[0].lastIndexOf(file)),
        state: state.file,
        message: `${file} is in the folder of the states, but the script looks for it in the working directory`,
        fix: executorOf(state.file) === 'bash' ? `write "$RAYMOND_STATE_DIR/${file}"` : IN_STATE_DIR,
      };
    }
  }
}

/** All of these findings, each file once in a state. */
function allBeside(analysis: Analysis): readonly FindingDetails[] {
  const found = [...filesBeside(analysis), ...helpersBeside(analysis)];
  const known = new Set(found.map(({ state, message }) => `${state} ${message}`));
  return [
    ...found,
    ...[...filesOfSubfolders(analysis)].filter(({ state, message }) => !known.has(`${state} ${message}`)),
  ];
}

/** `RUN.py` next to `RUN.sh`, unless a state names it: a script names the programs that it calls. */
function* shadowed({ graph }: Analysis): Generator<FindingDetails> {
  const { source } = graph;
  const texts = [...source.files.values()]
    .map((file) => (file.kind === 'prompt' || file.kind === 'script' ? file.raw.text : ''))
    .join('\n');
  for (const { file, at } of source.files.values()) {
    const meant = isModule(file) ? resolveState({ ...source.folder, name: stem(file) }) : undefined;
    if (meant?.kind !== 'state' || meant.file === file || !graph.states.has(meant.file) || texts.includes(file))
      continue;
    yield {
      at,
      message: `${stem(file)} means ${meant.file}, so ${file} never runs`,
      fix: `name ${file} in full, or rename it`,
    };
  }
}

function* nameCases({ graph }: Analysis): Generator<FindingDetails> {
  const seen = new Map<string, string>();
  for (const { file, at } of graph.states.values()) {
    const clash = seen.get(file.toLowerCase());
    seen.set(file.toLowerCase(), file);
    const extension = extensionOf(file);
    if (clash !== undefined)
      yield {
        at,
        state: file,
        message: `${file} and ${clash} differ only in case; on macOS and Windows they are one file`,
        fix: 'rename one of them',
      };
    else if (extension !== extension.toLowerCase())
      yield {
        at,
        state: file,
        message: `a name without extension does not match ${file}, because "${extension}" is not in lower case`,
        fix: `rename it to ${file.slice(0, -extension.length)}${extension.toLowerCase()}`,
      };
    else if (/^(?:1_)?start\./i.test(file) && !/^(?:1_)?START\./.test(file))
      yield {
        at,
        state: file,
        message: `${file} is not an entry point: names are case-sensitive`,
        fix: 'rename it to START or 1_START',
      };
  }
}

function* nesting(analysis: Analysis): Generator<FindingDetails> {
  if (analysis.nesting <= MAX_DEPTH) return;
  const call = allEdges(analysis.graph).find(({ tag, to }) => to.kind === 'workflow' && /^(call|function)-/.test(tag));
  const depth = analysis.nesting === Infinity ? 'form a cycle' : `are nested ${analysis.nesting} deep`;
  yield {
    at: call?.at ?? startPosition(analysis),
    ...(call === undefined ? {} : { state: call.from }),
    message: `calls of other workflows ${depth}; a run allows ${MAX_DEPTH} levels`,
    fix: 'return with <result> first, or use <reset-workflow>',
  };
}

function* missingMentions(analysis: Analysis): Generator<FindingDetails> {
  for (const { source, file } of promptsOf(analysis)) {
    const { body } = source.prompt;
    for (const match of body.text.matchAll(MENTION)) {
      const path = match[1] ?? '';
      const where = analysis.missingMentions.get(path);
      if (where === undefined) continue;
      const at = body.at(match.index + match[0].indexOf('@'));
      if (where === 'beside')
        yield {
          at,
          state: file,
          severity: 'warning',
          message: `@${path} is in the folder of the states, but Claude Code looks for it in the working directory of the agent`,
          fix: `write @{{state_dir}}/${path.replace(/^\.\//, '')}`,
        };
      else
        yield {
          at,
          state: file,
          message: `@${path} does not exist, neither in the current folder nor in the package`,
          fix: "fix the path; it is relative to the agent's directory",
        };
    }
  }
}

const WARNING = { severity: 'warning' } as const;

function* missingFragments(analysis: Analysis): Generator<FindingDetails> {
  for (const { source, file } of promptsOf(analysis))
    for (const { match, at } of matches(source.prompt.body, FRAGMENT)) {
      const name = match[1] ?? '';
      if (analysis.graph.source.files.has(name)) continue;
      // Another state that names it may create it.
      const isNamed = statesOf(analysis).some((state) => state.file !== file && searchableText(state).includes(name));
      const message = `the package has no file ${name}`;
      yield { at, state: file, ...(isNamed ? {} : WARNING), message, fix: 'add it, or correct the name' };
    }
}

/** A file that a prompt mentions as @path for Claude Code; it must have an extension, so that @names of people do not match. */
export const MENTION = /(?<=^|[\s(])@((?:\.{1,2}\/)?[\w-][\w.-]*(?:\/[\w.-]+)*\.[A-Za-z]\w{0,5})(?=$|[\s),;:.!?])/gm;

/** Rules about a package as a whole. */
export const PACKAGE_RULES: readonly Rule[] = [
  {
    id: 'no-entry-point',
    severity: 'error',
    summary: 'The package has no entry point: it contains no state 1_START or START that this platform can run.',
    why: 'A run starts at 1_START or START. A package without one can only be started by naming a state: raymond start flow/PLAN.md.',
    check: (analysis) => entryProblem(analysis, 'no-entry', 'unknown-state', 'wrong-platform'),
  },
  {
    id: 'ambiguous-entry-point',
    severity: 'error',
    summary: 'The package has two entry points, because it contains both a state 1_START and a state START.',
    why: 'Both 1_START and START exist. Remove or rename one, or start one by name.',
    check: (analysis) => entryProblem(analysis, 'two-entries'),
  },
  {
    id: 'unreachable-state',
    severity: 'warning',
    summary: 'No sequence of transitions leads from the entry point to the reported state.',
    why: 'The rule follows all tags and policies from the entry point, including returns of calls. It reports nothing if a reachable state computes its target, which may be any state.',
    check: unreachable,
  },
  {
    id: 'unused-file',
    severity: 'info',
    summary: 'The package contains a file that is not a state, and no state mentions the name of this file.',
    why: 'It is copied with every run. The rule ignores files for people (README, LICENSE) and tests.',
    check: unusedFiles,
  },
  {
    id: 'shadowed-state',
    severity: 'warning',
    summary:
      'A .py, .js or .ts file never runs, because a prompt or a shell script with the same name takes precedence, and no state names the file with its extension.',
    why: 'A name without extension means NAME.md, NAME.sh or, on Windows, NAME.ps1 and NAME.bat before NAME.py, NAME.js and NAME.ts. A program that a script calls is no state, so it may have the same name as the script.',
    check: shadowed,
  },
  {
    id: 'name-case',
    severity: 'warning',
    summary:
      'Two file names differ only in upper and lower case, an extension contains upper-case letters, or the name of an entry point contains lower-case letters.',
    why: 'Names are case-sensitive on every system. Names that differ only in case are one file on macOS and Windows; a state is resolved with a lower-case extension; an entry point must be called START in capitals.',
    check: nameCases,
  },
  {
    id: 'nesting-too-deep',
    severity: 'warning',
    summary: `Calls to other workflows are nested more than ${MAX_DEPTH} deep, or packages call each other in a cycle.`,
    why: `<call-workflow> and <function-workflow> may be nested ${MAX_DEPTH} deep; the state that makes a deeper call has made a mistake.`,
    check: nesting,
  },
  {
    id: 'missing-mention',
    severity: 'info',
    summary: 'A prompt mentions a file as @path, but Claude Code would not find a file at that path.',
    why: 'Claude Code reads files that a prompt mentions as @path, relative to the directory of the agent. This one is neither in the current folder nor in the package, and no other state names it. It is a warning if the file is beside the states: there only {{state_dir}} finds it, unless the run works in that folder.',
    check: (analysis) => [...missingMentions(analysis), ...missingFragments(analysis)],
  },
  {
    id: 'file-beside-states',
    severity: 'warning',
    summary: 'A script or a prompt looks in the working directory for a file that is only in the folder of the states.',
    why: 'States work in the working directory of the agent, which is usually not the folder of the states. The variable RAYMOND_STATE_DIR, in a prompt {{state_dir}}, names the folder of the states.',
    check: allBeside,
  },
];

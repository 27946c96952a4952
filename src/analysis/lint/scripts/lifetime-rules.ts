// Rules about what lasts only for a turn or an attempt: the file of a value, /tmp and background processes in a sandbox, and the id of an
// attempt.
import { literalPattern } from '../../../protocol/text.js';
import {
  computedParts,
  mistakesOf,
  plainText,
  scriptsOf,
  searchableText,
  statesOf,
  withoutLongLines,
} from '../helpers.js';
import type { Mistake, ScriptState } from '../helpers.js';
import type { StateNode } from '../../graph.js';
import { sandboxAsked } from '../settings/sandbox-rules.js';
import type { Analysis, FindingDetails, Rule } from '../rule.js';
import { attemptsAsKeys } from './attempt-keys.js';
import { lostProcesses } from './background-processes.js';
import { temporaryPathsPassed } from '../files/temporary-folders.js';

const VALUE_FILE = 'RAYMOND_(?:INPUT|RESULT)_FILE';

/** How a program reads a variable of its environment. */
function environmentRead(name: string): string {
  return String.raw`(?:os\.environ\[["']${name}["']\]|os\.environ\.get\(["']${name}["']\)|os\.getenv\(["']${name}["']\)|process\.env\.${name}|process\.env\[["']${name}["']\])`;
}

/** The names that stand for a variable of the environment, and for nothing else. */
function aliasesOf(code: string, variable: string): readonly string[] {
  const value = String.raw`(?:["']?\$\{?${variable}\}?["']?|(?:(?:pathlib\.)?Path\(|str\()?${environmentRead(variable)}\)?!?)`;
  const assigned = new RegExp(
    String.raw`^[ \t]*(?:(?:const|let|var|local|readonly|export)[ \t]+)?(\w+)(?:[ \t]*:[ \t]*\w+)?[ \t]*=[ \t]*${value}[ \t]*;?[ \t]*$`,
    'gm',
  );
  const names = [...withoutLongLines(code).matchAll(assigned)].map(([, name = '']) => name);
  const isOnce = (name: string): boolean =>
    code.match(new RegExp(`^[ \\t]*(?:\\w+[ \\t]+)?${name}(?:[ \\t]*:[^=\\n]*)?[ \\t]*=(?!=)`, 'gm'))?.length === 1;
  return names.filter(isOnce);
}

function* valueFilesPassed(state: ScriptState): Generator<Mistake> {
  const code = searchableText(state);
  if (!new RegExp(VALUE_FILE).test(code)) return;
  const names = [VALUE_FILE, ...aliasesOf(code, VALUE_FILE)].join('|');
  const isPath = new RegExp(
    String.raw`^["'+\s]*(?:\$\{?(?:${names})(?:\}|(?![\w[]))|(?:\$?\{)?\s*(?:str\()?(?:${environmentRead(VALUE_FILE)}|(?:${names})\b)\)?\s*[}+,)])`,
  );
  const seen = new Set<number>();
  for (const { offset, inAttribute } of computedParts(state.source.script)) {
    if (!inAttribute || seen.has(offset) || !isPath.test(state.source.raw.text.slice(offset, offset + 120))) continue;
    seen.add(offset);
    yield {
      at: offset,
      message: 'this passes on the path of a file that exists only during this turn',
      fix: 'copy the file to the task folder and pass the path of the copy, or pass the value itself as input',
    };
  }
}

/** The ids of the turn and of the attempt, calculated with or compared with a number. */
function* idsAsNumbers(state: ScriptState): Generator<Mistake> {
  const code = plainText(state);
  for (const name of ['RAYMOND_ATTEMPT', 'RAYMOND_TURN_ID']) {
    if (!code.includes(name)) continue;
    const names = [name, ...aliasesOf(code, name)].join('|');
    const shell = String.raw`\[\[?\s+"?\$\{?(?:${names})\}?"?\s+-(?:eq|ne|lt|le|gt|ge)\b|\(\([^()\n"']{0,60}?(?<![\w.])(?:${names})\b(?!\s*\()[^()\n]{0,60}\)\)`;
    const read = `(?:${environmentRead(name)}|(?<![\\w.$])(?:${names})\\b)`;
    const program = String.raw`(?<![\w.])(?:int|Number|parseInt|float)\(\s*${read}|${read}!?\s*(?:[<>]=?|[!=]==?)\s*\d+(?![\w.-])|(?<![\w"'\`)\]])\+\s*process\.env\.${name}\b`;
    const match = new RegExp(state.source.script.shell === undefined ? program : shell).exec(code);
    if (match === null) continue;
    yield {
      at: match.index,
      message: `${name} is an id, not a number: it does not count the attempts or the rounds of a loop`,
      fix: 'count in a file, or pass a number from turn to turn as an attribute',
    };
  }
}

function* lostTemporaryFiles(analysis: Analysis): Generator<FindingDetails> {
  const states = statesOf(analysis).filter(({ kind }) => kind !== 'unreadable');
  for (const writer of scriptsOf(analysis)) {
    const code = plainText(writer);
    const paths = new Set([...code.matchAll(/(?<![\w./-])\/tmp\/[\w-][\w./-]*\w/g)].map(([path]) => path));
    for (const path of paths) {
      if (!writesTo(code, path)) continue;
      const reader = states.find((other) => other !== writer && readsFrom(writer, { reader: other, path }));
      if (reader === undefined || !(isIsolated(analysis, writer) || isIsolated(analysis, reader))) continue;
      yield {
        at: writer.source.raw.at(code.indexOf(path)),
        state: writer.file,
        message: `${reader.file} does not find ${path}: in a sandbox, /tmp is empty at the start of each turn and deleted after it`,
        fix: 'keep the file in the task folder (RAYMOND_TASK_FOLDER) or in the working directory',
      };
    }
  }
}

/** A path in /tmp that one state passes to another. */
function* temporaryPathsLost(analysis: Analysis): Generator<FindingDetails> {
  for (const { writer, reader, name, at } of temporaryPathsPassed(analysis)) {
    if (!(isIsolated(analysis, writer) || isIsolated(analysis, reader))) continue;
    yield {
      at: writer.source.raw.at(at),
      state: writer.file,
      message: `${reader.file} does not find what is at ${name}: in a sandbox, /tmp is empty at the start of each turn and deleted after it`,
      fix: 'keep the files in the task folder (RAYMOND_TASK_FOLDER) or in the working directory',
    };
  }
}

function temporaryFiles(analysis: Analysis): readonly FindingDetails[] {
  const named = [...lostTemporaryFiles(analysis)];
  return named.length > 0 ? named : [...temporaryPathsLost(analysis)];
}

/** True for a state with a sandbox that has no other /tmp. */
function isIsolated({ graph }: Analysis, { source }: StateNode): boolean {
  const requests = [graph.source.parsedManifest?.sandbox, sandboxAsked(source)?.request];
  if (
    requests.some((request) => [...(request?.write ?? []), ...(request?.read ?? [])].some((path) => /tmp/.test(path)))
  )
    return false;
  return requests.some(({ kind = 'none', profile } = {}) => kind !== 'none' && profile === undefined);
}

/** True for a state that uses a path and does not write it first: it names it, or gets it as an attribute. */
function readsFrom(
  writer: StateNode,
  { reader, path }: { readonly reader: StateNode; readonly path: string },
): boolean {
  const text = plainText(reader);
  const isPassed = writer.edges.some(
    ({ to, role, mention }) =>
      role === 'target' &&
      to.kind === 'state' &&
      to.file === reader.file &&
      [...mention.attributes].some(
        ([name, { value }]) => value === path && readsVariable(text, name === 'input' ? 'RAYMOND_INPUT' : name),
      ),
  );
  if (isPassed) return true;
  const uses = text.split('\n').filter((line) => holdsPath(line, path) && !/\brm\b|unlink|\bmktemp\b/.test(line));
  const isWritten = writesTo(text, path) || /\b(?:writ\w*|creat\w*|sav\w*|stor\w*|put)\b/i.test(uses.join('\n'));
  return uses.length > 0 && !isWritten;
}

/** True for a script that reads the file whose path a variable has. */
function readsVariable(text: string, name: string): boolean {
  const quoted = `\\b${name}["'\\])]*`;
  const isWritten = new RegExp(`>\\s*"?\\$\\{?${name}\\b|${quoted}(?:\\.write|,\\s*["'][wax])`).test(text);
  const commands = '(?:cat|grep|wc|head|tail|sort|jq|sed|awk)';
  return (
    !isWritten &&
    new RegExp(
      `(?:open|Path|read\\w*)\\([^()\\n]*${quoted}(?:\\.read|[,)]|$)|${quoted}\\.read|<\\s*"?\\$\\{?${name}\\b|\\b${commands}\\b[^\\n|;]*\\$\\{?${name}\\b`,
      'm',
    ).test(text)
  );
}

function holdsPath(text: string, path: string): boolean {
  return new RegExp(`(?<![\\w./-])${literalPattern(path)}(?![\\w/-])`).test(text);
}

/** True for a script that writes a file, directly or by a variable that has its path. */
function writesTo(code: string, path: string): boolean {
  const literal = literalPattern(path);
  const aliases = [
    ...code.matchAll(
      new RegExp(
        String.raw`(?<![\w.$])(\w+)[ \t]*=[ \t]*(?:(?:pathlib\.)?Path\()?["']?${literal}["']?\)?[ \t]*;?[ \t]*$`,
        'gm',
      ),
    ),
  ].map(([, name = '']) => name);
  const shell = [`["']?${literal}(?![\\w/-])`, ...aliases.map((name) => `"?\\$\\{?${name}\\b`)].join('|');
  const program = [`(?:(?:pathlib\\.)?Path\\()?["']${literal}["']\\)?`, ...aliases.map((name) => `\\b${name}`)].join(
    '|',
  );
  return [
    String.raw`(?:>\|?\s*|\b(?:tee|touch)\s+(?:-a\s+)?|\s(?:-o|--output)[ =])(?:${shell})`,
    String.raw`\b(?:cp|mv)\s[^\n;|&]*\s(?:${shell})\b"?[ \t]*(?:$|;|&)`,
    String.raw`\bopen\(\s*(?:${program})\s*,\s*(?:mode=)?["'][wax]`,
    String.raw`(?:${program})\.(?:write_text|write_bytes|open\(\s*["'][wax])`,
    String.raw`\b(?:writeFile|appendFile|createWriteStream)(?:Sync)?\(\s*(?:${program})`,
  ].some((pattern) => new RegExp(pattern, 'm').test(code));
}

/** Rules about what lasts only for a turn. */
export const LIFETIME_RULES: readonly Rule[] = [
  {
    id: 'path-of-value-file',
    severity: 'warning',
    summary:
      'A script passes on the path in RAYMOND_INPUT_FILE or RAYMOND_RESULT_FILE, but the file at this path exists only during the turn.',
    why: 'The files that RAYMOND_INPUT_FILE and RAYMOND_RESULT_FILE name exist only during the turn. The next state, or the forked agent, does not find them.',
    check: (analysis) => mistakesOf(analysis, valueFilesPassed),
  },
  {
    id: 'attempt-as-key',
    severity: 'warning',
    summary:
      'A script uses RAYMOND_ATTEMPT as an idempotency key, but RAYMOND_ATTEMPT is different at each start of the turn.',
    why: 'A service recognizes a repeated request by its key. RAYMOND_ATTEMPT differs at each attempt, so a retry counts as a new request. RAYMOND_TURN_ID stays the same.',
    check: (analysis) => mistakesOf(analysis, attemptsAsKeys),
  },
  {
    id: 'id-as-number',
    severity: 'warning',
    summary: 'A script calculates with RAYMOND_ATTEMPT or RAYMOND_TURN_ID, but these ids are not numbers.',
    why: 'The ids only differ from each other. A limit that is compared with an id never takes effect, or the script fails.',
    check: (analysis) => mistakesOf(analysis, idsAsNumbers),
  },
  {
    id: 'lost-temporary-file',
    severity: 'warning',
    summary:
      'A state in a sandbox leaves a file in /tmp for another state, but each turn has an empty /tmp of its own.',
    why: 'In a sandbox, /tmp is empty at the start of each turn and deleted after it. The task folder and the working directory stay.',
    check: temporaryFiles,
  },
  {
    id: 'background-in-sandbox',
    severity: 'warning',
    summary:
      'A script in a sandbox starts a process in the background and does not wait for it, but in a sandbox such a process ends with its script.',
    why: 'Without a sandbox, the background processes of a script that has ended well keep running. A sandbox ends them, so the next state finds no server, and work that is not finished is lost.',
    check: (analysis) => mistakesOf(analysis, (state) => lostProcesses(analysis, state)),
  },
];

// A rule about files that a script looks for under a name that only the process of another script knows.
import { mistakesOf, plainText, scriptsOf, type Mistake, type ScriptState } from '../helpers.js';
import type { Analysis, Rule } from '../rule.js';

/** What differs in each process: its id, a random number, the time in fractions of a second. */
const UNIQUE =
  /\$\$|\$\{?(?:BASHPID|RANDOM|SRANDOM)\b\}?|\$\(date \+["']?%s(?:%N)?["']?\)|\{os\.getpid\(\)\}|\$\{process\.pid\}|\{uuid\.uuid4\(\)(?:\.hex)?\}|\$\{(?:crypto\.)?randomUUID\(\)\}|\$\{Date\.now\(\)\}|\{time\.time(?:_ns)?\(\)\}|\$\{?RAYMOND_(?:TURN_ID|ATTEMPT)\b\}?|\{os\.environ\[["']RAYMOND_(?:TURN_ID|ATTEMPT)["']\]\}|\$\{process\.env\.RAYMOND_(?:TURN_ID|ATTEMPT)\}/g;

interface UniquePath {
  readonly path: string;
  readonly at: number;
  /** The code that stands for the path below. */
  readonly use: string;
}

/** Includes the variables that hold the id of the turn. */
function uniqueIn(text: string): RegExp {
  const assigned =
    /^[ \t]*(?:(?:const|let|var|local)[ \t]+)?(\w+)[ \t]*=[ \t]*(?:os\.environ\[["']|process\.env\.|["']?\$\{?)RAYMOND_(?:TURN_ID|ATTEMPT)\b/gm;
  const names = [...text.matchAll(assigned)].map(([, name = '']) => `\\$\\{?${name}\\b\\}?|\\{${name}\\}`);
  return names.length === 0 ? UNIQUE : new RegExp([UNIQUE.source, ...names].join('|'), 'g');
}

function pathsIn(text: string): readonly UniquePath[] {
  const marked = text.replace(uniqueIn(text), (unique) => '\uE001'.padEnd(unique.length, '\uE002'));
  return [...marked.matchAll(/[\w./~{}$-]*\uE001\uE002*[\w./{}$-]*/g)].flatMap(({ index, 0: found }) => {
    const path = found.replace(/\uE002/g, '');
    if (path.replace(/\W/g, '').length < 4) return [];
    const line = text.slice(text.lastIndexOf('\n', index) + 1, index);
    const [, name] =
      /(?:^|\s)(\w+)\s*=\s*(?:f?["'`]|Path\(f?["']|[^\n=]*(?:\/\s*|\bjoin\([^\n]*,\s*)f?["'`])?$/.exec(line) ?? [];
    return [{ path, at: index, use: name ?? '' }];
  });
}

function* namesOfOthers(analysis: Analysis, state: ScriptState): Generator<Mistake> {
  const text = plainText(state);
  for (const { path, at, use } of pathsIn(text)) {
    if (use === '' || !readsOnly(use, text.slice(at))) continue;
    const writer = scriptsOf(analysis).find((other) => other !== state && writes(other, path));
    if (writer === undefined) continue;
    yield {
      at,
      message: `${writer.file} writes its file under a name that differs for each process or turn; this script builds another name`,
      fix: 'keep the file in the folder that RAYMOND_TASK_FOLDER names, or pass its path as an attribute',
    };
    return;
  }
}

/** True if the first use of a variable reads the file, and none writes it. */
function readsOnly(name: string, rest: string): boolean {
  const [, ...lines] = rest.split('\n');
  const uses = lines.filter((line) => new RegExp(`\\b${name}\\b`).test(line));
  const variable = `["']?\\$?\\{?${name}\\b`;
  const write = new RegExp(
    `>\\s*${variable}|\\b(?:tee|touch|mkdir|mktemp|install|curl|wget)\\b[^\\n]*${name}|\\s-o\\s*${variable}|\\b(?:cp|mv)\\b[^\\n]*\\s${variable}\\}?["']?\\s*$|${name}[^\\n]*(?:write|["'][wax]\\+?["'])|write\\w*\\(\\s*${name}`,
  );
  const read = new RegExp(
    `-[sferd]\\s+${variable}|<\\s*${variable}|\\b(?:cat|wc|head|tail|jq|grep|sort|source|\\.|mv|cp)\\s[^\\n|;>]*${variable}|\\b(?:open|readFileSync|existsSync|exists|isfile|Path|readFile)\\(\\s*${name}|\\b${name}\\.(?:read_text|exists|is_file|open\\(\\))`,
  );
  return uses.length > 0 && read.test(uses[0] ?? '') && !uses.some((line) => write.test(line));
}

function writes(state: ScriptState, path: string): boolean {
  const text = plainText(state);
  return pathsIn(text).some((one) => one.path === path && (one.use === '' || !readsOnly(one.use, text.slice(one.at))));
}

/** Rules about names that only one process knows. */
export const SHARED_NAME_RULES: readonly Rule[] = [
  {
    id: 'name-of-other-process',
    severity: 'warning',
    summary:
      'A script looks for a file whose name contains the process id, the turn id or a random number of this script, but another script writes the file, so the name contains another id or number.',
    why: 'Each script is a process of its own, so $$ differs in each of them, and so do $RANDOM, the time and RAYMOND_TURN_ID. RAYMOND_TASK_FOLDER names a folder that all states of an agent share.',
    check: (analysis) => mistakesOf(analysis, (state) => namesOfOthers(analysis, state)),
  },
];

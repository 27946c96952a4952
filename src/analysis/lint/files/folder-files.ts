// Finds the uses of the files beside the states, also of those in subfolders, by paths that begin in the working directory: `. lib/names.sh`,
// `open("data/prices.json")`, `Path("schema") / "order.json"`. Pure.
import { literalPattern } from '../../../protocol/text.js';
import { executorOf } from '../../../protocol/language/resolve.js';
import { plainText, scriptsOf, statesOf } from '../helpers.js';
import { importedScripts, readByName, type ScriptFile } from './named-files.js';
import { pathsOfPrompts } from './prompt-paths.js';
import type { Analysis, FindingDetails } from '../rule.js';

/** Every file, or folder, of the package that a state looks for in the working directory: each once in a state. */
export function* filesOfSubfolders(analysis: Analysis): Generator<FindingDetails> {
  const paths = lookedFor(analysis);
  if (paths.length === 0 || mayWorkBeside(analysis)) return;
  for (const state of [...scriptsOf(analysis), ...importedScripts(analysis)]) {
    const code = plainText(state);
    if (leavesDirectory(code)) continue;
    for (const { path, at } of firstUses(state, { code, paths })) yield finding(state, { path, at });
  }
  yield* pathsOfPrompts(analysis, paths);
}

function finding(state: ScriptFile, { path, at }: Use): FindingDetails {
  const isBash = executorOf(state.file) === 'bash';
  return {
    at: state.source.raw.at(at),
    state: state.file,
    message: `${path} is in the folder of the states, but the script looks for it in the working directory`,
    fix: isBash ? `write "$RAYMOND_STATE_DIR/${path}"` : 'take it from the folder that RAYMOND_STATE_DIR names',
  };
}

/** A use of a path, at an offset of a script. */
interface Use {
  readonly path: string;
  readonly at: number;
}

/** The files and folders that no state may bring into the working directory. */
function lookedFor(analysis: Analysis): readonly string[] {
  const all = [...(analysis.onlyBeside ?? [])].filter((path) => /\w\.\w|\//.test(path));
  if (all.length === 0) return [];
  const code = [...statesOf(analysis), ...importedScripts(analysis)].map(plainText).join('\n');
  const made = new Set(all.flatMap((path) => path.split('/')[0] ?? '').filter((top) => isMade(code, top)));
  return all.filter((path) => !made.has(path.split('/')[0] ?? '') && !isMade(code, path.replace(/\/$/, '')));
}

/** True for a file or folder that a state writes, makes or copies to the working directory. */
function isMade(code: string, path: string): boolean {
  if (!code.includes(path)) return false;
  const name = String.raw`(?:\./)?${literalPattern(path)}(?=["'\`/\s;)&|,]|$)`;
  const written = String.raw`(?<![<=-])>{1,2}\|?[ \t]*["']?${name}|["'\`]${name}[^"'\`\n]{0,80}["'\`]\)?\s*(?:,|\.open\()\s*(?:mode=)?["'][wax][bt+]{0,2}["']|["']${name}[^"'\n]{0,80}["']\)?\.(?:write_|mkdir)`;
  const commands = String.raw`\b(?:mkdir|makedirs|mkdirSync|touch|tee|cp|mv|ln|install|rsync|curl|wget|clone|tar|unzip|copy\w*|symlink\w*|write\w*|createWriteStream|rename\w*)\b[^\n]{0,160}?(?<![\w/}])${name}`;
  return new RegExp(`${written}|${commands}`).test(code);
}

/** True if a tag may lead into the folder of the states. */
function mayWorkBeside(analysis: Analysis): boolean {
  const name = analysis.graph.source.path.replace(/\/+$/, '').split('/').at(-1) ?? '';
  return statesOf(analysis).some(({ mentions }) =>
    mentions.some(({ attributes }) => {
      const cd = attributes.get('cd')?.value.replace(/\/+$/, '');
      return cd !== undefined && (!/^[\w./-]+$/.test(cd) || cd.split('/').at(-1) === name);
    }),
  );
}

/** True for a script that may look in another directory than the one in which it starts. */
function leavesDirectory(code: string): boolean {
  const inOther = /\bchdir\(|\b(?:cwd|root_dir)\s*[:=]|\bPYTHONPATH\b|\bgit\s+(?:-C|worktree)\b/;
  return inOther.test(code) || /(?:^|[;&|{]|\b(?:then|do|else))[ \t]*(?:cd|pushd)[ \t]/m.test(code);
}

/** A script that knows the folder of its state may put this folder before any path. */
const KNOWS_FOLDER =
  /RAYMOND_STATE|BASH_SOURCE|\bdirname\b|__file__|__dirname|__filename|import\.meta|\$\{?0\b|\bargv\b|\$\{?PWD\b|\bcwd\(/;

/** The first use of each path. */
function firstUses(
  { file, source }: ScriptFile,
  { code, paths }: { readonly code: string; readonly paths: readonly string[] },
): readonly Use[] {
  const executor = executorOf(file);
  if (executor !== 'bash' && executor !== 'python' && executor !== 'node') return [];
  const isBash = executor === 'bash';
  const read = readByName({ file, source });
  const found = paths.flatMap((path): readonly Use[] => {
    if (!code.includes(path.replace(/\/$/, '').split('/').at(-1) ?? path) || isTested(code, path)) return [];
    const offsets = path.includes('/')
      ? isBash
        ? usesInShell(code, path)
        : usesInProgram(code, path)
      : (read.get(path) ?? []);
    const [at] = [...offsets].sort((one, other) => one - other);
    return at === undefined ? [] : [{ path, at }];
  });
  // A folder and its file are found at the same place.
  return found.filter((use) => !found.some((one) => one !== use && one.path.startsWith(use.path)));
}

/** True for a path that a script tests first: it may work without the file. */
function isTested(code: string, path: string): boolean {
  const name = String.raw`["'\`]?(?:\./)?${literalPattern(path)}`;
  return new RegExp(
    String.raw`(?:\[|\btest)[ \t]+(?:![ \t]+)?-[a-z][ \t]+${name}|\b(?:exists|existsSync|isfile|isdir|access\w*)\(\s*${name}|${name}["']\s*\)\.(?:exists|is_)`,
  ).test(code);
}

/** Commands whose words are texts, or paths of something else. */
const SAYS = /\b(?:echo|printf|log|warn|die|fail|error|info|git)\b[^$(<|;&]*$|<[a-z][^<>\n]*$/;

/** The uses of a path in bash, also below a variable that holds its folder. */
function usesInShell(code: string, path: string): readonly number[] {
  const functions = new Set(
    [...code.matchAll(/^[ \t]*(?:function[ \t]+)?([\w-]+)[ \t]*\(\)/gm)].map(([, name = '']) => name),
  );
  const isFolder = path.endsWith('/');
  const name = literalPattern(path);
  // Of a folder, only what is below it by a wildcard or a variable.
  const end = isFolder ? String.raw`(?=[^\s"'/]*(?:["']?[*$]))` : String.raw`(?![\w/-]|\.\w)`;
  const direct = new RegExp(String.raw`(?<=[\s"'=(<])(?:\./)?${name}${end}`, 'g');
  const word = (index: number): string =>
    /(?:^|[;&|({]|\$\()[ \t]*([\w.-]+)[ \t][^;&|(){}]*$/.exec(code.slice(lineStart(code, index), index))?.[1] ?? '';
  const found = [...code.matchAll(direct)].flatMap(({ index }) => {
    const before = code.slice(lineStart(code, index), index);
    const assigned = /(?:^|\s)(\w+)=["']?$/.exec(before)?.[1];
    if (SAYS.test(before) || functions.has(word(index))) return [];
    return assigned !== undefined && isJoined(code, assigned) ? [] : [index];
  });
  return [...found, ...belowVariables(code, path)];
}

/** True for a variable whose value stands behind a folder: `$HERE/$NAME`. */
function isJoined(code: string, variable: string): boolean {
  return new RegExp(String.raw`[\w}"']/["']?\$\{?${variable}\b`).test(code);
}

function lineStart(code: string, index: number): number {
  return code.lastIndexOf('\n', index - 1) + 1;
}

/** Assignments of the folder of a path to a variable below which the script looks for the rest of the path. */
function belowVariables(code: string, path: string): readonly number[] {
  return foldersOf(path).flatMap(({ folder, rest }) => {
    const assignment = new RegExp(
      String.raw`^[ \t]*(?:(?:local|readonly|export|declare)[ \t]+(?:-\w+[ \t]+)?)?(\w+)=["']?((?:\./)?${literalPattern(folder)})/?["']?[ \t]*(?:$|;)`,
      'gm',
    );
    return [...code.matchAll(assignment)].flatMap((match) => {
      const [whole, variable = '', value = ''] = match;
      const below = String.raw`(?<![\w}/]["']?/?)\$\{?${variable}\}?["']?/${restPattern(rest)}`;
      return new RegExp(below).test(code) ? [match.index + whole.lastIndexOf(value)] : [];
    });
  });
}

/** The folders of a path, each with what is below it. */
function foldersOf(path: string): readonly { readonly folder: string; readonly rest: string }[] {
  const parts = path.split('/');
  return parts.slice(1).map((_part, index) => ({
    folder: parts.slice(0, index + 1).join('/'),
    rest: parts.slice(index + 1).join('/'),
  }));
}

/** A path below a folder; of the folder itself, a name that is computed. */
function restPattern(rest: string): string {
  return rest === '' ? String.raw`["']?[\w-]*[*$]` : String.raw`${literalPattern(rest)}(?![\w/-]|\.\w)`;
}

/** What reads a file, or runs it, in Python and Node.js. */
const OPENS = String.raw`(?:(?<![\w.])(?:open|Path|glob)|\b(?:readFile|createReadStream|readdir|opendir|cp|copyFile)(?:Sync)?|\b(?:listdir|scandir|walk|iglob|read_csv|read_json|loadtxt|run_path|spec_from_file_location|FileSystemLoader|DatabaseSync|copy|copyfile|copytree)|\bsys\.path\.(?:append|insert)|\bglob\.i?glob)\(\s*(?:\d\s*,\s*)?`;
const RUNS = String.raw`\b(?:subprocess\.\w+|(?<![\w.])(?:run|check_output|check_call|Popen|system)|os\.system|os\.popen|exec(?:File)?(?:Sync)?|spawn(?:Sync)?|fork)\([^\n]{0,160}?`;

/** The uses of a path in Python and Node.js. */
function usesInProgram(code: string, path: string): readonly number[] {
  const knows = KNOWS_FOLDER.test(code);
  const isFolder = path.endsWith('/');
  const name = literalPattern(path.replace(/\/$/, ''));
  const quote = String.raw`[fr]{0,2}["'\`]`;
  const end = isFolder ? String.raw`(?:/?["'\`]|/[^"'\`\n]{0,60}[{*]|/["'\`]\s*\+)` : String.raw`["'\`]`;
  const opened = new RegExp(String.raw`${OPENS}(${quote}(?:\./)?${name}${end})`, 'g');
  const run = new RegExp(String.raw`${RUNS}(["'\` ](?:\./)?${name}(?=["'\` ]))`, 'g');
  const alone = new RegExp(
    String.raw`(?<![\w.)\]]\s?[,/+]\s?|\b(?:require|import|URL|print|log|error|warn)\(|\bfrom\s)(${quote}(?:\./)?${name}["'\`])`,
    'g',
  );
  const patterns = [opened, ...(isFolder ? [] : [run]), ...(knows || isFolder ? [] : [alone])];
  const direct = patterns.flatMap((pattern) =>
    [...code.matchAll(pattern)].map((match) => match.index + match[0].length - (match[1] ?? '').length),
  );
  return [
    ...direct.filter((index) => !isPartOfPath(code, index)),
    ...joinedPaths(code, path),
    ...belowNames(code, path),
  ];
}

/** True for a text that is not the beginning of a path, or a part of a message. */
function isPartOfPath(code: string, index: number): boolean {
  const before = code.slice(Math.max(lineStart(code, index), index - 100), index);
  return /(?:[\w)\]]\s*\/|\bjoin\([^()]*[\w)\]]\s*,)\s*(?:Path\(\s*)?$/.test(before) || /<[a-z][^<>\n]*$/.test(before);
}

/** `join("rules", "style.txt")`, `Path("schema") / "order.json"`. */
function joinedPaths(code: string, path: string): readonly number[] {
  const parts = path
    .replace(/\/$/, '')
    .split('/')
    .map((part) => String.raw`["']${literalPattern(part)}["']`);
  if (parts.length < 2 && !path.endsWith('/')) return [];
  const cwd = String.raw`(?:(?:process\.cwd\(\)|os\.getcwd\(\)|Path\.cwd\(\)|["']\.["'])\s*[,/]\s*)?`;
  const end = path.endsWith('/') ? String.raw`\s*[,/]\s*(?:\w+\s*[),+\n]|f?["'\`][^"'\`\n]*[{*])` : String.raw`\s*\)?`;
  const joined = new RegExp(
    String.raw`\b(?:join|resolve|Path)\(\s*${cwd}${parts.join(String.raw`\s*\)?\s*[,/]\s*`)}${end}`,
    'g',
  );
  const single = new RegExp(String.raw`\b(?:join|resolve)\(\s*${cwd}["'\`](?:\./)?${literalPattern(path)}["'\`]`, 'g');
  return [joined, single].flatMap((pattern) => [...code.matchAll(pattern)].map(({ index }) => index));
}

/** Names that hold the folder of a path, below which the program looks for the rest of the path. */
function belowNames(code: string, path: string): readonly number[] {
  return foldersOf(path).flatMap(({ folder, rest }) => {
    const value = String.raw`(?:(?:pathlib\.)?Path\(\s*)?["'\`](?:\./)?${literalPattern(folder)}/?["'\`]\s*\)?`;
    const assignment = new RegExp(
      String.raw`^[ \t]*(?:(?:export[ \t]+)?(?:const|let|var)[ \t]+)?(\w+)(?:[ \t]*:[ \t]*\w+)?[ \t]*=[ \t]*${value}[ \t]*;?[ \t]*$`,
      'gm',
    );
    return [...code.matchAll(assignment)].flatMap((match) => {
      const [whole, name = ''] = match;
      const last =
        rest === '' ? String.raw`(?:f?["'\`][^"'\`\n]*[{*]|\w+\b)` : String.raw`f?["'\`]${literalPattern(rest)}["'\`]`;
      const word = String.raw`(?<![\w.])${name}`;
      const embedded = rest === '' ? String.raw`[^"'\`\n]*\{` : literalPattern(rest);
      const below = String.raw`(?<![\w)\]]\s*[,/]\s*)${word}\s*(?:/|,)\s*${last}|\$?\{${name}\}/${embedded}|${word}\s*\+\s*["'\`]/${embedded}|${word}\.r?glob\(|\b(?:listdir|readdir(?:Sync)?|scandir)\(\s*${name}\b`;
      return new RegExp(below).test(code) ? [match.index + whole.search(/["'`]/)] : [];
    });
  });
}

// Finds paths that a script passes to a forked agent, or that both name, although the agent works in another directory than the script.
import { literalPattern } from '../../../protocol/text.js';
import { executorOf } from '../../../protocol/language/resolve.js';
import type { Edge, StateNode } from '../../graph.js';
import { COMPUTED } from '../../shell/words.js';
import { plainText, searchableText, statesOf } from '../helpers.js';
import type { Analysis } from '../rule.js';
import { joinedChains, listedNames, usesAny, writtenNames } from '../files/listed-names.js';
import { relativeFiles } from '../files/relative-files.js';
import { mayBeSameFile } from '../files/task-files.js';

/** What a forked agent does not find, because it works in the directory where the run was started. */
interface Fork {
  readonly fork: Edge;
  readonly state: StateNode;
  readonly taker: StateNode;
  /** The `cd` that led to the state. */
  readonly cd: string;
  readonly moved: ReadonlyMap<string, string>;
}

/** A path in the directory of the forking script that the forked state looks for in its own. */
export function pathNotFound(analysis: Analysis, fork: Fork): string | undefined {
  return (
    passedPath(fork) ??
    folderInDirectory(analysis, fork) ??
    fileOfBoth(analysis, fork) ??
    listedFolder(analysis, fork) ??
    projectOf(analysis, fork)
  );
}

/** An attribute with a path that the script has found or written, and that the forked state opens. */
function passedPath({ fork, state, taker, cd }: Fork): string | undefined {
  const text = joinedChains(plainText(state));
  const listed = new Set([...listedNames(text), ...writtenNames(text)]);
  const name = [...fork.mention.attributes].find(([one, { value }]) => {
    if (!value.includes(COMPUTED) || !/^[\w\uE000]/.test(value)) return false;
    const isHere = isPassedFrom(text, one, listed) || isInWrittenFolder(text, value) || hasPrefixOfFiles(text, value);
    return isHere && opensVariable(taker, one, cd);
  })?.[0];
  return name === undefined ? undefined : `the path in ${name}`;
}

/** True if the line that writes an attribute names one of these variables. */
function isPassedFrom(text: string, attribute: string, names: ReadonlySet<string>): boolean {
  if (names.size === 0) return false;
  const lines = text.split('\n').filter((line) => new RegExp(`[\\s'"]${attribute}=`).test(line));
  return lines.some((line) => {
    const from = line.search(new RegExp(`(?<=[\\s'"])${attribute}=`));
    const value = /^\w+=\\?(["'])([^]*?)\\?\1/.exec(line.slice(from))?.[2] ?? '';
    return usesAny(/%s|^$/.test(value) ? line : value, names);
  });
}

/** True for a path in a folder into which the script writes. */
function isInWrittenFolder(text: string, value: string): boolean {
  const folder = /^([A-Za-z][\w-]*)\//.exec(value)?.[1];
  if (folder === undefined) return false;
  return new RegExp(
    `(?:>\\s*|\\b(?:mkdir|touch|tee|cp|mv)\\b[^\\n]*\\s)["']?${folder}/|(?:open|Path|writeFile\\w*)\\(\\s*f?["'\`]${folder}/`,
  ).test(text);
}

/** True for a name whose fixed beginning is also that of files which the script makes or lists: `part-` of `split`. */
function hasPrefixOfFiles(text: string, value: string): boolean {
  const prefix = /^[A-Za-z][\w.-]*?(?=\uE000|%)/.exec(value)?.[0] ?? '';
  if (prefix.length < 3) return false;
  const name = literalPattern(prefix);
  return new RegExp(
    `(?:^|[\\s;&|(])(?:csplit|split|ls|touch|tee|wc|cat)\\b[^\\n]{0,160}?\\s["']?${name}(?!\\w)|>\\s*["']?${name}|\\b(?:open|Path|writeFile\\w*|glob\\w*)\\(\\s*f?["'\`]${name}`,
    'm',
  ).test(text);
}

const READERS =
  '(?:cat|wc|head|tail|find|ls|grep|sort|jq|sed|awk|tar|cp|file|stat|du|python3?|node|sha256sum|md5sum|pandoc|git|diff|cut|tr|test|\\[\\[?|source|npm|make)';

/** True for a state that opens the path in a variable as it is. */
export function opensVariable(taker: StateNode, name: string, cd: string): boolean {
  const text = plainText(taker);
  if (taker.source.kind === 'prompt') return asksToRead(text, name, cd);
  if (executorOf(taker.file) === 'bash') return opensInShell(text, name);
  const read = `(?:(?:os\\.)?environ(?:\\[["']${name}["']\\]|\\.get\\(["']${name}["'][^()\\n]*\\))|getenv\\(["']${name}["']\\)|process\\.env(?:\\.${name}\\b|\\[["']${name}["']\\]))!?`;
  const path = `(?:(?:pathlib\\.)?Path\\(\\s*)?${read}\\)?`;
  const assigned = new RegExp(
    `^[ \\t]*(?:(?:const|let|var)[ \\t]+)?(\\w+)(?:[ \\t]*:[ \\t]*\\w+)?[ \\t]*=[ \\t]*${path}(?:\\s*(?:\\?\\?|\\|\\|)\\s*["'][^"'\\n]*["'])?[ \\t]*;?[ \\t]*$`,
    'gm',
  );
  const unpacked = new RegExp(`\\{[^{}\\n]*\\b${name}\\b(?!\\s*:)[^{}\\n]*\\}\\s*=\\s*process\\.env\\b`).test(text);
  const aliases = [...text.matchAll(assigned)].map(([, one = '']) => one);
  if (unpacked) aliases.push(name);
  const any = `(?:${[path, ...aliases.map((one) => `(?<![\\w.])${one}\\b`)].join('|')})`;
  if (new RegExp(`(?:mkdir|makedirs)\\w*\\([^\\n]*${any}|${any}\\.mkdir`).test(text)) return false;
  return new RegExp(
    `(?:\\bopen|\\b(?:readFile|readdir|stat|access)(?:Sync)?|\\b(?:listdir|scandir))\\(\\s*(?:(?:os\\.path\\.|path\\.)?join\\(\\s*)?(?:(?:pathlib\\.)?Path\\(\\s*)?(?:${any}|f?["'\`]\\$?\\{${any}\\}[/"'\`])(?!\\s*,\\s*(?:mode=)?["'][wax])` +
      `|${any}\\)?(?:\\s*/\\s*["'][^"'\\n]+["']\\s*\\))?\\.(?:read_\\w+|open|iterdir|r?glob|stat)\\(`,
  ).test(text);
}

function opensInShell(text: string, name: string): boolean {
  const variable = `["']?\\$\\{?${name}(?:\\}|(?!\\w))["']?`;
  if (new RegExp(`(?<![\\w.])${name}=|\\bmkdir\\b[^\\n]*${variable}`).test(text)) return false;
  const others = [...text.matchAll(/^[^\n#]*?\bcd\s+([^\n;&|)]+)/gm)].map(([, place = '']) => place);
  if (others.some((place) => !new RegExp(`^(?:--\\s+)?${variable}`).test(place))) return false;
  if (isArgument(text, name)) return true;
  const end = `(?=/|[ \\t]*(?:$|[|;&)<>\\]]|\\)))`;
  return new RegExp(
    `<\\s*${variable}${end}|(?:^|[\\s;&|(])cd\\s+(?:--\\s+)?${variable}${end}|(?:^|[\\s;&|(])${READERS}\\s[^\\n|;&<>]*?\\s?${variable}${end}`,
    'm',
  ).test(text);
}

/** Commands that do not open what they get. */
const NO_READERS =
  /^(?:echo|printf|basename|dirname|export|local|declare|readonly|return|case|expr|curl|mail|logger|read|set|unset|for|\[\[?\s(?!\s*(?:!\s+)?-[a-z]\s)|test\s(?!\s*(?:!\s+)?-[a-z]\s)|\[\[?\s+(?:!\s+)?-[nz]\s|test\s+-[nz]\s)/;

/** True if a command of a bash script gets the path in a variable as it is. */
function isArgument(text: string, name: string): boolean {
  const argument = new RegExp(
    `[ \\t]["']?(?:\\./)?\\$(?:\\{${name}\\}|${name}(?!\\w))["']?(?=[ \\t]*(?:$|[;&|<>)\\]]|[ \\t]))`,
    'gm',
  );
  return [...text.matchAll(argument)].some(({ index }) => {
    const before = text.slice(text.lastIndexOf('\n', index) + 1, index);
    const segment = before.split(/\$\(|\||&&|;|\b(?:then|do|else)\b/).at(-1) ?? '';
    const command = segment.trim().replace(/^(?:(?:if|elif|while|until|!|[A-Za-z_]\w*=\S*)\s+)+/, '');
    return command !== '' && !NO_READERS.test(`${command} `) && !/^["'$<]|^\w+=/.test(command);
  });
}

/** True for a prompt that asks to read the file in a variable, without a word on the directory. */
function asksToRead(text: string, name: string, cd: string): boolean {
  const folder = cd.split('/').at(-1)?.replaceAll(COMPUTED, '') ?? '';
  if (folder !== '' && text.includes(folder)) return false;
  const others = [...text.matchAll(/\{\{(\w+)\}\}/g)].map(([, one = '']) => one);
  if (others.some((one) => one !== name && /dir|folder|path|root|base|cwd|repo/i.test(one))) return false;
  return new RegExp(
    `\\b(?:read|open|review|proofread|translate|summari[sz]e|look at)\\b[^.\\n{}]{0,60}(?<![\\w/}])\\{\\{${name}\\}\\}(?![\\w{])`,
    'i',
  ).test(text);
}

/** A folder that a script has put into the other directory, and that the forked state looks for in its own. */
function folderInDirectory(analysis: Analysis, { taker, cd }: Fork): string | undefined {
  if (!/^\w[\w./-]*$/.test(cd) || taker.source.kind !== 'script') return undefined;
  const used = plainText(taker);
  const below = new RegExp(`(?<![\\w./-])${literalPattern(cd.replace(/\/$/, ''))}/([A-Za-z][\\w.-]*)`, 'g');
  for (const other of statesOf(analysis)) {
    const text = other === taker || other.source.kind !== 'script' ? '' : plainText(other);
    for (const [, folder = ''] of text.matchAll(below)) {
      const quoted = literalPattern(folder);
      const isAlsoHere = new RegExp(`(?<![\\w./-])${quoted}(?![\\w.-])`).test(text);
      if (!isAlsoHere && opensFolder(used, quoted)) return folder;
    }
  }
  return undefined;
}

function opensFolder(text: string, folder: string): boolean {
  if (new RegExp(`(?:\\b(?:mkdir|makedirs|cp|mv)\\b[^\\n]*|>\\s*["']?)${folder}\\b`).test(text)) return false;
  if (/^[^\n]*\b(?:chdir\(|pushd)/m.test(text)) return false;
  const cds = text.match(/\bcd\s+\S+/g) ?? [];
  if (cds.some((one) => !new RegExp(`cd\\s+["']?${folder}\\b`).test(one))) return false;
  return new RegExp(
    `(?:^|[\\s;&|(])(?:${READERS}|cd)\\s+(?:[^\\n|;&<>]*\\s)?["']?${folder}(?=["'/\\s)]|$)|<\\s*["']?${folder}/|\\b(?:open|Path|listdir|readFile|readdir)(?:Sync)?\\(\\s*f?["'\`]${folder}(?=["'\`/])`,
    'm',
  ).test(text);
}

/** A file that a state in the other directory writes, and that the forked state reads. */
function fileOfBoth(analysis: Analysis, { taker, moved }: Fork): string | undefined {
  if (/\b(?:cd|chdir|pushd)\b/.test(searchableText(taker))) return undefined;
  const uses = relativeFiles(taker);
  const states = statesOf(analysis).filter((one) => one !== taker && moved.has(one.file));
  const written = states.flatMap((one) => relativeFiles(one).filter(({ use }) => use === 'write'));
  const isFixed = (name: string): boolean => (name.split('*')[0] ?? '').length > 2;
  const others = statesOf(analysis).filter((one) => !states.includes(one) && one !== taker);
  return uses.find(
    ({ name, use }) =>
      use === 'read' &&
      isFixed(name) &&
      written.some((one) => isFixed(one.name) && mayBeSameFile(one.name, name)) &&
      !uses.some((one) => one.use === 'write' && mayBeSameFile(one.name, name)) &&
      !others.some((one) => searchableText(one).includes(name.split('*')[0] ?? name)),
  )?.name;
}

/** A folder whose files a script in the other directory lists, and that the forked state looks for in its own. */
function listedFolder(analysis: Analysis, { state, taker, moved }: Fork): string | undefined {
  if (taker.source.kind !== 'script') return undefined;
  const used = plainText(taker);
  const text = plainText(state);
  const others = statesOf(analysis).filter((one) => one !== taker && !moved.has(one.file));
  const folders = [...text.matchAll(LISTED_FOLDER)].map((match) => match.slice(1).find(Boolean) ?? '');
  return folders.find((folder) => {
    const isOtherFolder = others.some((one) => new RegExp(`\\b${literalPattern(folder)}\\b`).test(searchableText(one)));
    return !isOtherFolder && opensFolder(used, literalPattern(folder));
  });
}

const LISTED_FOLDER =
  /\b(?:readdir|listdir|scandir|os\.walk|opendir|glob)(?:Sync)?\(\s*["']([A-Za-z][\w-]*)(?=["'/])|\bPath\(\s*["']([A-Za-z][\w-]*)(?:\/[\w/-]*)?["']\s*\)\.(?:iterdir|r?glob)\(|\bin\s+([A-Za-z][\w-]*)\/[\w./-]*\*|\b(?:find|ls)\s+(?:-\w+\s+)*([A-Za-z][\w-]*)(?=[\s/|)])/g;

/** The programs that work on the project in the directory in which they start. */
const TOOLS =
  /(?:^|[\s;&|(!])(npm|pnpm|yarn|make|cargo|go|mvn|gradle|pytest|tox|composer|bundle|dotnet)\s+(?!-C|--prefix|--cwd|-f\s|init\b)[\w-]/gm;

/** What belongs to a project rather than to the directory in which a run is started. */
const PROJECT_FILE =
  /(?:^|[\s"'])(README(?:\.\w+)?|package\.json|pyproject\.toml|Cargo\.toml|go\.mod|pom\.xml|CHANGELOG\.md|Makefile)(?=["']?(?:[\s;&|)<>]|$))/m;

/** The files of a project that was cloned into the other directory, and on which the forked state works. */
function projectOf(analysis: Analysis, { taker, moved }: Fork): string | undefined {
  if (taker.source.kind !== 'script' || executorOf(taker.file) !== 'bash') return undefined;
  const used = plainText(taker);
  const others = statesOf(analysis).filter((one) => one !== taker && !moved.has(one.file));
  const isCloned = others.some((one) => /\bgit\b[^\n]{0,40}\bclone\b/.test(searchableText(one)));
  if (!isCloned || /\b(?:cd|pushd|clone)\b|\s-C\s|--work-tree|>\s*["']?(?:README|package\.json|Makefile)/.test(used))
    return undefined;
  const toolsOf = (text: string): readonly string[] => [...text.matchAll(TOOLS)].map(([, tool = '']) => tool);
  const there = statesOf(analysis).filter((one) => one !== taker && moved.has(one.file));
  const known = new Set(there.flatMap((one) => toolsOf(searchableText(one))));
  const tool = toolsOf(used).find((one) => known.has(one));
  if (tool !== undefined) return `the project for ${tool}`;
  return others.some((one) => PROJECT_FILE.test(searchableText(one))) ? undefined : PROJECT_FILE.exec(used)?.[1];
}

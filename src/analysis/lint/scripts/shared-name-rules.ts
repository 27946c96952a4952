// A rule about files that a script looks for under a name that only the process of another script knows.
import { executorOf } from '../../../protocol/language/resolve.js';
import { mistakesOf, scriptsOf, type Mistake, type ScriptState } from '../helpers.js';
import type { Analysis, Rule } from '../rule.js';
import { isName } from './unique-numbers.js';
import { uniqueUses, type UniqueUse } from './unique-paths.js';

type Kind = 'read' | 'write' | 'test' | 'neutral' | 'other';

/** The uses of one name in a script, in the order of the text. */
interface NamedFile {
  readonly key: string;
  readonly at: number;
  readonly kinds: readonly Kind[];
}

const MOST_FILES = 60;
const known = new WeakMap<ScriptState['source'], readonly NamedFile[]>();

function namedFiles(state: ScriptState): readonly NamedFile[] {
  const files = known.get(state.source) ?? filesIn(state);
  known.set(state.source, files);
  return files;
}

function filesIn(state: ScriptState): readonly NamedFile[] {
  const uses = uniqueUses(state);
  const kindOf = executorOf(state.file) === 'bash' ? shellKind : programKind;
  const keys = [...new Set(uses.map(({ key }) => key))].filter(isName);
  return keys.slice(0, MOST_FILES).map((key) => {
    const [first] = uses.filter((use) => use.key === key);
    const kinds = uses.filter(({ group }) => group === first?.group).map(kindOf);
    return { key, at: first?.at ?? 0, kinds: kinds.filter((kind) => kind !== 'neutral') };
  });
}

/** True for a file that a script reads, or looks for, and that nothing in the script can have written. */
function isOnlyRead({ kinds }: NamedFile): boolean {
  const first = kinds.find((kind) => kind !== 'test');
  return kinds.length > 0 && !kinds.includes('write') && (first === undefined || first === 'read');
}

/** True for a file that a script writes, or gives to a program that may write it. */
function isWritten(file: NamedFile): boolean {
  return file.kinds.some((kind) => kind === 'write' || kind === 'other') && !isOnlyRead(file);
}

function* namesOfOthers(analysis: Analysis, state: ScriptState): Generator<Mistake> {
  for (const { key, at } of namedFiles(state).filter(isOnlyRead)) {
    const writer = scriptsOf(analysis).find(
      (other) => other !== state && namedFiles(other).some((file) => file.key === key && isWritten(file)),
    );
    if (writer === undefined) continue;
    yield {
      at,
      message: `${writer.file} writes its file under a name that differs for each process or turn; this script builds another name`,
      fix: 'keep the file under a fixed name in the folder that RAYMOND_TASK_FOLDER names, or pass its path as an attribute',
    };
    return;
  }
}

const SHELL_WRITE =
  />\|?\s*$|(?<![-\w])(?:tee|touch|mkdir|mktemp|install|ln|git\s+(?:checkout|switch|branch|tag|worktree|init|clone))\b[^|;&<>]*$|\s(?:-o|-d|-C|-t|--output\S*|--out|--directory|--dest\w*|--target\S*|of|--name)[ =]?$/;
const SHELL_LAST_WRITE = /(?<![-\w])(?:cp|mv|rsync|scp|tar|zip|convert|magick|pandoc|ffmpeg)\b[^|;&<>]*\s$/;
const SHELL_READ =
  /<\s*$|(?<![-\w])(?:cat|wc|head|tail|jq|grep|e?grep|sort|awk|sed|cut|source|\.|less|paste|comm|diff|uniq|stat|du|ls|find|mapfile|readarray|(?:md5|sha\d+)sum|base64|lpr?|column|nl|tac|rev|shuf|zcat|gunzip|unzip|tar\s+-?-?(?:x|extract|t|list)\w*|cp|mv|rsync|scp|mail|git\s+(?:merge|diff|log|show|rebase|cherry-pick))\b[^|;&<>]*$|(?:^|\s)(?:-T|-F|--data\S*|--upload-file|--form)\s*"?\w*=?@?$/;

function shellKind({ before: line, after }: UniqueUse): Kind {
  const before = line.replace(/'[^'\n]*'|"[^"\n]*"/g, '""');
  if (/(?:\[\[?\s+(?:!\s+)?-[a-zA-Z]|\btest\s+(?:!\s+)?-[a-zA-Z])\s+$/.test(before)) return 'test';
  if (/\w=$/.test(before) && /^\s*(?:$|;|&&)/.test(after)) return 'neutral';
  if (SHELL_WRITE.test(before)) return 'write';
  const command = before.split(/[|;&]|\$\(|^\s*(?:if|then|do|while|until|!)\s/).at(-1) ?? '';
  if (/^\s*(?:echo|printf|trap|rm|log\w*|die|fail|:)\b/.test(command)) return 'neutral';
  const isLast = /^\s*(?:$|[;&|)])/.test(after);
  if (/^\s*(?:cp|mv|rsync|scp)\b/.test(command)) return isLast ? 'write' : 'read';
  if (SHELL_READ.test(before)) return 'read';
  return SHELL_LAST_WRITE.test(before) ? 'write' : 'other';
}

const PROGRAM_WRITE =
  /(?:writeFile|appendFile|createWriteStream|mkdir|makedirs|openSync|outputFile|writeJson|to_csv|to_json|savefig|save)\w*\(\s*$|(?:copyFile|copy\w*|cp|rename|move|replace|symlink|link)\w*\([^()]*,\s*$/;
const PROGRAM_READ =
  /(?:readFile|createReadStream|readdir|opendir|listdir|scandir|walk|read_\w+|readJson|load|loadtxt|statSync|getsize|copyFile|copy\w*|cp|rename|move|import)\w*\(\s*$/;

function programKind({ before, after }: UniqueUse): Kind {
  if (/(?:exists|isfile|isdir|access|lstat)\w*\(\s*$/i.test(before) || /^\.(?:exists|is_file|is_dir)\b/.test(after))
    return 'test';
  if (/[\w)\]>]\s*=\s*$/.test(before) && /^\s*;?\s*$/.test(after)) return 'neutral';
  if (/\breturn\s+$|=>\s*$/.test(before) || /^\.(?:parent|unlink|name|stem)\b/.test(after)) return 'neutral';
  if (
    /\b(?:unlink|rm|remove|rmtree|rmdir)\w*\(\s*$|\b(?:print|console\.\w+|logging\.\w+|stderr\.write|Error|exit)\(/.test(
      before,
    )
  )
    return 'neutral';
  if (PROGRAM_WRITE.test(before) || /^\.(?:write_\w+|mkdir|touch)\(/.test(after)) return 'write';
  const isOpened = /(?<![\w.])(?:open|io\.open|gzip\.open)\(\s*$/.test(before);
  if (isOpened || /^\.open\(/.test(after)) {
    const args = isOpened ? after : after.replace(/^\.open\(\s*(?!\))/, ',').replace(/^\.open\(/, '');
    if (/^\s*,\s*(?:mode\s*=\s*)?["']\w*[wax+]/.test(args)) return 'write';
    return /^\s*(?:\)|,\s*(?:encoding|newline|errors|(?:mode\s*=\s*)?["']r))/.test(args) ? 'read' : 'other';
  }
  if (PROGRAM_READ.test(before) || /^\.(?:read_\w+|iterdir|r?glob|stat)\(/.test(after)) return 'read';
  return 'other';
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

// Tells what a line of a script does with a path in it: it reads, writes or tests the file, or only names it. Pure.
import { executorOf } from '../../../protocol/language/resolve.js';
import type { UniqueUse } from './unique-paths.js';

/** What a line does with a path; `other` = it may do anything with the file. */
export type UseKind = 'read' | 'write' | 'test' | 'neutral' | 'other';

/** What a script does in a use of a path. */
export function kindOfUse(file: string, use: UniqueUse): UseKind {
  return executorOf(file) === 'bash' ? shellKind(use) : programKind(use);
}

const SHELL_WRITE =
  />\|?\s*$|(?<![-\w])(?:tee|touch|mkdir|mktemp|install|ln|git\s+(?:checkout|switch|branch|tag|worktree|init|clone))\b[^|;&<>]*$|\s(?:-o|-d|-C|-t|--output\S*|--out|--directory|--dest\w*|--target\S*|of|--name)[ =]?$/;
const SHELL_LAST_WRITE = /(?<![-\w])(?:cp|mv|rsync|scp|tar|zip|convert|magick|pandoc|ffmpeg)\b[^|;&<>]*\s$/;
const SHELL_READ =
  /<\s*$|(?<![-\w])(?:cat|wc|head|tail|jq|grep|e?grep|sort|awk|sed|cut|source|\.|less|paste|comm|diff|uniq|stat|du|ls|find|mapfile|readarray|(?:md5|sha\d+)sum|base64|lpr?|column|nl|tac|rev|shuf|zcat|gunzip|unzip|tar\s+-?-?(?:x|extract|t|list)\w*|cp|mv|rsync|scp|mail|git\s+(?:merge|diff|log|show|rebase|cherry-pick))\b[^|;&<>]*$|(?:^|\s)(?:-T|-F|--data\S*|--upload-file|--form)\s*"?\w*=?@?$/;

function shellKind({ before: line, after }: UniqueUse): UseKind {
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

function programKind({ before, after }: UniqueUse): UseKind {
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

// Finds the files that a state names by paths relative to its working directory, and whether it writes or reads them. Pure.
import { executorOf } from '../../../protocol/language/resolve.js';
import type { StateNode } from '../../graph.js';
import { plainText, searchableText } from '../helpers.js';
import { filePattern, PROGRAM, SHELL, usesOf, withAliases, type TaskFile } from './task-files.js';

/** A relative path with an extension, perhaps with variables and wildcards in its last part. */
const SHELL_NAME = String.raw`((?:[A-Za-z][\w-]*/)*(?:[\w*?-]|\$\{?(?![\w{}]*/)\w+\}?)[\w.*?\${}-]*\.[A-Za-z]\w*)`;
const PROGRAM_NAME = String.raw`((?:[A-Za-z][\w-]*/)*(?:[\w*?.-]|\$?\{[^{}/\n]{1,60}\}(?!/))+\.[A-Za-z]\w*)`;

const SHELL_FILE = `(?<=[\\s"'(<>=])"?${SHELL_NAME}"?(?=[\\s"');|&<>]|$)`;
const QUOTED = `f?["'\`]${PROGRAM_NAME}["'\`]`;
const PROGRAM_FILES = [
  `(?<=(?<![\\w.])(?:open|(?:fs\\.)?(?:readFile|writeFile|appendFile|createWriteStream|createReadStream)(?:Sync)?)\\(\\s*)${QUOTED}`,
  `(?<![\\w.])(?:pathlib\\.)?Path\\(\\s*${QUOTED}\\s*\\)`,
];
const GLOBBED = `(?<=(?:\\bPath\\(\\s*(?:["']\\.["'])?\\s*\\)\\.|\\bcwd\\(\\)\\.|\\bglob\\.|(?<![.\\w]))(?:r?glob|iglob|globSync)\\(\\s*)f?["']${PROGRAM_NAME}["']`;

/** The files that a script names by relative paths, with `*` in the place of variables. */
export function relativeFiles(state: StateNode): readonly TaskFile[] {
  const executor = executorOf(state.file);
  if (state.source.kind !== 'script') return [];
  const code = plainText(state);
  if (executor === 'bash')
    return named(withAliases(code, { ...SHELL, paths: [SHELL_FILE] }).filter((file) => isUsed(code, file)));
  if (executor !== 'python' && executor !== 'node') return [];
  const globbed = usesOf(code, [GLOBBED], () => 'read');
  return named([...withAliases(code, { ...PROGRAM, paths: PROGRAM_FILES }), ...globbed]);
}

function named(files: readonly TaskFile[]): readonly TaskFile[] {
  return files.map((file) => ({ ...file, name: filePattern(file.name) }));
}

const COMMANDS =
  /\b(?:cat|head|tail|wc|cp|mv|scp|curl|xz|gpg|stat|du|jq|grep|sort|sed|awk|cut|paste|tar|zip|diff|comm|uniq|pandoc|rsync|gzip|sha256sum|md5sum|find|ls|python3?|node|source)\s|\bfor\s+\w+\s+in\s|\w=\(|<\s*["']?$/;

/** True where bash writes a file, or where a command that reads files names it. */
function isUsed(code: string, { at, use }: TaskFile): boolean {
  const before = code.slice(code.lastIndexOf('\n', at - 1) + 1, at);
  return use !== 'read' || (COMMANDS.test(before) && !/\b(?:echo|printf)\s[^$]*$/.test(before));
}

/** The files in the task folder that a script names after it has changed to that folder. */
export function filesAfterCd(state: StateNode): readonly TaskFile[] {
  const code = searchableText(state);
  const changes = [...code.matchAll(/^[ \t]*(?:cd|pushd|os\.chdir|process\.chdir)\b[^\n]*$/gm)];
  const [change] = changes;
  if (change === undefined || changes.length > 1 || !/TASK_FOLDER/.test(change[0])) return [];
  return relativeFiles(state).filter(({ at }) => at > change.index);
}

// Finds where a script names the folder of its state: by RAYMOND_STATE_DIR, by its own path, or by a variable with one of these. Pure.
import type { TaskFile } from './task-files.js';

const OWN_NAME = String.raw`"?\$\{?(?:0|BASH_SOURCE(?:\[0\])?|RAYMOND_STATE_FILE)\}?"?`;
const OWN_PATH = String.raw`(?:${OWN_NAME}|"?\$\((?:readlink|realpath)[ \t]+(?:-\w+[ \t]+)?${OWN_NAME}\)"?)`;
const SHELL_FOLDER = [
  String.raw`\$\{?RAYMOND_STATE_DIR(?:%/|:[^}\n]{0,40})?\}?`,
  String.raw`\$\(\s*dirname\s+(?:--\s+)?${OWN_PATH}\s*\)`,
  String.raw`\$\{(?:0|BASH_SOURCE(?:\[0\])?|RAYMOND_STATE_FILE)%/\*\}`,
].join('|');
const SHELL_PLACE = String.raw`${SHELL_FOLDER}|\$\(\s*(?:cd|realpath|readlink)\s+(?:-\S+\s+)*["']?(?:${SHELL_FOLDER})["']?[^()\n]{0,40}\)`;

const VALUE =
  '(?:os\\.)?environ\\[["\']RAYMOND_STATE_DIR["\']\\]|(?:os\\.)?(?:environ\\.get|getenv)\\(["\']RAYMOND_STATE_DIR["\'][^()\\n]{0,40}\\)';
const NODE_VALUE = 'process\\.env\\.RAYMOND_STATE_DIR\\b!?|process\\.env\\[["\']RAYMOND_STATE_DIR["\']\\]!?';
const PROGRAM_FOLDER = [
  VALUE,
  NODE_VALUE,
  String.raw`\bos\.path\.dirname\(\s*(?:os\.path\.(?:abspath|realpath)\(\s*)?__file__\s*\)(?:\s*\))?`,
  String.raw`(?:pathlib\.)?\bPath\(\s*__file__\s*\)(?:\.(?:resolve|absolute)\(\))?\.(?:parent\b|parents\[0\])`,
  String.raw`\b__dirname\b|\bimport\.meta\.dirname\b`,
  String.raw`\b(?:path\.)?dirname\(\s*(?:(?:url\.)?fileURLToPath\(\s*import\.meta\.url\s*\)|__filename|import\.meta\.filename|process\.env\.RAYMOND_STATE_FILE!?)\s*\)`,
].join('|');
const PROGRAM_PLACE = String.raw`(?:(?:pathlib\.)?\bPath\(\s*)?(?:${PROGRAM_FOLDER})\)?(?:\.(?:resolve|absolute)\(\))?(?:\s*(?:\?\?|\|\|)\s*["'][^"'\n]*["'])?`;

/** How a language names the folder, and a variable that has it. */
interface Folders {
  readonly pattern: string;
  /** An assignment of `value`, with the name as its only group. */
  readonly assigned: (value: string) => string;
  readonly variable: (name: string) => string;
}

/** The folder in bash. */
export const SHELL_FOLDERS: Folders = {
  pattern: SHELL_PLACE,
  assigned: (value) =>
    String.raw`^[ \t]*(?:(?:local|readonly|export|declare)[ \t]+(?:-\w+[ \t]+)?)?(\w+)=["']?(?:${value})["']?[ \t]*(?:$|;)`,
  variable: (name) => String.raw`\$\{?${name}(?![\w:-])\}?`,
};

/** The folder in Python and JavaScript. */
export const PROGRAM_FOLDERS: Folders = {
  pattern: PROGRAM_PLACE,
  assigned: (value) =>
    String.raw`^[ \t]*(?:(?:const|let|var)[ \t]+)?(\w+)(?:[ \t]*:[ \t]*\w+)?[ \t]*=[ \t]*(?:str\()?(?:${value})\)?[ \t]*;?[ \t]*$`,
  variable: (name) => String.raw`(?<![\w.])${name}\b`,
};

/** A pattern for the folder, also by the variables that have it. */
export function withNames(code: string, { pattern, assigned, variable }: Folders): string {
  const names = new Set<string>();
  let all = pattern;
  for (let size = -1, rounds = 0; size < names.size && rounds < 3; rounds++) {
    size = names.size;
    for (const [, name = ''] of code.matchAll(new RegExp(assigned(all), 'gm'))) names.add(name);
    all = [pattern, ...[...names].map(variable)].join('|');
  }
  return all;
}

/** The files that a script reads by a function of its own, which looks in the folder for the name that it gets. */
export function readThroughFunctions(
  code: string,
  { folder, isShell }: { readonly folder: string; readonly isShell: boolean },
): readonly TaskFile[] {
  const definition = isShell
    ? /^[ \t]*(?:function[ \t]+)?([A-Za-z_]\w*)[ \t]*\([ \t]*()\)/gm
    : /\bdef[ \t]+(\w+)\([ \t]*(\w+)|\bfunction[ \t]+(\w+)\([ \t]*(\w+)|\bconst[ \t]+(\w+)[ \t]*=[ \t]*(?:async[ \t]*)?\(?(\w+)[^()\n]{0,60}\)?[^=\n]{0,40}=>/g;
  return [...code.matchAll(definition)].flatMap(({ index, 0: whole, ...groups }) => {
    const [name = '', parameter = ''] = Object.values(groups).filter(
      (group): group is string => typeof group === 'string',
    );
    const body = code.slice(index + whole.length, index + whole.length + 400).split(isShell ? /\n\}/ : /\n\S/)[0] ?? '';
    const given = isShell
      ? String.raw`["']?/["']?\$\{?1\b`
      : String.raw`\)?\s*[,/]\s*${parameter}\b|\}/\$?\{${parameter}\}`;
    if (
      name === '' ||
      !new RegExp(`(?:${folder})(?:${given})`).test(body) ||
      />>?\s*["']?\$|["'][wax]b?["']|\bwrite/.test(body)
    )
      return [];
    const call = isShell
      ? String.raw`(?<![\w$-])${name}[ \t]+["']?([\w./-]*\w)`
      : String.raw`(?<![\w.])${name}\(\s*["'\`]([\w./-]+)["'\`]`;
    return [...code.matchAll(new RegExp(call, 'g'))]
      .filter((match) => match.index !== index)
      .map((match) => ({ name: match[1] ?? '', at: match.index, use: 'read' as const }));
  });
}

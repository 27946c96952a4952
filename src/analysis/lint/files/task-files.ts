// Finds the files in the task folder that a state names, and whether it writes, reads or only looks for them. Pure.
import { executorOf } from '../../../protocol/language/resolve.js';
import type { StateNode } from '../../graph.js';
import { plainText, withoutLongLines } from '../helpers.js';

/** A use of a file in the task folder. */
export interface TaskFile {
  readonly name: string;
  /** The offset in the text of the state. */
  readonly at: number;
  readonly use: 'write' | 'append' | 'read' | 'test';
}

/** True for a use that writes a file. */
export function isWritten({ use }: TaskFile): boolean {
  return use === 'write' || use === 'append';
}

const NAME = String.raw`([\w-]+(?:\.\w+)*)`;
/** A name that may have variables and wildcards in it. */
const ANY_NAME = String.raw`((?:[\w.*?$"/-]|\{[^{}\n]{0,60}\}|\{\{\w+\}\})+)`;
/** Behind a name that has no more parts, also none with a variable: not `new` in `new.$lang.tsv`. */
const END = String.raw`(?![\w/*?[{$-]|\.["']?[\w*?[{$-])`;
const VARIABLE = 'RAYMOND_TASK_FOLDER';

/** The files in the task folder that a state names by a plain name. */
export function taskFiles(state: StateNode): readonly TaskFile[] {
  const code = plainText(state);
  if (!/task_folder/i.test(code)) return [];
  if (state.source.kind === 'prompt') return usesOf(code, [`\\{\\{task_folder\\}\\}/${NAME}${END}`], promptUse);
  return usesInScript(state, code, NAME);
}

/** The files in the task folder that a state names, also by names with variables and wildcards: `chapter-*.md`. */
export function taskFilePatterns(state: StateNode): readonly TaskFile[] {
  const code = plainText(state);
  if (!/task_folder/i.test(code)) return [];
  // A sentence of a prompt may begin on the line before.
  const found =
    state.source.kind === 'prompt'
      ? usesOf(code.replaceAll('\n', ' '), [`\\{\\{task_folder\\}\\}/${ANY_NAME}`], promptUse)
      : usesInScript(state, code, ANY_NAME);
  return found.map((file) => ({ ...file, name: filePattern(file.name) }));
}

/** A name with `*` in the place of its variables. */
export function filePattern(name: string): string {
  const plain = name.replace(/["']|[.,;:]+$/g, '').replace(/\{\{\w+\}\}|\$?\{[^{}]*\}|\$\w+|\?/g, '*');
  return plain.replace(/\*{2,}/g, '*').replace(/^$/, '*');
}

/** True if two names, of which each may have wildcards, may mean the same file. */
export function mayBeSameFile(one: string, other: string): boolean {
  const [start, otherStart] = [one, other].map((name) => name.split('*')[0] ?? '');
  const [end, otherEnd] = [one, other].map((name) => name.split('*').at(-1) ?? '');
  if (start === undefined || otherStart === undefined || end === undefined || otherEnd === undefined) return false;
  const startsAlike = start.startsWith(otherStart) || otherStart.startsWith(start);
  const isPlain = !one.includes('*') && !other.includes('*');
  return isPlain ? one === other : startsAlike && (end.endsWith(otherEnd) || otherEnd.endsWith(end));
}

function usesInScript({ source, file }: StateNode, code: string, name: string): readonly TaskFile[] {
  if (source.kind !== 'script') return [];
  const executor = executorOf(file);
  if (executor === 'bash') return withAliases(code, { ...SHELL, paths: shellPaths(code, name) });
  if (executor !== 'python' && executor !== 'node') return [];
  return withAliases(code, { ...PROGRAM, paths: programPaths(code, name) });
}

/** Where a prompt reads a file of the task folder whose name contains a variable; undefined if the prompt also writes one. */
export function variableTaskFile({ source }: StateNode): Pick<TaskFile, 'name' | 'at'> | undefined {
  if (source.kind !== 'prompt') return undefined;
  // A sentence may begin on the line before.
  const code = withoutLongLines(source.prompt.body.text).replaceAll('\n', ' ');
  const all = usesOf(code, [String.raw`\{\{task_folder\}\}/([^\s\`'")]+)`], promptUse);
  const found = all.find(({ name }) => /\{\{\w+\}\}/.test(name));
  return all.every(({ use }) => use === 'read') ? found : undefined;
}

type UseOf = (before: string, after: string) => TaskFile['use'];

export function usesOf(code: string, patterns: readonly string[], useOf: UseOf): readonly TaskFile[] {
  return patterns.flatMap((pattern) =>
    [...code.matchAll(new RegExp(pattern, 'g'))].map((match) => {
      const end = match.index + match[0].length;
      const before = code.slice(code.lastIndexOf('\n', match.index - 1) + 1, match.index);
      const lineEnd = code.indexOf('\n', end);
      const use = useOf(before, code.slice(end, lineEnd < 0 ? code.length : lineEnd));
      return { name: match[1] ?? '', at: match.index, use };
    }),
  );
}

function shellPaths(code: string, file: string): readonly string[] {
  const aliases = [
    ...code.matchAll(/(?<![\w$])(\w+)=["']?\$\{?RAYMOND_TASK_FOLDER(?:\}|:\?[^}\n]*\})?["']?[ \t]*(?:$|;)/gm),
  ].map(([, name = '']) => name);
  return [`"?\\$\\{?(?:${[VARIABLE, ...aliases].join('|')})\\}?"?/"?${file}${END}`];
}

function programPaths(code: string, file: string): readonly string[] {
  const read = `(?:os\\.)?environ\\[["']${VARIABLE}["']\\]|(?:os\\.)?environ\\.get\\(["']${VARIABLE}["'](?:,\\s*["'][^"'\\n]*["'])?\\)|os\\.getenv\\(["']${VARIABLE}["']\\)|process\\.env\\.${VARIABLE}|process\\.env\\[["']${VARIABLE}["']\\]`;
  const folder = `(?:(?:pathlib\\.)?Path\\(\\s*)?(?:${read})\\)?!?(?:\\s*(?:\\?\\?|\\|\\|)\\s*["'][^"'\\n]*["'])?`;
  const assigned = new RegExp(
    `^[ \\t]*(?:(?:const|let|var)[ \\t]+)?(\\w+)(?:[ \\t]*:[ \\t]*\\w+)?[ \\t]*=[ \\t]*${folder}[ \\t]*;?[ \\t]*$`,
    'gm',
  );
  const aliases = [...code.matchAll(assigned)].map(([, name = '']) => `(?<![\\w.])${name}\\b`);
  const any = `(?:${[folder, ...aliases].join('|')})`;
  const join = `(?:\\b(?:os\\.path\\.|path\\.)?(?:join|Path)|\\bpathlib\\.Path)\\(\\s*${any}\\s*,\\s*`;
  const plain = [
    `\\(?${any}\\s*/\\s*f?["']${file}["']\\)?`,
    `${join}f?["'\`]${file}["'\`]\\s*\\)`,
    `f?["'\`]\\$?\\{${any}\\}/${file}["'\`]`,
    `${any}\\s*\\+\\s*["']/${file}["']`,
  ];
  return file === NAME ? plain : [...plain, `${any}\\.r?glob\\(\\s*f?["']${file}["']\\s*\\)`];
}

/** How the paths of a language are used. */
export interface Language {
  readonly paths: readonly string[];
  readonly use: UseOf;
  /** What stands before the name of a variable. */
  readonly sigil: string;
}

/** The uses of paths, and of the variables that have them. */
export function withAliases(code: string, { paths, use, sigil }: Language): readonly TaskFile[] {
  return usesOf(code, paths, use).flatMap((file) => {
    const before = code.slice(code.lastIndexOf('\n', file.at - 1) + 1, file.at);
    const alias = /^[ \t]*(?:(?:const|let|var|local|readonly)[ \t]+)?(\w+)(?:[ \t]*:[ \t]*\w+)?[ \t]*=[ \t]*$/.exec(
      before,
    )?.[1];
    const isReadHere = /^[^\n]{0,200}\.(?:read_\w+|open|glob)\(/.test(code.slice(file.at, file.at + 220));
    if (alias === undefined || (use === programUse && (file.use !== 'read' || isReadHere))) return [file];
    const assigned = new RegExp(`(?<![\\w.$])${alias}\\s*=(?!=)`, 'g');
    if ((code.match(assigned)?.length ?? 0) > 1) return [];
    const later = usesOf(code, [`${sigil}(?:${alias})\\b(?!\\s*=(?!=))\\}?"?`], use);
    return later.map((one) => ({ ...one, name: file.name }));
  });
}

function promptUse(before: string): TaskFile['use'] {
  const sentence = before.slice(Math.max(0, before.length - 80));
  if (/\bif\b|\bexists?\b/i.test(sentence)) return 'test';
  if (/\bappend\w*|\badd\b/i.test(sentence)) return 'append';
  const isWritten = /\b(?:writ\w*|creat\w*|sav\w*|stor\w*|put)\b[^.\n]*$/i.test(sentence);
  // "Translate it into English with the terms in …" only reads them.
  const isTarget = /.*\b(?:(into|to)|with|from|by|using)\b[^.\n]*$/i.exec(sentence)?.[1] !== undefined;
  return isWritten || isTarget ? 'write' : 'read';
}

function shellUse(before: string, after: string): TaskFile['use'] {
  if (/(?:\[\[?\s+(?:!\s+)?-[a-z]|\btest\s+-[a-z]|\brm\s+(?:-\w+\s+)*)\s*$/.test(before)) return 'test';
  if (/>>\s*$|\btee\s+-a\s+$/.test(before)) return 'append';
  if (/(?:>\|?\s*|\b(?:tee|touch)\s+|\s(?:-o|--output)[ =]?)$/.test(before)) return 'write';
  const isLast = /^["']?\s*(?:$|[;&|)])/.test(after);
  if (isLast && /\b(?:cp|mv|install|ln|mkdir)\b[^\n|;&]*\s$/.test(before)) return 'write';
  return /\b(?:mkdir|mktemp)\b/.test(before) || /\|\|(?!\s*exit\s+[1-9])|2>\s*\/dev\/null/.test(after)
    ? 'test'
    : 'read';
}

function programUse(before: string, after: string): TaskFile['use'] {
  if (/exists\w*\(\s*$|is_?file\(\s*$|\baccess\w*\(\s*$|\b(?:rm|unlink|remove|mkdir|makedirs)\w*\(\s*$/i.test(before))
    return 'test';
  if (/^\)?\.(?:exists|is_file|unlink|mkdir|touch)\b/.test(after)) return 'test';
  if (/\bappendFile(?:Sync)?\(\s*$/.test(before) || /^\)?\s*(?:,|\.open\()\s*(?:mode=)?["']a/.test(after))
    return 'append';
  const isWritten =
    /\b(?:writeFile|createWriteStream|copyFile)(?:Sync)?\(\s*(?:[^,()\n]*,\s*)?$/.test(before) ||
    /^\)?\s*(?:,|\.open\()\s*(?:mode=)?["'][wx]|^\)?\.write_(?:text|bytes)\(/.test(after);
  return isWritten ? 'write' : 'read';
}

/** Bash, without its paths. */
export const SHELL = { use: shellUse, sigil: '"?\\$\\{?' } as const;

/** Python and Node.js, without their paths. */
export const PROGRAM = { use: programUse, sigil: '(?<![\\w.])' } as const;

// Finds the files in the task folder that a state names, and whether it writes, reads or only looks for them. Pure.
import { executorOf } from '../../../protocol/language/resolve.js';
import type { StateNode } from '../../graph.js';
import { searchableText, withoutLongLines } from '../helpers.js';

/** A use of a file in the task folder. */
export interface TaskFile {
  readonly name: string;
  /** The offset in the text of the state. */
  readonly at: number;
  readonly use: 'write' | 'append' | 'read' | 'test';
}

const NAME = String.raw`([\w-]+(?:\.\w+)*)`;
const END = String.raw`(?![\w/*?[{$-])`;
const VARIABLE = 'RAYMOND_TASK_FOLDER';

/** The files in the task folder that a state names by a plain name. */
export function taskFiles(state: StateNode): readonly TaskFile[] {
  const code = withoutLongLines(searchableText(state));
  if (!/task_folder/i.test(code)) return [];
  if (state.source.kind === 'prompt') return usesOf(code, [`\\{\\{task_folder\\}\\}/${NAME}${END}`], promptUse);
  if (state.source.kind !== 'script') return [];
  const executor = executorOf(state.file);
  if (executor === 'bash') return withAliases(code, { paths: shellPaths(code), use: shellUse, sigil: '"?\\$\\{?' });
  if (executor !== 'python' && executor !== 'node') return [];
  return withAliases(code, { paths: programPaths(code), use: programUse, sigil: '(?<![\\w.])' });
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

function usesOf(code: string, patterns: readonly string[], useOf: UseOf): readonly TaskFile[] {
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

function shellPaths(code: string): readonly string[] {
  const aliases = [
    ...code.matchAll(/(?<![\w$])(\w+)=["']?\$\{?RAYMOND_TASK_FOLDER(?:\}|:\?[^}\n]*\})?["']?[ \t]*(?:$|;)/gm),
  ].map(([, name = '']) => name);
  return [`"?\\$\\{?(?:${[VARIABLE, ...aliases].join('|')})\\}?"?/"?${NAME}${END}`];
}

function programPaths(code: string): readonly string[] {
  const read = `(?:os\\.)?environ\\[["']${VARIABLE}["']\\]|(?:os\\.)?environ\\.get\\(["']${VARIABLE}["']\\)|os\\.getenv\\(["']${VARIABLE}["']\\)|process\\.env\\.${VARIABLE}|process\\.env\\[["']${VARIABLE}["']\\]`;
  const folder = `(?:(?:pathlib\\.)?Path\\(\\s*)?(?:${read})\\)?!?`;
  const assigned = new RegExp(
    `^[ \\t]*(?:(?:const|let|var)[ \\t]+)?(\\w+)(?:[ \\t]*:[ \\t]*\\w+)?[ \\t]*=[ \\t]*${folder}[ \\t]*;?[ \\t]*$`,
    'gm',
  );
  const aliases = [...code.matchAll(assigned)].map(([, name = '']) => `(?<![\\w.])${name}\\b`);
  const any = `(?:${[folder, ...aliases].join('|')})`;
  return [
    `\\(?${any}\\s*/\\s*f?["']${NAME}["']\\)?`,
    `(?:\\b(?:os\\.path\\.|path\\.)?(?:join|Path)|\\bpathlib\\.Path)\\(\\s*${any}\\s*,\\s*["']${NAME}["']\\s*\\)`,
    `f?["'\`]\\$?\\{${any}\\}/${NAME}["'\`]`,
    `${any}\\s*\\+\\s*["']/${NAME}["']`,
  ];
}

interface Language {
  readonly paths: readonly string[];
  readonly use: UseOf;
  /** What stands before the name of a variable. */
  readonly sigil: string;
}

/** The uses of paths, and of the variables that have them. */
function withAliases(code: string, { paths, use, sigil }: Language): readonly TaskFile[] {
  return usesOf(code, paths, use).flatMap((file) => {
    const before = code.slice(code.lastIndexOf('\n', file.at - 1) + 1, file.at);
    const alias = /^[ \t]*(?:(?:const|let|var|local|readonly)[ \t]+)?(\w+)(?:[ \t]*:[ \t]*\w+)?[ \t]*=[ \t]*$/.exec(
      before,
    )?.[1];
    if (alias === undefined || (use === programUse && file.use !== 'read')) return [file];
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
  return /\b(?:writ\w*|creat\w*|sav\w*|stor\w*|put|into|to)\b[^.\n]*$/i.test(sentence) ? 'write' : 'read';
}

function shellUse(before: string, after: string): TaskFile['use'] {
  if (/(?:\[\[?\s+(?:!\s+)?-[a-z]|\btest\s+-[a-z]|\brm\s+(?:-\w+\s+)*)\s*$/.test(before)) return 'test';
  if (/>>\s*$|\btee\s+-a\s+$/.test(before)) return 'append';
  if (/(?:>\|?\s*|\b(?:tee|touch)\s+|\s(?:-o|--output)[ =]?)$/.test(before)) return 'write';
  const isLast = /^\s*(?:$|[;&|)])/.test(after);
  if (isLast && /\b(?:cp|mv|install|ln|mkdir)\b[^\n|;&]*\s$/.test(before)) return 'write';
  return /\b(?:mkdir|mktemp)\b/.test(before) || /\|\||2>\s*\/dev\/null/.test(after) ? 'test' : 'read';
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

// Finds the files in the folder of the states that a state names, each by its path in this folder. Pure.
import { executorOf } from '../../../protocol/language/resolve.js';
import type { StateNode } from '../../graph.js';
import { plainText, textOf } from '../helpers.js';
import type { ReadBeside } from '../rule.js';
import { PROGRAM_FOLDERS, readThroughFunctions, SHELL_FOLDERS, withNames } from './state-folder.js';
import { PROGRAM, SHELL, usesOf, withAliases, type Language, type TaskFile } from './task-files.js';

/** A path below a folder in bash, perhaps with variables. */
const SHELL_NAME = String.raw`((?:[\w.*?$/-]|\{[^{}\n]{0,60}\})+)`;
const LITERAL = String.raw`f?["'\`][^"'\`\n]{1,80}["'\`]`;

function filesOf(state: StateNode): readonly TaskFile[] {
  const code = plainText(state);
  if (state.source.kind === 'prompt')
    return usesOf(code.replaceAll('\n', ' '), [String.raw`\{\{state_dir\}\}\/([\w./*-]*\w)`], promptUse);
  if (state.source.kind !== 'script') return [];
  const executor = executorOf(state.file);
  if (executor === 'bash') return shellFiles(code);
  return executor === 'python' || executor === 'node' ? programFiles(code, executor) : [];
}

function promptUse(before: string): TaskFile['use'] {
  const sentence = before.split(/[.!?;:]\s/).at(-1) ?? '';
  if (/\bif\b|\bexists?\b|\bunless\b/i.test(sentence)) return 'test';
  return /\b(?:writ\w*|creat\w*|sav\w*|stor\w*|put)\b[^.]*$/i.test(sentence) ? 'write' : 'read';
}

function shellFiles(code: string): readonly TaskFile[] {
  // A link may lead to another folder.
  if (/\b(?:readlink|realpath)\b/.test(code)) return [];
  const folder = withNames(code, SHELL_FOLDERS);
  const paths = [`["']?(?:${folder})["']?/["']?${SHELL_NAME}`];
  const files = atPaths(code, { ...SHELL, use: shellUse, paths });
  const entered = usesOf(
    code,
    [
      `(?<=^|[\\n;&|({]|\\b(?:then|do)\\b)[ \\t]*cd[ \\t]+(?:--[ \\t]+)?["']?(?:${folder})["']?(?=[ \\t]*(?:$|[\\n;&)|]))`,
    ],
    () => 'read',
  );
  const after = entered.slice(0, 1).flatMap(({ at }) => namedAfter(code, at));
  return [...files, ...after, ...readThroughFunctions(code, { folder, isShell: true })];
}

/** The uses of paths, each at the path itself, also where a variable has it. */
function atPaths(code: string, language: Language): readonly TaskFile[] {
  const written = usesOf(code, language.paths, language.use);
  return withAliases(code, language).map((file) => {
    const at = written.find(({ name }) => name === file.name)?.at ?? file.at;
    return { ...file, at: /["']/.test(code[at] ?? '') ? at + 1 : at };
  });
}

/** A file that bash names after it has changed to the folder of the states. */
function namedAfter(code: string, at: number): readonly TaskFile[] {
  const rest = code.slice(at);
  if (/\b(?:cd|pushd|popd)\b/.test(rest.slice(rest.indexOf('cd') + 2))) return [];
  const name =
    /(?:^|[\s;&|(<])["']?((?:\.\/)?(?:[\w-]+\/)*[\w*-]+\.(?:txt|csv|tsv|json|ya?ml|sh|bash|py|js|ts|md|html?|sql|awk|jq|tmpl))\b/gm;
  return [...rest.matchAll(name)].flatMap(({ index, 1: file = '' }) => {
    const before = rest.slice(rest.lastIndexOf('\n', index) + 1, index + 1);
    return shellUse(before, '') === 'read' && !/\becho\b|\bprintf\b|<\w/.test(before)
      ? [{ name: file, at, use: 'read' as const }]
      : [];
  });
}

/** A path in a message is no use of the file. */
function shellUse(before: string, after: string): TaskFile['use'] {
  return /(?:^|[;&|({]|\bthen\b|\bdo\b)\s*(?:echo|printf|log|die|warn|info)\s[^|;&$(]*$/.test(before)
    ? 'test'
    : SHELL.use(before, after);
}

function programFiles(code: string, executor: 'python' | 'node'): readonly TaskFile[] {
  const folder = withNames(code, PROGRAM_FOLDERS);
  const any = `(?:str\\(\\s*)?(?:${folder})\\)?`;
  const paths = [
    `${any}\\s*/\\s*(${LITERAL}(?:\\s*/\\s*${LITERAL}){0,3})`,
    `\\b(?:join|resolve|Path|joinpath)\\(\\s*${any}\\s*,\\s*(${LITERAL}(?:\\s*,\\s*${LITERAL}){0,3})\\s*\\)`,
    `f?["'\`]\\$?\\{${any}\\}/([^"'\`\\n]{1,80})["'\`]`,
    `${any}\\s*\\+\\s*["'\`]/([^"'\`\\n]{1,80})["'\`]`,
    `(?:${folder})\\.(?:joinpath|r?glob)\\(\\s*(${LITERAL})\\s*\\)`,
    `\\bnew URL\\(\\s*(["'][^"'\\n]{1,80}["'])\\s*,\\s*import\\.meta\\.url\\s*\\)`,
  ];
  const files = atPaths(code, { ...PROGRAM, paths });
  const modules = executor === 'node' ? usesOf(code, [MODULE], () => 'read') : [];
  return [...files, ...modules, ...readThroughFunctions(code, { folder, isShell: false })];
}

/** A file that Node.js loads by its path. */
const MODULE = String.raw`(?:\brequire\(\s*|\bfrom\s+|\bimport\s*\(\s*|(?<=^|\n)[ \t]*import\s+)["'\`](\.{1,2}\/[^"'\`\n]{1,80})["'\`]`;

/** The path without quotes; undefined if its first part is not known. */
function pathOf(name: string): string | undefined {
  const plain = name
    .replace(/["'`]\s*[,/]\s*f?["'`]/g, '/')
    .replace(/^f?["'`]|["'`]$/g, '')
    .replace(/^(?:\.\/)+|[/.,;:]+$/g, '');
  return /^(?:\.\.\/)*[\w-][\w.-]*(?:\/|$)/.test(plain) ? plain.replace(/\$?\{[^{}]*\}|\$\w+/g, '*') : undefined;
}

/** The files that states read in the folder of the states, if no state may have made them there. */
export function filesReadBeside(states: readonly StateNode[]): readonly ReadBeside[] {
  const all = states.map((state) => ({ state, uses: filesOf(state) }));
  const first = (name: string): string => pathOf(name)?.split('/')[0] ?? '';
  const made = new Set(
    all.flatMap(({ uses }) => uses.flatMap(({ use, name }) => (use === 'read' ? [] : [first(name)]))),
  );
  return all.flatMap(({ state, uses }) => {
    const text = textOf(state);
    return uses.flatMap(({ name, use, at }): readonly ReadBeside[] => {
      const path = pathOf(name);
      if (path === undefined || text === undefined || use !== 'read' || made.has(first(name))) return [];
      return [{ state: state.file, at: text.at(at), path }];
    });
  });
}

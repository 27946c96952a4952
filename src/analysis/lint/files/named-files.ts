// Finds where a script reads files of its working directory by fixed names: directly, by variables that hold the names, and by functions that
// get them. Also the helper scripts in which states do this. Pure.
import { literalPattern } from '../../../protocol/text.js';
import { stem } from '../../../protocol/ids.js';
import { executorOf } from '../../../protocol/language/resolve.js';
import type { StateNode } from '../../graph.js';
import { plainText, scriptsOf, type ScriptState } from '../helpers.js';
import { pathUses } from '../paths/path-uses.js';
import { shellPaths } from '../paths/shell-paths.js';
import type { Analysis } from '../rule.js';
import { relativeFiles } from './relative-files.js';

/** A script of a package, which need not be a state. */
export type ScriptFile = Pick<ScriptState, 'file' | 'source'>;

/** The scripts of the package that are no states, and that a state imports or runs. */
export function importedScripts(analysis: Analysis): readonly ScriptFile[] {
  const { graph } = analysis;
  const others = [...graph.source.files.values()].flatMap((source): readonly ScriptFile[] =>
    source.kind === 'script' && !graph.states.has(source.file) ? [{ file: source.file, source }] : [],
  );
  if (others.length === 0) return [];
  const users = scriptsOf(analysis).map((state) => plainText(state));
  return others.filter(({ file }) => {
    const name = literalPattern(stem(file));
    const isImported = new RegExp(
      String.raw`\b(?:import|from|require\(|source|\.)[ \t]*["']?[^\n"']{0,80}?\b${name}\b|["'/ ]${literalPattern(file)}\b`,
    );
    const own = users.filter((text) => isImported.test(text));
    return own.length > 0 && !own.some((text) => /\bchdir\(|^[ \t]*(?:cd|pushd)[ \t]/m.test(text));
  });
}

/** Where a script reads files of its working directory, by their names; without those that it also writes or tests. */
export function readByName(script: ScriptFile): ReadonlyMap<string, readonly number[]> {
  const named = relativeFiles(script as StateNode);
  const followed = [...pathUses(script).filter((use) => isPlainRead(script, use)), ...readByFunctions(script)];
  const all = [...named.map(({ name, use, at }) => ({ path: name, kind: use, at })), ...pathUses(script)];
  const changed = new Set(all.flatMap(({ path, kind }) => (/^(?:read|list|unknown)$/.test(kind) ? [] : [path])));
  const read = new Map<string, readonly number[]>();
  const reads = [
    ...named.flatMap(({ name, use, at }) => (use === 'read' ? [{ path: name, at }] : [])),
    ...followed.filter(({ at }) => !mayFail(script, at)),
  ];
  for (const { path, at } of reads) if (!changed.has(path)) read.set(path, [...(read.get(path) ?? []), at]);
  return read;
}

/** True for a read after which the script may continue without the file, or look in the folder of the states. */
function mayFail(script: ScriptFile, at: number): boolean {
  const code = plainText(script);
  if (executorOf(script.file) !== 'bash')
    return /\bcatch\b|\bexcept\b/.test(code) && /RAYMOND_STATE|__file__|__dirname|\bimport\.meta/.test(code);
  const end = code.indexOf('\n', at);
  return /\|\||2>\s*\/dev\/null/.test(code.slice(code.lastIndexOf('\n', at) + 1, end < 0 ? code.length : end));
}

const OPENS =
  /^(?:await\s+)?(?:(?:fs|fsp|promises|fs\.promises|pd|pandas|np|io|codecs|gzip)\.)?(?:open|readFile(?:Sync)?|createReadStream|read_csv|read_json|read_excel|loadtxt)\(|^(?:pathlib\.)?Path\(|^\w+\.(?:read_text|read_bytes|open)\(\s*(?:\)|\w+=|["'](?:utf-?8|r[bt]?)["'])/i;

/** True for a use of a file by a function that certainly opens a path. */
function isPlainRead(script: ScriptFile, { kind, at }: { readonly kind: string; readonly at: number }): boolean {
  if (kind !== 'read') return false;
  return executorOf(script.file) === 'bash' || OPENS.test(script.source.raw.text.slice(at, at + 120));
}

interface Read {
  readonly path: string;
  readonly at: number;
}

/** The files that functions of a script read, and whose names their calls give. */
function readByFunctions(script: ScriptFile): readonly Read[] {
  const code = plainText(script);
  const executor = executorOf(script.file);
  if (executor === 'bash') return readByShellFunctions(code);
  return executor === 'python' || executor === 'node' ? readByProgramFunctions(code) : [];
}

/** Calls of bash functions: each is read as the body of the function with the words of the call. */
function readByShellFunctions(code: string): readonly Read[] {
  const definition = /^[ \t]*(?:function[ \t]+)?([A-Za-z_]\w*)[ \t]*\([ \t]*\)[ \t]*\{/gm;
  const globals = (code.match(/^[A-Za-z_]\w*=[^\n$(`]*$/gm) ?? []).join('\n');
  return [...code.matchAll(definition)].flatMap(({ index, 0: whole, 1: name = '' }) => {
    const from = index + whole.length;
    const body = code.slice(from, from + 2000).split(/\n[ \t]*\}|\}[ \t]*\n/)[0] ?? '';
    if (!/\$\{?\d/.test(body)) return [];
    const call = new RegExp(
      String.raw`(?:^|[;&|(]|\b(?:then|do|else|if|!))[ \t]*${name}[ \t]+([^\n|;&()<>]{1,200})`,
      'gm',
    );
    return [...code.matchAll(call)].flatMap((match) => {
      const words = match[1]?.match(/"[^"\n]*"|'[^'\n]*'|[^\s"']+/g) ?? [];
      const filled = body.replace(/"?\$\{?(\d)\b\}?"?/g, (old, digit: string) => words[Number(digit) - 1] ?? old);
      const uses = shellPaths(`${globals}\n${filled}`);
      const at = match.index + match[0].lastIndexOf(name);
      return uses.flatMap(({ kind, path }) => (kind === 'read' && /^[\w-]+\.\w+$/.test(path) ? [{ path, at }] : []));
    });
  });
}

/** The names of the parameters of a function, each with its default. */
function parametersOf(text: string): readonly { readonly name: string; readonly value: string }[] {
  return text.split(',').map((part) => {
    const [, name = '', value = ''] = /^\s*(\w+)(?:\s*\??:[^=]*)?(?:\s*=\s*(.*?))?\s*$/.exec(part) ?? [];
    return { name, value };
  });
}

/** Calls of functions in Python and JavaScript that open one of their parameters. */
function readByProgramFunctions(code: string): readonly Read[] {
  const definition =
    /\bdef[ \t]+(\w+)\(([^()\n]{1,200})\)|\bfunction[ \t]+(\w+)\(([^()\n]{1,200})\)|\bconst[ \t]+(\w+)[ \t]*=[ \t]*(?:async[ \t]*)?\(([^()\n]{1,200})\)[^=\n]{0,40}=>|\bconst[ \t]+(\w+)[ \t]*=[ \t]*(?:async[ \t]*)?(\w+)[ \t]*=>/g;
  const constants = new Map(
    [
      ...code.matchAll(
        /^(?:export[ \t]+)?(?:(?:const|let|var)[ \t]+)?(\w+)[ \t]*=[ \t]*["']([\w-]+\.\w+)["'][ \t]*;?[ \t]*$/gm,
      ),
    ].map(([, name = '', value = '']) => [name, value]),
  );
  const fileOf = (value: string): string | undefined =>
    /^\s*["'`](?:\.\/)?([\w-]+\.\w+)["'`]\s*$/.exec(value)?.[1] ?? constants.get(value.trim());
  return [...code.matchAll(definition)].flatMap((match) => {
    const [name = '', parameters = ''] = match.slice(1).filter((group) => typeof group === 'string');
    const from = match.index + match[0].length;
    const body = code.slice(from, from + 600).split(/\n(?=[^\s})\]])/)[0] ?? '';
    return parametersOf(parameters).flatMap((parameter, index) => {
      if (parameter.name === '' || !opensParameter(body, parameter.name)) return [];
      const calls = [
        ...code.matchAll(new RegExp(String.raw`(?<![\w.]|\bdef |\bfunction )${name}\(([^()\n]{0,200})\)`, 'g')),
      ];
      return calls.flatMap(({ index: at, 1: args = '' }) => {
        const given = args.trim() === '' ? undefined : args.split(',')[index];
        const path = fileOf(given ?? parameter.value);
        return path === undefined ? [] : [{ path, at: given === undefined ? match.index : at }];
      });
    });
  });
}

/** True for a function that opens the path in a parameter as it is, to read it. */
function opensParameter(body: string, name: string): boolean {
  if (new RegExp(String.raw`(?<![\w.])${name}\s*=(?!=)|\bexists\w*\(\s*${name}\b`).test(body)) return false;
  return new RegExp(
    String.raw`(?<![\w.])(?:(?:fs|fsp|promises|io|pd)\.)?(?:open|readFile(?:Sync)?|createReadStream|read_csv|read_json)\(\s*${name}\s*(?=[,)])(?!,\s*(?:mode=)?["'][wax])|(?<![\w.])(?:pathlib\.)?Path\(\s*${name}\s*\)\.(?:read_|open\((?!\s*["'][wax]))|(?<![\w.])${name}\.read_(?:text|bytes)\(`,
  ).test(body);
}

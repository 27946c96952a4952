// Follows a number that tags pass to a script: which of the names in the script have it, and what the script adds to it. Pure.
import { executorOf } from '../../../protocol/language/resolve.js';
import { plainText, searchableText, type ScriptState } from '../helpers.js';
import { definitionsIn, readPattern } from '../scripts/program-code.js';

/** An expression with the value of the variable, or with what the script makes of it. */
interface Form {
  readonly pattern: string;
  /** What is added to the variable, for each value that the expression may have; NaN = not known. */
  readonly added: readonly number[];
}

/** A variable of a script that a tag may pass. */
export interface CarriedVariable {
  readonly forms: readonly Form[];
  /** The number that the script takes if no tag passes the variable. */
  readonly fallback?: number;
  /** Where the script reads the variable first. */
  readonly at: number;
}

/** The code of a script, in which the attributes of tags are no assignments. */
export function plainCode(state: ScriptState): string {
  const code = plainText(state);
  if (executorOf(state.file) !== 'bash') return code;
  return code.replace(/<[a-z][a-z-]*\s[^<>\n]*>/g, (tag) => ' '.repeat(tag.length));
}

/** Follows a variable; undefined if the script does not read it, or may give it another value. */
export function carriedVariable(state: ScriptState, name: string): CarriedVariable | undefined {
  const variable = name === 'input' ? 'RAYMOND_INPUT' : name;
  const executor = executorOf(state.file);
  if (executor === 'bash') return inShell(plainCode(state), variable, searchableText(state));
  return executor === 'python' || executor === 'node'
    ? inProgram(plainCode(state), { name: variable, isPython: executor === 'python' })
    : undefined;
}

/** True for a variable that changes in an indented line, perhaps in a loop of the script itself. */
function isNested(code: string): (form: Form) => boolean {
  return ({ pattern, added }) => {
    const name = /(?:\{\?|"'\]\))(\w+)\(/.exec(pattern)?.[1] ?? '';
    const change = String.raw`^[ \t]+[^\n]*?(?<![\w$-])${name}\s*(?:[-+]?=(?!=)|\+\+|--)|^[ \t]+[^\n]*?(?:\+\+|--)${name}\b`;
    return added.length > 1 && new RegExp(change, 'm').test(code);
  };
}

const LOOP = /^[ \t]*(?:for|while|until)\b/m;

/** What a bash script adds to a variable in place. */
function stepsInShell(code: string, name: string): readonly number[] {
  const patterns = [
    String.raw`(?<![\w$-])${name}=["']?\$\(\(\s*${inSum(name)}\s*([+-])\s*(\w+)\s*\)\)`,
    String.raw`\(\(\s*${name}\s*([+-])=\s*(\w+)`,
    String.raw`\(\(\s*${name}([+-])([+-])\s*\)`,
    String.raw`\(\(\s*([+-])([+-])${name}\b`,
    String.raw`\blet\s+["']?${name}\s*(?:=\s*${name}\s*)?([+-])=?\s*(\w+|[+-])`,
    String.raw`(?<![\w$-])${name}=["']?\$\(\s*expr\s+"?\$\{?${name}\}?"?\s*([+-])\s*(\w+)`,
  ];
  return patterns.flatMap((pattern) =>
    [...code.matchAll(new RegExp(pattern, 'g'))].map(([, sign, by = '']) => signed(sign, /^[+-]$/.test(by) ? '1' : by)),
  );
}

function signed(sign: string | undefined, by: string): number {
  const number = /^\d+$/.test(by) ? Number(by) : Number.NaN;
  return sign === '-' ? -number : number;
}

/** All sums of a start and some of the steps: a script may take a step or not. */
function sums(starts: readonly number[], steps: readonly number[]): readonly number[] {
  return [...new Set(starts.flatMap((start) => [start, ...steps.map((step) => start + step)]))];
}

const SHELL_DEFAULT = String.raw`(?::?[-=](?:["']?(-?\d+)["']?|[^{}\n]{0,40})|:?\?[^{}\n]{0,80})?`;

function shellRead(name: string): string {
  return String.raw`\$(?:${name}\b|\{${name}${SHELL_DEFAULT}\})`;
}

function inShell(code: string, name: string, text: string): CarriedVariable | undefined {
  const first = new RegExp(String.raw`${shellRead(name)}|\(\([^\n]{0,80}\b${name}\b`).exec(text);
  if (first === null) return undefined;
  if (isSetOtherwise(code, name)) return undefined;
  const forms = [{ pattern: shellForm(name), added: sums([0], stepsInShell(code, name)) }];
  for (let index = 0; index < forms.length && index < 6; index++) {
    const from = forms[index];
    if (from !== undefined) forms.push(...aliasesInShell(code, { name: nameOf(from), added: from.added, forms }));
  }
  if (LOOP.test(code) && forms.some(isNested(code))) return undefined;
  const given = new RegExp(String.raw`\$\{${name}:?[-=]["']?(-?\d+)`).exec(code)?.[1];
  return { forms, at: first.index, ...(given === undefined ? {} : { fallback: Number(given) }) };
}

function shellForm(name: string): string {
  return String.raw`(?<![\w.-])\$?\{?${name}(?![\w=])${SHELL_DEFAULT.replace('(-?', '(?:-?')}\}?`;
}

function nameOf({ pattern }: Form): string {
  return /\{\?(\w+)\(/.exec(pattern)?.[1] ?? '';
}

/** True if bash gives the variable a value that is neither its own with a default nor a sum with it. */
function isSetOtherwise(code: string, name: string): boolean {
  if (new RegExp(String.raw`\bread\b[^\n;|]*\s${name}\b|\bfor\s+${name}\s+in\b|\bprintf\s+-v\s+${name}\b`).test(code))
    return true;
  const values = [...code.matchAll(new RegExp(String.raw`(?<![\w$-]|\blet ["']?)${name}=([^\n;&]*)`, 'g'))];
  return values.some(
    ([, value = '']) =>
      !new RegExp(String.raw`^["']?\$(?:\{?${name}\b|\(\(\s*${inSum(name)}\s*[+-]|\(\s*expr\s+"?\$\{?${name})`).test(
        value,
      ),
  );
}

/** A variable in `$(( ))`, perhaps with a default. */
function inSum(name: string): string {
  return String.raw`\$?(?:${name}\b|\{${name}${SHELL_DEFAULT.replace('(-?', '(?:-?')}\})`;
}

/** The variables that get the value of another one, or a sum with it, and nothing else. */
function aliasesInShell(
  code: string,
  { name, added, forms }: { readonly name: string; readonly added: readonly number[]; readonly forms: readonly Form[] },
): readonly Form[] {
  const assigned = new RegExp(
    String.raw`(?<![\w$-])(\w+)=(?:["']?${shellRead(name)}["']?|["']?\$\(\(\s*\$?\{?${name}${SHELL_DEFAULT}\}?\s*(?:([+-])\s*(\d+)\s*)?\)\)["']?)[ \t]*(?=$|[;&\n])`,
    'gm',
  );
  return [...code.matchAll(assigned)].flatMap(([, alias = '', , , sign, by]) => {
    if (alias === name || forms.some((form) => nameOf(form) === alias)) return [];
    const all = [...code.matchAll(new RegExp(String.raw`(?<![\w$-])${alias}=`, 'g'))].length;
    const steps = stepsInShell(code, alias);
    const own = [...code.matchAll(new RegExp(String.raw`(?<![\w$-])${alias}=["']?\$\(\(\s*\$?${alias}\b`, 'g'))].length;
    if (all - own !== 1) return [];
    const start = by === undefined ? 0 : signed(sign, by);
    return [
      {
        pattern: shellForm(alias),
        added: sums(
          added.map((one) => one + start),
          steps,
        ),
      },
    ];
  });
}

const NUMBER_CALL = String.raw`(?:(?:int|float|str|Number|parseInt|parseFloat|String)\(\s*|\+\s*)?`;

/** An expression that reads the variable, perhaps as a number and with a default. */
function programRead(name: string, { code, isPython }: { readonly code: string; readonly isPython: boolean }): string {
  const fallback = String.raw`(?:\s*(?:\?\?|\|\||\bor\b)\s*["']?\w*["']?)?`;
  return String.raw`${NUMBER_CALL}\(?\s*${readPattern(name, { code, isPython })}\)?${fallback}\s*(?:,\s*10\s*)?\)?`;
}

function inProgram(
  code: string,
  { name, isPython }: { readonly name: string; readonly isPython: boolean },
): CarriedVariable | undefined {
  const read = programRead(name, { code, isPython });
  const first = new RegExp(read).exec(code);
  const unpacked = isPython ? undefined : unpackedAs(code, name);
  if (first === null && unpacked === undefined) return undefined;
  const forms: Form[] = first === null ? [] : [{ pattern: read, added: [0] }];
  if (unpacked !== undefined)
    forms.push({ pattern: word(unpacked.as), added: sums([0], stepsInProgram(code, unpacked.as)) });
  for (let index = 0; index < forms.length && index < 8; index++) {
    const from = forms[index];
    if (from !== undefined) forms.push(...aliasesInProgram(code, { from, forms, isPython }));
  }
  if (LOOP.test(code) && forms.some(isNested(code))) return undefined;
  const fallback = fallbackIn(code, { name, unpacked: unpacked?.as, isPython });
  return { forms, at: first?.index ?? unpacked?.at ?? 0, ...(fallback === undefined ? {} : { fallback }) };
}

function word(name: string): string {
  return String.raw`(?<![\w.$"'])${name}(?![\w$("'])`;
}

/** `const { round, RAYMOND_INPUT: count = '1' } = process.env`. */
function unpackedAs(code: string, name: string): { readonly as: string; readonly at: number } | undefined {
  for (const { index, 0: whole, 1: list = '' } of code.matchAll(
    /\b(?:const|let|var)\s*\{([^{}]*)\}(?:\s*:[^=\n]{1,60})?\s*=\s*process\.env\b/g,
  )) {
    const entry = new RegExp(String.raw`(?<![\w.])${name}(?:\s*:\s*(\w+))?\s*(?:=[^,]*)?(?:,|$)`).exec(list);
    if (entry !== null) return { as: entry[1] ?? name, at: index + whole.indexOf(name) };
  }
  return undefined;
}

function fallbackIn(
  code: string,
  {
    name,
    unpacked,
    isPython,
  }: { readonly name: string; readonly unpacked: string | undefined; readonly isPython: boolean },
): number | undefined {
  const read = readPattern(name, { code, isPython });
  const own = unpacked === undefined ? read : `(?:${read}|${word(unpacked)})`;
  const patterns = [
    String.raw`${own}\)?\s*(?:\?\?|\|\||\bor\b)\s*["']?(-?\d+)`,
    String.raw`(?:environ\.get|getenv)\(\s*["']${name}["']\s*,\s*["']?(-?\d+)`,
    String.raw`\{[^{}]*(?<![\w.])${name}(?:\s*:\s*\w+)?\s*=\s*["']?(-?\d+)["']?[^{}]*\}[^=\n]*=\s*process\.env`,
  ];
  const found = patterns.map((pattern) => new RegExp(pattern).exec(code)?.[1]).find((one) => one !== undefined);
  return found === undefined ? undefined : Number(found);
}

/** What a program adds to a variable in place. */
function stepsInProgram(code: string, name: string): readonly number[] {
  const own = word(name);
  const patterns = [
    String.raw`${own}\s*([+-])=\s*(\w+)`,
    String.raw`${own}\s*=\s*${own}\s*([+-])\s*(\w+)`,
    String.raw`${own}([+-])([+-])`,
    String.raw`([+-])([+-])${name}\b`,
  ];
  return patterns.flatMap((pattern) =>
    [...code.matchAll(new RegExp(pattern, 'g'))].map(([, sign, by = '']) => signed(sign, /^[+-]$/.test(by) ? '1' : by)),
  );
}

/** The names and functions of a program that have the value of an expression, or a sum with it. */
function aliasesInProgram(
  code: string,
  { from, forms, isPython }: { readonly from: Form; readonly forms: readonly Form[]; readonly isPython: boolean },
): readonly Form[] {
  const value = String.raw`${NUMBER_CALL}(?:${from.pattern})(?:\s*(?:\?\?|\|\||\bor\b)\s*["']?\w*["']?)?\s*(?:,\s*10\s*)?\)?[ \t]*(?:([+-])[ \t]*(\d+)[ \t]*)?`;
  const assigned = String.raw`^[ \t]*(?:(?:const|let|var)[ \t]+)?(\w+)(?:[ \t]*:[ \t]*\w+)?[ \t]*=(?!=)[ \t]*${value};?[ \t]*$`;
  const returned = isPython
    ? String.raw`^[ \t]*def[ \t]+(\w+)\(\)[^\n]{0,30}:[ \t]*\n(?:[ \t]+\w[^\n]*\n)?[ \t]+return[ \t]+${value}$`
    : String.raw`^[ \t]*(?:function[ \t]+|const[ \t]+)(\w+)(?:\([^()\n]{0,20}\)[^\n]{0,20}\{|[ \t]*=[ \t]*\(\)[^\n]{0,20}=>(?:[ \t]*\{)?)\s*(?:return[ \t]+)?${value};?[ \t]*$`;
  return [
    ...named(code, { pattern: assigned, from, forms, form: word }),
    ...named(code, { pattern: returned, from, forms, form: (name) => String.raw`(?<![\w.$])${name}\(\)` }),
  ];
}

function named(
  code: string,
  {
    pattern,
    from,
    forms,
    form,
  }: {
    readonly pattern: string;
    readonly from: Form;
    readonly forms: readonly Form[];
    readonly form: (name: string) => string;
  },
): readonly Form[] {
  return [...code.matchAll(new RegExp(pattern, 'gm'))].flatMap((match) => {
    const [, name = ''] = match;
    const [sign, by] = match.slice(-2);
    const steps = stepsInProgram(code, name);
    const isKnown = forms.some((one) => one.pattern === form(name));
    const own = [...code.matchAll(new RegExp(String.raw`^[ \t]*${name}\s*=\s*${name}\s*[+-]`, 'gm'))].length;
    if (isKnown || definitionsIn(name, code) - own > 1) return [];
    const start = by === undefined ? 0 : signed(sign, by);
    return [
      {
        pattern: form(name),
        added: sums(
          from.added.map((one) => one + start),
          steps,
        ),
      },
    ];
  });
}

/** What a script puts at an offset into a tag: the variable as it is. */
export function isUnchangedAt(
  state: ScriptState,
  { variable: { forms }, offset }: { readonly variable: CarriedVariable; readonly offset: number },
): boolean {
  const rest = state.source.raw.text.slice(offset, offset + 200);
  return forms.some(({ pattern, added }) => {
    if (added.length !== 1 || added[0] !== 0) return false;
    const bare = pattern.replace(String.raw`(?<![\w.$"'])`, '').replace(String.raw`(?<![\w.-])`, '');
    return new RegExp(String.raw`^(?:\$?\{\s*)?${NUMBER_CALL}(?:${bare})\)?(?![\w$]|\s*[-+*/%]\s*\w)`).test(rest);
  });
}

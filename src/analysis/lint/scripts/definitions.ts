// Finds from which definitions of a script a value is made: the expression of the value, the names in it, the names in their definitions, and so
// on, also in the modules that the script imports. Pure.
import type { PositionedText } from '../../position.js';
import { plainText, type ScriptState } from '../helpers.js';
import type { Analysis } from '../rule.js';

/** A statement or function that defines a name. */
export interface Definition {
  readonly name: string;
  readonly text: string;
  readonly at: number;
  /** The file with the definition. */
  readonly raw: PositionedText;
}

/** A value in a script: of an attribute that a text has, or of an attribute in an object, a list or a call. */
export interface ValueExpression {
  readonly at: number;
  readonly text: string;
}

const MOST_DEFINITIONS = 60;
const MOST_CHARACTERS = 3000;

const ASSIGNED = String.raw`^([ \t]*)(?:export[ \t]+)?(?:(?:const|let|var|local|readonly|declare)[ \t]+(?:-\w+[ \t]+)?)?(?:(?:module\.)?exports\.)?([A-Za-z_$][\w$]*)(?:[ \t]*:[^=\n]{1,60})?(?:[ \t]*\+?=(?![=>])|\[[^\]\n]{0,60}\][ \t]*=(?!=)|\.(?:push|append|add|extend|unshift|insert)\()`;
const FUNCTION = String.raw`^([ \t]*)(?:export[ \t]+)?(?:async[ \t]+)?(?:function|def)[ \t]+(\w+)`;
const SHELL_FUNCTION = String.raw`^([ \t]*)(\w+)[ \t]*\(\)[ \t]*\{`;
const UNPACKED = String.raw`^([ \t]*)(?:const|let|var)[ \t]*[{[]([^}\]=\n]{1,200})[}\]][^=\n]{0,60}=(?!=)`;
const EACH = String.raw`()\bfor[ \t]*\(?[ \t]*(?:const[ \t]+|let[ \t]+)?[[{(]?([\w, ]{1,80}?)[\]})]?[ \t]+(?:of|in)[ \t]`;

const HEAD = new RegExp([ASSIGNED, FUNCTION, SHELL_FUNCTION, UNPACKED, EACH].join('|'), 'gm');

/** The definitions of a text, by the names that they define. */
function definitionsIn(code: string, raw: PositionedText): readonly Definition[] {
  return [...code.matchAll(HEAD)].flatMap((match) => {
    const [indent, names = ''] = match.slice(1).filter((group?: string) => group !== undefined);
    const at = match.index;
    const text = statementAt(code, { at, from: at + match[0].length, indent: indent ?? '' });
    return (names.match(/[A-Za-z_$][\w$]*/g) ?? []).map((name) => ({ name, text, at, raw }));
  });
}

/** A statement up to its end: to the end of the line where no bracket is open, and of the lines that are indented more. */
function statementAt(
  code: string,
  { at, from, indent }: { readonly at: number; readonly from: number; readonly indent: string },
): string {
  const isDef = /^[ \t]*(?:async[ \t]+)?def\b/.test(code.slice(at, from));
  const most = Math.min(code.length, at + MOST_CHARACTERS);
  let depth = 0;
  for (let index = at; index < most; index++) {
    const sign = code[index] ?? '';
    if (/[([{]/.test(sign)) depth++;
    else if (/[)\]}]/.test(sign)) depth--;
    else if (sign === '\n' && depth <= 0) {
      const rest = code.slice(index + 1, index + 200);
      const isDeeper = /^(?:[ \t]*\n)?([ \t]+)(?=\S)/.exec(rest)?.[1];
      const continues = /^\s*\./.test(rest) || (isDef && isDeeper !== undefined && isDeeper.length > indent.length);
      if (!continues) return code.slice(at, index);
    }
  }
  return code.slice(at, most);
}

const indexes = new WeakMap<PositionedText, ReadonlyMap<string, readonly Definition[]>>();

function indexOf(code: string, raw: PositionedText): ReadonlyMap<string, readonly Definition[]> {
  const known = indexes.get(raw);
  if (known !== undefined) return known;
  const index = new Map<string, Definition[]>();
  for (const one of definitionsIn(code, raw)) {
    const same = index.get(one.name);
    if (same === undefined) index.set(one.name, [one]);
    else if (same.length < MOST_DEFINITIONS) same.push(one);
  }
  indexes.set(raw, index);
  return index;
}

const IMPORT =
  /\brequire\(\s*["'`]\.{0,2}\/?([\w./-]+)["'`]|\bfrom[ \t]+["']\.{0,2}\/?([\w./-]+)["']|^[ \t]*from[ \t]+([\w.]+)[ \t]+import\b|^[ \t]*import[ \t]+(\w+)/gm;

/** The modules of the package that a script imports, and the file that it sources. */
export function importedFiles(
  { graph }: Pick<Analysis, 'graph'>,
  state: ScriptState,
): readonly { readonly code: string; readonly raw: PositionedText }[] {
  const names = [...plainText(state).matchAll(IMPORT)].map((match) => match.slice(1).find(Boolean) ?? '');
  return [...graph.source.files.values()].flatMap((file) => {
    const isImported = names.some((name) => [name, `${name}.py`, `${name}.js`, `${name}.ts`].includes(file.file));
    return isImported && file.kind === 'script' ? [{ code: plainText({ source: file }), raw: file.raw }] : [];
  });
}

/** All definitions behind an expression of a script. */
export function definitionsBehind(
  analysis: Pick<Analysis, 'graph'>,
  { state, text }: { readonly state: ScriptState; readonly text: string },
): readonly Definition[] {
  const texts = [{ code: plainText(state), raw: state.source.raw }, ...importedFiles(analysis, state)];
  const found: Definition[] = [];
  const seen = new Set<string>();
  const pending = [...namesIn(text)];
  for (let name = pending.pop(); name !== undefined && found.length < MOST_DEFINITIONS; name = pending.pop()) {
    if (seen.has(name)) continue;
    seen.add(name);
    for (const { code, raw } of texts)
      for (const one of indexOf(code, raw).get(name) ?? []) {
        found.push(one);
        pending.push(...namesIn(one.text));
      }
  }
  return found;
}

/** The names in an expression, without the words of its texts and the names that it defines itself. */
function namesIn(text: string): readonly string[] {
  const computed = [...text.matchAll(/\{([^{}]{1,120})\}|\$(\w+)/g)].map(([, braces = '', name = '']) => braces + name);
  const code = text.replace(/"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'/g, ' ');
  const own = new Set([...code.matchAll(OWN_NAMES)].flatMap((match) => match.slice(1).join(' ').match(/\w+/g) ?? []));
  const names = [code, ...computed].flatMap(
    (part) => part.match(/(?<![\w$]|(?<!\.\.)\.)[A-Za-z_][\w$]*|(?<=\$\{?[#!]?)\w+/g) ?? [],
  );
  return names.filter((name) => !own.has(name));
}

/** The parameters of functions within an expression, and the variable of a comprehension. */
const OWN_NAMES =
  /(?<![\w$])(\w+)[ \t]*=>|\(([\w\s,:{}[\]]{1,100})\)(?:[ \t]*:[ \t]*\w+)?[ \t]*=>|\blambda[ \t]+([\w, \t]{1,80}):|(?<=\S[ \t]*)\bfor[ \t]+([\w, \t]{1,80}?)[ \t]+in\b/g;

/** The expressions that a script writes as the value of an attribute: `name="{…}"`, `name: …`, or `name=…`. */
export function valueExpressions(code: string, name: string): readonly ValueExpression[] {
  const heads = code.matchAll(new RegExp(`(?<![\\w-])${name}\\b\\\\?["']?[ \\t]*[:=,][ \\t]*(?![=>])`, 'g'));
  return [...heads].flatMap(({ index, 0: head }) => {
    const text = valueFrom(code.slice(index + head.length, index + head.length + 600));
    return text.trim() === '' ? [] : [{ at: index, text }];
  });
}

/** The value at the beginning of a text: up to the quote that closes it, or to the end of an expression. */
function valueFrom(rest: string): string {
  const quote = /^\\?(["'`])/.exec(rest)?.[1];
  const from = quote === undefined ? 0 : rest.indexOf(quote) + 1;
  let depth = 0;
  for (let index = from; index < rest.length; index++) {
    const sign = rest[index] ?? '';
    if (/[([{]/.test(sign)) depth++;
    else if (depth > 0 && /[)\]}]/.test(sign)) depth--;
    else if (depth === 0 && (quote === undefined ? /[,;)\]}\n]/.test(sign) : sign === quote || sign === '\n'))
      return quote !== undefined && isPart(rest.slice(index + 1))
        ? rest.slice(0, endOf(rest, index + 1))
        : rest.slice(from, index);
  }
  return '';
}

/** True for what makes a quoted text a part of an expression. */
function isPart(after: string): boolean {
  return /^[ \t]*(?:\.(?:join|format)\(|\+|%[ \t])/.test(after);
}

/** The end of an expression that begins before an offset. */
function endOf(text: string, from: number): number {
  let depth = 0;
  for (let index = from; index < text.length; index++) {
    const sign = text[index] ?? '';
    if (/[([{]/.test(sign)) depth++;
    else if (/[)\]}]/.test(sign) && --depth < 0) return index;
    else if (depth === 0 && /[,;\n]/.test(sign)) return index;
  }
  return text.length;
}

// The values that calls of the libraries of Python and Node.js give: of the environment, of JSON, of files, of texts, lists and objects. Pure.
import {
  FILE,
  itemsOf,
  PARSED,
  UNKNOWN,
  UNKNOWN_ATOM,
  type Atom,
  type Evaluator,
  type Frame,
  type Value,
} from './atoms.js';
import { bindingsOf, dottedName, functionNamed, type CallTerm, type Term } from './terms.js';

interface CallContext {
  readonly evaluation: Evaluator;
  readonly frame: Frame | undefined;
}

/** The value of a call of a function that the program does not define. */
export function calledValue(call: CallTerm, context: CallContext): Value {
  const { evaluation, frame } = context;
  const { callee, args } = call;
  const name = dottedName(callee, evaluation.terms.imported);
  const given = args.map((arg) => () => evaluation.valueOf(arg, frame));
  const first = given[0] ?? ((): Value => UNKNOWN);
  const known = name === undefined ? undefined : ofLibrary(name, { call, first, context });
  if (known !== undefined) return known;
  if (callee.kind !== 'member' || callee.key.kind !== 'text') return UNKNOWN;
  return ofMethod(callee.key.text, { call, base: evaluation.valueOf(callee.base, frame), context });
}

interface LibraryCall {
  readonly call: CallTerm;
  readonly first: () => Value;
  readonly context: CallContext;
}

/** Functions that give what they get: a path as an object, an open file, or its text. */
const KEEPS =
  /^(?:open|io\.open|Path|pathlib\.Path|str|String|readFileSync|fs\.readFileSync|fs\.promises\.readFile|fs\/promises\.readFile|promises\.readFile|codecs\.open|list|tuple|sorted|reversed|set|frozenset|iter|Set|Array\.from|structuredClone|copy\.copy|copy\.deepcopy)$/;

function ofLibrary(name: string, { call, first, context }: LibraryCall): Value | undefined {
  const { at } = call;
  if (/^(?:os\.)?getenv$/.test(name)) return fromEnvironment(first());
  if (/^json\.loads?$|^JSON\.parse$/.test(name)) {
    const file = call.args[0] && fileOf(call.args[0]);
    return first().map((atom) => parsed(atom, { at, file }));
  }
  if (/^json\.dumps$|^JSON\.stringify$/.test(name)) return [jsonText(call, { of: first(), context })];
  if (name === 'str' || name === 'String') return asText(first(), context);
  if (KEEPS.test(name)) return first();
  if (/^(?:collections\.)?(?:Counter|OrderedDict|defaultdict)$/.test(name))
    return [{ kind: 'object', keys: new Set(), field: () => undefined, isOpen: true, at }];
  if (name === 'dict') return [objectOf(call, context)];
  if (name === 'Map') return first().flatMap((atom) => mapOf(atom, at));
  if (name === 'Object.entries') return first().map((atom) => entriesOf(atom));
  if (name === 'Object.values') return first().map((atom) => listOf(() => valuesOf(atom), at));
  if (name === 'Object.keys') return first().map((atom) => listOf(() => itemsOf([atom]), at));
  if (name === 'enumerate') return first().map((atom) => pairs({ first: UNKNOWN, second: () => itemsOf([atom]), at }));
  const [, other] = call.args;
  if (name === 'zip' && other !== undefined && call.args.length === 2) {
    const second = (): Value => itemsOf(context.evaluation.valueOf(other, context.frame));
    return [pairs({ first: itemsOf(first()), second, at })];
  }
  if (name === 'map' && call.args[1] !== undefined) {
    const list = context.evaluation.valueOf(call.args[1], context.frame);
    return mapped(call.args[0], { list, at, context });
  }
  return undefined;
}

/** Functions whose value is a number. */
const NUMBERS =
  /^(?:len|int|float|sum|round|abs|Number|parseInt|parseFloat|Math\.\w+|os\.path\.getsize|Date\.now|time\.time)$/;

function jsonText(
  { args, at }: CallTerm,
  { of, context }: { readonly of: Value; readonly context: CallContext },
): Atom {
  const [term] = args;
  const name = term?.kind === 'call' ? dottedName(term.callee, context.evaluation.terms.imported) : undefined;
  const isNumber = term?.kind === 'number' || (name !== undefined && NUMBERS.test(name));
  const isOpaque = term === undefined || term.kind === 'other' || (term.kind === 'name' && isUnknown(of));
  return { kind: 'json-text', of, mayBeNumber: isNumber || (isOpaque && isUnknown(of)), at };
}

function isUnknown(value: Value): boolean {
  return value.every((atom) => atom.kind === 'unknown' || (atom.kind === 'json' && atom.of.startsWith(FILE)));
}

/** The JSON file that an expression opens or reads, by the text at the end of its path. */
function fileOf(term: Term, steps = 12): string | undefined {
  if (steps === 0) return undefined;
  const inner = (one: Term | undefined): string | undefined => one && fileOf(one, steps - 1);
  switch (term.kind) {
    case 'text':
      return /(?<![^/\\])[\w-][\w.-]*\.(?:jsonl?|ndjson)$/.exec(term.text)?.[0];
    case 'join':
      return inner(term.parts.at(-1));
    case 'name': {
      const [only, ...others] = bindingsOf(term) ?? [];
      return others.length === 0 ? inner(only?.term) : undefined;
    }
    case 'item':
      return inner(term.of);
    case 'parameter':
      return term.of.items.length === 1 && term.of.calls.length === 0 ? inner(term.of.items[0]) : undefined;
    case 'member':
      return inner(term.key) ?? inner(term.base);
    case 'call':
      return inner(term.callee) ?? term.args.map(inner).find((name) => name !== undefined);
    default:
      return undefined;
  }
}

function fromEnvironment(keys: Value): Value {
  return keys.map((key) =>
    key.kind === 'text' ? { kind: 'variable', name: key.text, at: key.at } : { kind: 'unknown' },
  );
}

/** The text of a list or an object is that of the language, which is none of these. */
function asText(value: Value, { evaluation }: CallContext): Value {
  const isPrinted = ({ kind }: Atom): boolean => kind === 'object' || kind === 'list';
  return evaluation.terms.isPython || !value.some(isPrinted) ? value : UNKNOWN;
}

function parsed(atom: Atom, { at, file }: { readonly at: number; readonly file: string | undefined }): Atom {
  if (atom.kind === 'json-text' && atom.of.length === 1) return atom.of[0] ?? { kind: 'unknown' };
  // A text of JSON within JSON, such as the result of an agent.
  if (atom.kind === 'json' && atom.path.length > 0) return { ...atom, path: [...atom.path, PARSED], at };
  if (atom.kind !== 'variable')
    return file === undefined ? UNKNOWN_ATOM : { kind: 'json', of: FILE + file, path: [], at };
  return { kind: 'json', of: atom.name.replace(/^(RAYMOND_(?:INPUT|RESULT))_FILE$/, '$1'), path: [], at };
}

/** `dict(a=1)`. */
function objectOf({ named, args, at }: CallTerm, { evaluation, frame }: CallContext): Atom {
  const field = (key: string): Value | undefined => {
    const value = named.get(key);
    return value === undefined ? undefined : evaluation.valueOf(value, frame);
  };
  return { kind: 'object', keys: new Set(named.keys()), field, isOpen: args.length > 0, at };
}

/** `new Map([['a', 1]])`. */
function mapOf(atom: Atom, at: number): Value {
  const fields = new Map<string, Value>();
  let isOpen = atom.kind !== 'list' || atom.isOpen;
  for (const pair of atom.kind === 'list' ? atom.items() : []) {
    const [key, value] = pair.kind === 'list' ? [pair.part(0) ?? [], pair.part(1) ?? UNKNOWN] : [[], UNKNOWN];
    for (const text of key) if (text.kind === 'text') fields.set(text.text, value);
    if (key.length === 0 || key.some(({ kind }) => kind !== 'text')) isOpen = true;
  }
  return [{ kind: 'object', keys: new Set(fields.keys()), field: (key) => fields.get(key), isOpen, at }];
}

function listOf(items: () => Value, at: number): Atom {
  return { kind: 'list', items, part: () => undefined, isOpen: true, at };
}

function pairs({
  first,
  second,
  at,
}: {
  readonly first: Value;
  readonly second: () => Value;
  readonly at: number;
}): Atom {
  const part = (index: number): Value | undefined => (index === 0 ? first : index === 1 ? second() : undefined);
  const pair: Atom = { kind: 'list', items: () => [...first, ...second()], part, isOpen: false, at };
  return listOf(() => [pair], at);
}

function valuesOf(atom: Atom): Value {
  if (atom.kind === 'json') return [{ ...atom, path: [...atom.path, '*'] }];
  if (atom.kind !== 'object') return UNKNOWN;
  const values = [...atom.keys].flatMap((key) => atom.field(key) ?? UNKNOWN);
  return atom.isOpen ? [...values, ...UNKNOWN] : values;
}

/** The pairs of keys and values of an object. */
function entriesOf(atom: Atom): Atom {
  if (atom.kind !== 'object') return { kind: 'unknown' };
  return pairs({ first: itemsOf([atom]), second: () => valuesOf(atom), at: atom.at });
}

interface MethodCall {
  readonly call: CallTerm;
  readonly base: Value;
  readonly context: CallContext;
}

const KEEPS_TEXT =
  /^(?:r?strip|lstrip|trim|trimEnd|trimStart|toString|lower|toLowerCase|read|read_text|open|readFile|text)$/;
const MAKES_TEXT =
  /^(?:replace|replaceAll|upper|toUpperCase|title|capitalize|padStart|padEnd|ljust|rjust|isoformat|toISOString|strftime|substring|removeprefix|removesuffix|group|toLocaleString|toFixed|as_posix)$/;
const KEEPS_LIST = /^(?:filter|slice|sort|toSorted|reverse|toReversed|concat|copy|values|splice)$/;

function ofMethod(name: string, { call, base, context }: MethodCall): Value {
  const { args, at } = call;
  const { evaluation, frame } = context;
  const first = (): Value => (args[0] === undefined ? UNKNOWN : evaluation.valueOf(args[0], frame));
  if (name === 'get' || name === 'pop') return base.flatMap((atom) => ofKey(atom, first()));
  if (name === 'items' || name === 'entries') return base.map(entriesOf);
  if (name === 'values' && base.every(({ kind }) => kind === 'object'))
    return base.map((atom) => listOf(() => valuesOf(atom), at));
  if (name === 'keys') return base.map((atom) => listOf(() => itemsOf([atom]), at));
  if (name === 'map') return mapped(args[0], { list: base, at, context });
  if (/^(?:find|findLast|at)$/.test(name)) return itemsOf(base);
  if (name === 'join') {
    // In Python, the separator has the method.
    const lists = evaluation.terms.isPython ? first() : base;
    return lists.flatMap((atom) => (atom.kind === 'list' ? textsOf(atom.items()) : UNKNOWN));
  }
  if (KEEPS_TEXT.test(name)) return base.map(kept);
  if (MAKES_TEXT.test(name)) return [{ kind: 'some-text' }];
  if (KEEPS_LIST.test(name)) return base.flatMap((atom) => (isListed(atom) ? [atom] : UNKNOWN));
  return UNKNOWN;
}

/** The texts that a joined text has in it. */
function textsOf(items: Value): Value {
  return items.some(({ kind }) => kind === 'composed') ? items : UNKNOWN;
}

function kept(atom: Atom): Atom {
  return atom.kind === 'variable' || atom.kind === 'json' || atom.kind === 'text' ? atom : { kind: 'some-text' };
}

function isListed({ kind }: Atom): boolean {
  return kind === 'list' || kind === 'json';
}

/** `object.get(key)`. */
function ofKey(atom: Atom, keys: Value): Value {
  if (atom.kind === 'environment') return fromEnvironment(keys);
  return keys.flatMap((key): Value => {
    if (atom.kind === 'json' && key.kind === 'text') return [{ ...atom, path: [...atom.path, key.text] }];
    if (atom.kind !== 'object') return UNKNOWN;
    return key.kind === 'text' ? (atom.field(key.text) ?? UNKNOWN) : valuesOf(atom);
  });
}

/** What a function makes of each item of a list. */
function mapped(
  term: Term | undefined,
  { list, at, context }: { readonly list: Value; readonly at: number; readonly context: CallContext },
): Value {
  const body = term === undefined ? undefined : functionNamed(term);
  if (body === undefined) return UNKNOWN;
  const { evaluation, frame } = context;
  return [listOf(() => evaluation.applied(body, { args: [itemsOf(list)], frame }), at)];
}

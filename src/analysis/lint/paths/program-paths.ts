// Follows the paths of files through a Python or JavaScript program: what its strings, joins and variables make of them, and which calls read,
// list or write them. Pure.
import type { Expression, Program, Step } from '../../program/program.js';
import { COMPUTED } from '../../shell/words.js';
import { joinedPath, UNKNOWN, type PathUse } from './path.js';

type Call = Expression & { readonly kind: 'call' };

/** Deeper values are not followed. */
const MAX_DEPTH = 10;

/** The paths that the calls of a program use. */
export function programPaths(program: Program): readonly PathUse[] {
  const reading = new ProgramPathReading(program);
  return reading.calls.flatMap((call) => reading.usesOf(call));
}

/** Modules whose functions get a path, in contrast to paths that have methods. */
const MODULE =
  /^(?:fs|fsp|fs\.promises|promises|os|os\.path|path|path\.posix|glob|shutil|pathlib|io|json|codecs|gzip|csv|pd|pandas|np|numpy|Image|tarfile|zipfile|Deno|Bun)$/;

const ENVIRONMENT =
  /^(?:process\.env\.(\w+)|process\.env\[["'](\w+)["']\]|(?:os\.)?environ\[["'](\w+)["']\])(?:!| as string)?$/;

class ProgramPathReading {
  readonly calls: Call[] = [];
  private readonly values = new Map<string, Expression[]>();
  private readonly found = new Map<string, string>();
  private readonly unpacked = new Map<string, string>();

  constructor(private readonly program: Program) {
    this.visitSteps(program.steps);
    for (const { body } of program.functions.values()) this.visitSteps(body);
    for (const [, names = ''] of program.text.matchAll(/\{([^{}]{0,500})\}\s*=\s*process\.env\b/g))
      for (const part of names.split(',')) {
        const [, name = '', alias = name] = /^\s*(\w+)\s*(?::\s*(\w+))?/.exec(part) ?? [];
        if (name !== '') this.unpacked.set(alias, name);
      }
  }

  private visitSteps(steps: readonly Step[]): void {
    for (const step of steps) this.visitStep(step);
  }

  private visitStep(step: Step): void {
    if ('value' in step) this.visit(step.value);
    if ('test' in step) this.visit(step.test);
    if ('subject' in step) this.visit(step.subject);
    if ('body' in step) this.visitSteps(step.body);
    if ('branches' in step) this.visitBranches(step.branches);
    if ('handlers' in step) this.visitBranches(step.handlers);
    if ('otherwise' in step) this.visitSteps(step.otherwise);
    if ('last' in step) this.visitSteps(step.last);
  }

  private visitBranches(branches: (Step & { readonly kind: 'choice' })['branches']): void {
    for (const { test, body } of branches) {
      if (test !== undefined) this.visit(test);
      this.visitSteps(body);
    }
  }

  private visit(expression: Expression): void {
    switch (expression.kind) {
      case 'text':
      case 'name':
        return;
      case 'join':
      case 'other':
        return expression.parts.forEach((part) => this.visit(part));
      case 'either':
        return [expression.test, expression.then, expression.otherwise].forEach((part) => this.visit(part));
      case 'maybe':
        return [expression.left, expression.right].forEach((part) => this.visit(part));
      case 'function':
        return this.visitSteps(expression.body.body);
      case 'set':
        this.values.set(expression.name, [...(this.values.get(expression.name) ?? []), expression.value]);
        return this.visit(expression.value);
      case 'call':
        this.calls.push(expression);
        if (expression.receiver !== undefined) this.visit(expression.receiver);
        return [...expression.args, ...expression.named.values()].forEach((part) => this.visit(part));
    }
  }

  /** The path that an expression stands for, with `UNKNOWN` in the place of what is not known. */
  private pathOf(expression: Expression | undefined, depth = 0): string {
    if (expression === undefined || depth > MAX_DEPTH) return UNKNOWN;
    const next = (part: Expression | undefined): string => this.pathOf(part, depth + 1);
    const text = this.textOf(expression).replace(/^\$?\{\s*|\s*\}$/g, '');
    const variable = ENVIRONMENT.exec(text)?.slice(1).find(Boolean);
    if (variable !== undefined) return `{${variable}}`;
    switch (expression.kind) {
      case 'text':
        return expression.text.text.replaceAll(COMPUTED, UNKNOWN);
      case 'join':
        return expression.parts.map(next).join('');
      case 'name':
        return this.valueOf(expression.name, depth);
      case 'set':
        return next(expression.value);
      case 'maybe':
        return next(expression.left);
      case 'call':
        return this.pathOfCall(expression, depth);
      case 'other': {
        const [left, right, ...others] = expression.parts;
        if (left !== undefined && right === undefined) return this.isWrapped(expression, left) ? next(left) : UNKNOWN;
        const isJoin = others.length === 0 && left !== undefined && right !== undefined;
        const sign = isJoin ? this.program.text.slice(left.end, right.at).replace(/[\s()]/g, '') : '';
        return sign === '/' ? joinedPath([next(left), next(right)]) : UNKNOWN;
      }
      default:
        return UNKNOWN;
    }
  }

  /** True for a value with nothing around it but parentheses or the `!` of TypeScript. */
  private isWrapped(outer: Expression, inner: Expression): boolean {
    const { text } = this.program;
    return /^[\s()!]*$/.test(text.slice(outer.at, inner.at) + text.slice(inner.end, outer.end));
  }

  private textOf({ at, end }: Expression): string {
    return end - at > 200 ? '' : this.program.text.slice(at, end).trim();
  }

  /** The value of a variable that has only one, or of a parameter for which all calls give the same. */
  private valueOf(name: string, depth: number): string {
    const [base = '', ...members] = name.split('.');
    const variable = ENVIRONMENT.exec(name)?.slice(1).find(Boolean);
    if (variable !== undefined) return `{${variable}}`;
    if (members.length > 0) return UNKNOWN;
    const unpacked = this.unpacked.get(base);
    if (unpacked !== undefined) return `{${unpacked}}`;
    return this.once(base, () => this.valueOfVariable(base, depth));
  }

  /** Finds a value once; while it is being found, it is not known. */
  private once(name: string, find: () => string): string {
    const known = this.found.get(name);
    if (known !== undefined) return known;
    this.found.set(name, UNKNOWN);
    const value = find();
    this.found.set(name, value);
    return value;
  }

  private valueOfVariable(base: string, depth: number): string {
    const owners = [...this.program.functions].filter(([, { params }]) => params.includes(base));
    const set = this.values.get(base) ?? [];
    const [value] = set;
    const [first, ...others] = owners;
    if (first === undefined) return set.length === 1 ? this.pathOf(value, depth + 1) : UNKNOWN;
    if (set.length > 0 || others.length > 0) return UNKNOWN;
    const [owner, { params }] = first;
    const index = params.indexOf(base);
    const calls = this.calls.filter(({ name: called }) => called === owner);
    return single(calls.map(({ args, named }) => this.pathOf(named.get(base) ?? args[index], depth + 1)));
  }

  /** Where the path in a variable is put together. */
  private madeAt(expression: Expression | undefined): number | undefined {
    let found: number | undefined;
    let next = expression;
    for (let depth = 0; next?.kind === 'name' && depth < MAX_DEPTH; depth++) {
      const values: readonly Expression[] = this.values.get(next.name) ?? [];
      const [value] = values;
      if (value === undefined || values.length > 1 || /^\{\w+\}$/.test(this.pathOf(value))) return found;
      found = value.at;
      next = value;
    }
    return found;
  }

  private pathOfCall({ name, receiver, args }: Call, depth: number): string {
    const next = (part: Expression | undefined): string => this.pathOf(part, depth + 1);
    const { base, method } = partsOf(name);
    if (/^(?:getenv|environ\.get|os\.environ\.get)$/.test(name.replace(/^os\./, ''))) return environmentOf(args[0]);
    if (/^(?:String|str|fspath|Path|PurePath|PosixPath)$/.test(method) && (base === '' || MODULE.test(base)))
      return args.length === 0 ? '' : joinedPath(args.map(next));
    const isModule = receiver === undefined ? base === '' || MODULE.test(base) : MODULE.test(this.textOf(receiver));
    if (method === 'join' && isModule) return joinedPath(args.map(next));
    if (/^(?:joinpath|resolve|absolute|as_posix|toString|expanduser)$/.test(method) && !isModule) {
      const from = receiver === undefined ? this.valueOf(base, depth + 1) : next(receiver);
      return method === 'joinpath' ? joinedPath([from, ...args.map(next)]) : from.startsWith('{') ? from : UNKNOWN;
    }
    const called = this.program.functions.get(name);
    const [first, ...more] = called?.body ?? [];
    if (called === undefined || first?.kind !== 'return' || more.length > 0) return UNKNOWN;
    return this.once(`${name}()`, () => next(first.value));
  }

  /** What a call does with the paths that it gets. */
  usesOf(call: Call): readonly PathUse[] {
    const { name, receiver, args, named, at } = call;
    const { base, method } = partsOf(name);
    const isModule = receiver === undefined ? base === '' || MODULE.test(base) : MODULE.test(this.textOf(receiver));
    const isMethod = !isModule;
    const own = receiver === undefined ? this.valueOf(base, 0) : this.pathOf(receiver);
    const given = args.map((arg) => this.pathOf(arg));
    const [first = UNKNOWN, second = UNKNOWN] = given;
    const madeAt = this.madeAt(isMethod ? (receiver ?? { at, end: at, kind: 'name', name: base }) : args[0]);
    const use = (kind: PathUse['kind'], path: string): readonly PathUse[] => [
      { kind, path, at, ...(madeAt === undefined ? {} : { madeAt }) },
    ];
    if (/^r?glob$/.test(method) && isMethod)
      return use('list', joinedPath([own, method === 'rglob' ? '**' : '', first]));
    if (LISTS.test(method)) {
      const isDeep = method === 'walk' || args.slice(1).some((arg) => /recursive/.test(this.textOf(arg)));
      const folder = isMethod ? own : given.length === 0 ? '' : first;
      return use('list', isDeep ? joinedPath([folder, '**']) : folder);
    }
    if (TESTS.test(method)) return use('test', isMethod ? own : first);
    // A text has a method of this name too, with two arguments.
    if (method === 'replace' && isMethod && args.length > 1) return [];
    if (COPIES.test(method))
      return [...use('read', isMethod ? own : first), ...use('write', isMethod ? first : second)];
    if (method === 'open') {
      const mode = this.textOf(
        named.get('mode') ?? args[isMethod ? 0 : 1] ?? { ...call, kind: 'other', parts: [], end: at },
      );
      return use(/^["'][wax]/.test(mode) ? 'write' : 'read', isMethod ? own : first);
    }
    if (READS.test(method))
      return use('read', isMethod && args.length === 0 ? own : isMethod && own !== UNKNOWN ? own : first);
    if (WRITES.test(method)) return use('write', isMethod ? own : first);
    if (NEUTRAL.test(method) || this.program.functions.has(name)) return [];
    const texts = [...args, ...named.values()].map((arg) => this.pathsWithin(arg)).flat();
    return texts.filter((path) => /[{/]/.test(path)).flatMap((path) => use('unknown', path));
  }

  /** The paths in an argument, also in a list. */
  private pathsWithin(expression: Expression): readonly string[] {
    const path = this.pathOf(expression);
    if (path !== UNKNOWN || expression.kind !== 'other') return [path];
    return expression.parts.flatMap((part) => this.pathsWithin(part));
  }
}

const LISTS = /^(?:readdir(?:Sync)?|listdir|scandir|walk|opendir(?:Sync)?|i?glob(?:Sync)?|iterdir)$/;
const TESTS =
  /^(?:exists(?:Sync)?|is_?file|is_?dir|l?stat(?:Sync)?|access(?:Sync)?|getsize|rm(?:Sync|dir|tree|dirSync)?|unlink(?:Sync)?|remove)$/;
const COPIES = /^(?:copyFile(?:Sync)?|cp(?:Sync)?|copy2?|copyfile|copytree|move|rename(?:Sync)?|replace)$/;
const READS = /^(?:readFile(?:Sync)?|createReadStream|read_\w+|loadtxt|fromfile)$/;
const WRITES =
  /^(?:(?:write|append)File(?:Sync)?|createWriteStream|write_\w+|touch|mkdir(?:Sync)?|makedirs|mkdtemp(?:Sync)?|symlink\w*)$/;
/** Calls that only make values of their arguments. */
const NEUTRAL =
  /^(?:join|joinpath|Path|PurePath|String|str|Number|int|len|sorted|list|basename|dirname|relative|extname|parse|dumps?|loads?|stringify|print|log|error|push|append|format|map|filter|sort|test|exec|exit|require|get|getenv|split|strip|trim|replaceAll|fspath|with_suffix|with_name|relative_to|startswith|endswith|startsWith|endsWith|includes|fullmatch|match|sub|write)$/;

function partsOf(name: string): { readonly base: string; readonly method: string } {
  const at = name.lastIndexOf('.');
  return { base: at < 0 ? '' : name.slice(0, at), method: name.slice(at + 1) };
}

function environmentOf(name: Expression | undefined): string {
  const text = name?.kind === 'join' && name.parts.length === 1 ? name.parts[0] : name;
  return text?.kind === 'text' ? `{${text.text.text}}` : UNKNOWN;
}

function single(paths: readonly string[]): string {
  const [path = UNKNOWN, ...others] = new Set(paths);
  return others.length === 0 ? path : UNKNOWN;
}

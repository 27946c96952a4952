// What expressions do to a path of a program: print, assign, call a function, end the program, or hand text to another program.
import type { TracedText } from '../position.js';
import { ended, EXIT_CODE, lineOf, RETURNED, runsPerItem, withValue, type Call } from './effects.js';
import { CALLED_IN_PLACE, UNKNOWN_CALL } from './node.js';
import { atUse, computedText, joinedTag, namesOf, relevantFunctions } from './program.js';
import type { Expression, Program, ProgramFunction, Step } from './program.js';
import { chosen, distinct, exiting, exitStatus, printsTag, together } from '../script/path.js';
import { wordsIn, type Branch, type Path } from '../script/path.js';

/** A path after an expression, and the value of the expression. */
interface Valued {
  readonly path: Path;
  readonly value: TracedText;
}

/** More paths, and deeper calls, are not followed. */
const MAX_PATHS = 64;
const MAX_CALLS = 12;

/** What prints a tag, or a value that may be one, or ends a path. */
const ENDS =
  /<[a-z/]|\\x3c|\b(?:exit|quit|abort|return|raise|throw|break|continue|exitCode|SystemExit)\b|\b(?:print|console\.log|console\.info|stdout\.write)\(\s*(?![fr]?["'`])[a-z_]/i;

/** Follows expressions; `steps` follows statements. */
export abstract class ProgramExpressions {
  protected isComplete: boolean;
  private calls = 0;
  protected readonly misdirected: TracedText[] = [];
  /** Calls whose texts go to stderr or to a file. */
  protected readonly redirected: Call[] = [];
  /** The functions that print a tag or may end the program, also by others that they call. */
  private readonly relevant: ReadonlySet<string>;
  private readonly tracked: (name: string) => boolean;

  constructor(protected readonly program: Program) {
    this.isComplete = program.isRead;
    this.relevant = relevantFunctions(program);
    const printed = [...program.text.matchAll(/^.*(?:<|print|write|log|return|exit).*$/gm)].join('\n');
    const words = new Set(printed.match(/[A-Za-z_$][\w$]*/g));
    this.tracked = (name) => words.has(name) || name === EXIT_CODE;
  }

  protected abstract steps(steps: readonly Step[], from: readonly Path[]): readonly Path[];

  protected each(paths: readonly Path[], next: (path: Path) => readonly Path[]): readonly Path[] {
    const all = distinct(paths.flatMap((path) => (path.end === 'next' ? next(path) : [path])));
    if (all.length <= MAX_PATHS) return all;
    this.isComplete = false;
    return all.slice(0, MAX_PATHS);
  }

  /** A literal without the values of its variables. */
  protected literal(literal: Expression): TracedText {
    if (literal.kind === 'text') return literal.text;
    if (literal.kind === 'join') return together(literal.parts.map((part) => this.literal(part)));
    return computedText(literal.at);
  }

  protected matters({ at, end }: { readonly at: number; readonly end: number }): boolean {
    const text = this.program.text.slice(at, end);
    return ENDS.test(text) || this.callsRelevant({ at, end }) || this.assigns(text);
  }

  private assigns(text: string): boolean {
    return [...text.matchAll(/([A-Za-z_$][\w$]*)\s*(?:\+?=(?![=>])|\+\+|--)/g)].some(([, name = '']) =>
      this.tracked(name),
    );
  }

  /** The path after the calls in a passage that is not followed. */
  protected opened({ at, end }: { readonly at: number; readonly end: number }, path: Path): Path {
    const text = this.program.text.slice(at, end);
    const isOpen =
      /os\.system|inherit|Popen|subprocess\.(?:run|call|check_call)(?![^]*(?:capture_output|stdout=))/.test(text);
    return { ...path, isOpen: path.isOpen || isOpen };
  }

  protected textOf(part: Expression | undefined): string {
    return part === undefined ? '' : this.program.text.slice(part.at, part.end);
  }

  protected assignedIn({ at, end }: Step): readonly string[] {
    const text = this.program.text.slice(at, end);
    return [...text.matchAll(/([A-Za-z_$][\w$]*)\s*(?:[-+*/]?=(?!=)|\+\+|--|\b(?:in|of)\b)/g)].map(
      ([, name = '']) => name,
    );
  }

  /** Whether a function prints a tag, or may end the program. */
  private isRelevant(expression: Expression): boolean {
    return /<[a-z/]|exit/i.test(this.textOf(expression)) || this.callsRelevant(expression);
  }

  private isNamed({ at }: Expression): boolean {
    return [...this.program.functions.values()].some((body) => body.at === at);
  }

  private callsRelevant(range: Pick<Expression, 'at' | 'end'>): boolean {
    return namesOf(this.program.text.slice(range.at, range.end)).some((name) => this.relevant.has(name));
  }

  protected exit(value: Expression | undefined, path: Path): readonly Path[] {
    if (value === undefined) return [ended(exiting(path, path.endsAt), 'true')];
    return this.valued(value, path).map(({ path: valued, value: code }) => {
      if (valued.end !== 'next') return valued;
      const after = this.exitingWith(value, { path: valued, code: code.text });
      if (value.kind === 'name' && /^(?:None|undefined)$/.test(value.name)) return ended(after, 'true');
      if (value.kind === 'call' && after.returned === undefined && this.relevant.has(value.name))
        return ended(after, 'true');
      if (code.text === '0' && value.kind === 'text') return ended(exiting(after, after.endsAt), 'true');
      if (/^-?\d+$/.test(code.text)) return ended(after, exitStatus(code.text.replace('-', ''), 'true'));
      // Python prints a text on stderr, and fails.
      if (value.kind === 'text' || value.kind === 'join') return ended(after, 'false');
      return { ...ended(after, 'maybe'), isOpen: true };
    });
  }

  /** The path with its exit code, if that may be another than 0. */
  private exitingWith(value: Expression, { path, code }: { readonly path: Path; readonly code: string }): Path {
    const isCall = value.kind === 'call' && this.relevant.has(value.name);
    const range = isCall ? path.returned : value;
    const isKnown = /^-?\d+$/.test(code);
    if (range === undefined || (isKnown && Number(code) % 256 === 0)) return { ...path, exit: undefined };
    return { ...path, exit: { at: range.at, end: range.end, isKnown, printed: path.chunks.length } };
  }

  protected paths(expression: Expression, path: Path): readonly Path[] {
    return this.valued(expression, path).map((valued) => valued.path);
  }

  /** Continues after each of the paths of an expression. */
  private then(from: readonly Valued[], next: (valued: Valued) => readonly Valued[]): readonly Valued[] {
    const all = from.flatMap((valued) => (valued.path.end === 'next' ? next(valued) : [valued]));
    if (all.length <= MAX_PATHS) return all;
    this.isComplete = false;
    return all.slice(0, MAX_PATHS);
  }

  protected valued(expression: Expression, path: Path): readonly Valued[] {
    const unknown = { path, value: computedText(expression.at) };
    switch (expression.kind) {
      case 'text':
        return [{ path, value: expression.text }];
      case 'name':
        return [{ path, value: atUse(path.values.get(expression.name), expression.at) ?? unknown.value }];
      case 'function':
        // Whether and when it runs is not known.
        if (this.isRelevant(expression) && !this.isNamed(expression)) this.isComplete = false;
        return [unknown];
      case 'join':
        return this.all(expression.parts, path).map(({ path: after, values }) => ({
          path: after,
          value: joinedTag(values, (index) => expression.parts[index]?.kind === 'either'),
        }));
      case 'other':
        return this.all(expression.parts, path).map(({ path: after }) => ({ ...unknown, path: after }));
      case 'set':
        return this.valued(expression.value, path).map(({ path: after, value }) => ({
          value,
          path: this.assigned(expression, { path: after, value }),
        }));
      case 'either':
      case 'maybe':
        return this.conditional(expression, path);
      case 'call':
        return this.call(expression, path);
    }
  }

  private assigned({ name, value: given }: Expression & { readonly kind: 'set' }, { path, value }: Valued): Path {
    if (!this.tracked(name)) return path;
    const after = withValue(path, { name, value });
    return name === EXIT_CODE ? this.exitingWith(given, { path: after, code: value.text }) : after;
  }

  private conditional(expression: Expression & { readonly kind: 'either' | 'maybe' }, path: Path): readonly Valued[] {
    const isEither = expression.kind === 'either';
    const [test, then] = isEither ? [expression.test, expression.then] : [expression.left, expression.right];
    return this.then(this.valued(test, path), ({ path: tested, value }) => {
      if (!this.matters(expression) && !isEither) return [{ path: tested, value: computedText(expression.at) }];
      const first = this.valued(then, tested);
      const second = isEither ? this.valued(expression.otherwise, tested) : [{ path: tested, value }];
      const words = wordsIn(this.textOf(test));
      const marked = (side: readonly Valued[], other: readonly Valued[], at: number): readonly Valued[] => {
        const branches = [
          { at, isBranch: isEither, paths: side.map((one) => one.path) },
          { at, isBranch: true, paths: other.map((one) => one.path) },
        ];
        const paths = chosen(tested, { branches, words });
        return side.map((one, index) => ({ ...one, path: paths[index] ?? one.path }));
      };
      const at = isEither ? expression.otherwise.at : expression.at;
      return [...marked(first, second, then.at), ...marked(second, first, at)];
    });
  }

  private all(
    parts: readonly Expression[],
    path: Path,
  ): readonly { readonly path: Path; readonly values: readonly TracedText[] }[] {
    let all: readonly { readonly path: Path; readonly values: readonly TracedText[] }[] = [{ path, values: [] }];
    for (const part of parts)
      all = all.flatMap((before) => {
        if (before.path.end !== 'next') return [before];
        return this.valued(part, before.path).map(({ path: after, value }) => ({
          path: after,
          values: [...before.values, value],
        }));
      });
    if (all.length <= MAX_PATHS) return all;
    this.isComplete = false;
    return all.slice(0, MAX_PATHS);
  }

  private call(call: Call, start: Path): readonly Valued[] {
    const { name, receiver, args } = call;
    if (name === UNKNOWN_CALL) return [{ path: { ...start, isOpen: true }, value: computedText(call.at) }];
    const isPromise = receiver !== undefined && /^\.(?:then|catch|finally)$/.test(name) && this.matters(receiver);
    if (args.some((arg) => arg.kind === 'function' && (isPromise || this.isRelevant(arg))))
      return this.withCallbacks(call, start);
    if (name === CALLED_IN_PLACE && receiver?.kind === 'function')
      return this.inlined(call, { body: receiver.body, path: start, args: [] });
    const from = receiver === undefined ? [start] : this.paths(receiver, start);
    return from.flatMap((path) =>
      path.end === 'next' ? this.named(call, path) : [{ path, value: computedText(call.at) }],
    );
  }

  private named(call: Call, start: Path): readonly Valued[] {
    const { name, args, named, at } = call;
    const effect = this.program.effectOf(call);
    if (effect === 'exit') return this.exit(args[0], start).map((path) => ({ path, value: computedText(at) }));
    if (effect === 'fail') return [{ path: ended(start, 'false'), value: computedText(at) }];
    const options = [...named].flatMap(([option, value]) => (/^(?:file|flush)$/.test(option) ? [] : [value]));
    return this.all([...args, ...options], start).flatMap(({ path, values }): readonly Valued[] => {
      const value = computedText(at);
      if (path.end !== 'next') return [{ path, value }];
      const given = values.slice(0, args.length);
      if (effect === 'stdout') return [{ path: { ...path, chunks: [...path.chunks, lineOf(call, given)] }, value }];
      if (effect === 'stderr') this.misdirected.push(lineOf(call, given));
      if (effect === 'stderr' || effect === 'file') this.redirected.push(call);
      const body = this.program.functions.get(name);
      if (body !== undefined) {
        if (this.relevant.has(name)) return this.inlined(call, { body, path, args: given });
        return [{ path: this.opened(body, path), value }];
      }
      return [{ path: { ...path, isOpen: path.isOpen || effect === 'open' }, value }];
    });
  }

  private inlined(
    { at, named, end }: Call,
    { body, path, args }: { readonly body: ProgramFunction; readonly path: Path; readonly args: readonly TracedText[] },
  ): readonly Valued[] {
    if (this.calls >= MAX_CALLS) {
      this.isComplete = false;
      return [{ path: { ...path, isOpen: true }, value: computedText(at) }];
    }
    const values = new Map(path.values);
    values.delete(RETURNED);
    for (const [index, name] of body.params.entries()) {
      const option = named.get(name);
      const given = args[index] ?? (option === undefined ? undefined : this.literal(option));
      if (given === undefined) values.delete(name);
      else values.set(name, given);
    }
    this.calls += 1;
    const ends = this.steps(body.body, [{ ...path, values, returned: undefined }]);
    this.calls -= 1;
    const assigned = new Set(this.assignedIn({ at: body.at, end: body.end, kind: 'break' }));
    const branches = ends.map((one): Branch => ({
      at: one.endsAt,
      isBranch: one.end === 'return' ? true : 'never',
      paths: [this.back(one)],
    }));
    const after = chosen(path, { branches, words: wordsIn(this.program.text.slice(at, end)) });
    return after.map((one) => {
      const kept = new Map([...path.values].filter(([name]) => !assigned.has(name) || body.params.includes(name)));
      for (const name of [EXIT_CODE, RETURNED]) {
        const value = one.values.get(name);
        if (value !== undefined) kept.set(name, value);
      }
      return { path: { ...one, values: kept }, value: atUse(one.values.get(RETURNED), at) ?? computedText(at) };
    });
  }

  private back(path: Path): Path {
    return path.end === 'return' ? { ...path, end: 'next' } : path;
  }

  /** A call with functions that print: of a promise, a list, or an event that comes once. */
  private withCallbacks(call: Call, start: Path): readonly Valued[] {
    const { name, receiver, args, at } = call;
    const method = name.slice(name.lastIndexOf('.') + 1);
    const bodies = args.flatMap((arg) => (arg.kind === 'function' ? [arg.body] : []));
    const run = (body: ProgramFunction, path: Path): readonly Path[] =>
      this.inlined(call, { body, path, args: [] }).map((valued) => valued.path);
    const from = receiver === undefined ? [start] : this.paths(receiver, start);
    const [body, other] = bodies;
    let paths: readonly Path[];
    if (body === undefined) paths = from;
    else if (method === 'catch') paths = this.caught(from, { body, start, run });
    else if (method === 'then') {
      const done = this.each(from, (path) => run(body, path));
      paths = other === undefined ? done : this.caught(done, { body: other, start, run });
    } else if (runsPerItem(method, this.textOf(args[0]))) paths = this.rounds(from, (path) => run(body, path));
    else if (method === 'finally' || (/^(?:on|once)$/.test(method) && /end|close|exit/.test(this.textOf(args[0]))))
      paths = this.each(from, (path) => run(body, path));
    else {
      this.isComplete = false;
      paths = from;
    }
    return paths.map((path) => ({ path, value: computedText(at) }));
  }

  /** A callback that runs for each item of a list, like a loop: once or not at all. */
  private rounds(from: readonly Path[], run: (path: Path) => readonly Path[]): readonly Path[] {
    return this.each(from, (before) => {
      const after = run(before);
      const repeats = after.some((path) => path.end === 'next' && printsTag(path, before));
      const open = (path: Path): Path => (path.end === 'next' ? { ...path, isOpen: path.isOpen || repeats } : path);
      return [before, ...after].map(open);
    });
  }

  private caught(
    from: readonly Path[],
    {
      body,
      start,
      run,
    }: {
      readonly body: ProgramFunction;
      readonly start: Path;
      readonly run: (body: ProgramFunction, path: Path) => readonly Path[];
    },
  ): readonly Path[] {
    const fine = from.filter(({ end }) => end !== 'raise');
    const raised = from.filter(({ end }) => end === 'raise').map((path) => ({ ...path, end: 'next' as const }));
    const handled = distinct([start, ...raised]).flatMap((path) => run(body, path));
    const branches: Branch[] = [
      { at: body.at, isBranch: true, paths: handled },
      { at: body.at, isBranch: 'never', paths: fine },
    ];
    return chosen(start, { branches, words: new Set() });
  }
}

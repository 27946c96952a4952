// Follows the control flow of a program: what it prints on each path from its first statement to its end. As in shell/paths.ts, conditions are
// not evaluated, so all branches are paths, and a loop runs once or not at all. What cannot be followed makes the output incomplete.
import { executorOf } from '../../protocol/language/resolve.js';
import type { TracedText } from '../position.js';
import { EXIT_CODE, RETURNED, withValue } from './effects.js';
import { ProgramExpressions } from './expressions.js';
import { readNode } from './node.js';
import { readPython } from './python.js';
import type { Expression, Program, Step } from './program.js';
import {
  chosen,
  distinct,
  exitOf,
  exitStatus,
  forget,
  leaving,
  printsTag,
  START,
  tagPerRound,
  together,
} from '../script/path.js';
import { wordsIn, type Branch, type Path, type ScriptPath, type TagPerRound } from '../script/path.js';

/** What a program may print. */
export interface ProgramOutput {
  readonly paths: readonly ScriptPath[];
  /** True if `paths` has all of them. */
  readonly isComplete: boolean;
  /** The texts that go to stderr. */
  readonly misdirected: readonly TracedText[];
  readonly repeated: readonly TagPerRound[];
  /** All its literals, which it may print. */
  readonly possible: readonly TracedText[];
}

/** Parses a program in the language of its file. */
export function readProgram(text: string, file: string): Program {
  return executorOf(file) === 'python' ? readPython(text) : readNode(text, /\.ts$/i.test(file));
}

/** Follows all paths of a program. */
export function outputOfProgram(program: Program): ProgramOutput {
  return new ProgramRun(program).output();
}

/** True for the text of a failure: Python and Node.js print it on stderr. */
function isOfFailure(text: string, at: number): boolean {
  const before = text.slice(Math.max(text.lastIndexOf('\n', at - 1) + 1, at - 200), at);
  return /(?:\bsys\.exit|\bSystemExit|\braise\s+\w+|\bnew\s+\w*Error)\s*\([^()]*$/.test(before);
}

class ProgramRun extends ProgramExpressions {
  private readonly repeated: TagPerRound[] = [];

  output(): ProgramOutput {
    const { misdirected, repeated } = this;
    const ends = this.steps(this.program.steps, [START]);
    const paths = ends.map((path): ScriptPath => {
      const { chunks, status, end, endsAt, isOpen, skipped, values } = path;
      const code = end === 'exit' ? undefined : values.get(EXIT_CODE)?.text;
      const last = end === 'raise' ? 'false' : end === 'exit' ? status : 'true';
      const exit = end === 'raise' ? {} : exitOf(path);
      return { text: together(chunks), status: exitStatus(code, last), endsAt, isOpen, skipped, ...exit };
    });
    const possible = this.program.literals
      .filter(({ at, end }) => !this.redirected.some((range) => range.at <= at && end <= range.end))
      .filter(({ at }) => !isOfFailure(this.program.text, at))
      .map((literal) => this.literal(literal));
    return { paths, isComplete: this.isComplete, misdirected, repeated, possible };
  }

  protected override steps(steps: readonly Step[], from: readonly Path[]): readonly Path[] {
    let paths = from;
    for (const step of steps) paths = this.each(paths, (path) => this.step(step, { ...path, endsAt: step.at }));
    return paths;
  }

  private step(step: Step, path: Path): readonly Path[] {
    switch (step.kind) {
      case 'do':
        return this.paths(step.value, path);
      case 'block':
        return this.steps(step.body, [path]);
      case 'choice':
        return this.choice(step, path);
      case 'loop':
        return this.loop(step, path);
      case 'try':
        return this.tried(step, path);
      case 'break':
        return [{ ...path, end: 'loop' }];
      case 'continue':
        return [{ ...path, end: 'again' }];
      case 'exit':
        return this.exit(step.value, path);
      case 'throw':
        return this.each(step.value === undefined ? [path] : this.paths(step.value, path), (after) => [
          { ...after, end: 'raise' },
        ]);
      case 'return':
        return this.returned(step.value, path);
    }
  }

  private returned(value: Expression | undefined, path: Path): readonly Path[] {
    if (value === undefined) return [{ ...forget(path, [RETURNED]), end: 'return', returned: undefined }];
    const returned = { at: value.at, end: value.end };
    return this.valued(value, path).map(({ path: after, value: text }) =>
      after.end === 'next' ? { ...withValue(after, { name: RETURNED, value: text }), end: 'return', returned } : after,
    );
  }

  private choice(step: Step & { readonly kind: 'choice' }, start: Path): readonly Path[] {
    const { subject, branches, isComplete, fallsThrough } = step;
    const entered = subject === undefined ? [start] : this.paths(subject, start);
    if (!this.matters(step)) return this.passed(step, entered);
    return this.each(entered, (path) => {
      const taken: Branch[] = [];
      let open: readonly Path[] = [path];
      for (const [index, { at, test, body }] of branches.entries()) {
        if (test !== undefined) open = this.each(open, (before) => this.paths(test, before));
        const steps = fallsThrough ? branches.slice(index).flatMap((branch) => branch.body) : body;
        const paths = this.steps(steps, open).map((after) => (fallsThrough ? leaving(after) : after));
        taken.push({ at, isBranch: true, paths });
      }
      const at = fallsThrough || subject !== undefined ? step.at : (branches.at(-1)?.at ?? step.at);
      if (!isComplete) taken.push({ at, isBranch: false, paths: open });
      const tests = branches.map(({ test }) => (test === undefined ? '' : this.program.text.slice(test.at, test.end)));
      const compared = subject === undefined ? '' : this.program.text.slice(subject.at, subject.end);
      return chosen(path, { branches: taken, words: wordsIn([...tests, compared].join(' ')) });
    });
  }

  /** Past what cannot change a path; a program in it may print. */
  private passed({ at, end }: { readonly at: number; readonly end: number }, paths: readonly Path[]): readonly Path[] {
    const text = this.program.text.slice(at, end);
    const mayPrint = /subprocess|os\.system|inherit|Popen|\bprint\s*\(|stdout|console\.log/.test(text);
    return mayPrint ? paths.map((path) => this.opened({ at, end }, path)) : paths;
  }

  private loop(step: Step & { readonly kind: 'loop' }, start: Path): readonly Path[] {
    const { test, body, otherwise, runs, at } = step;
    const entered = test === undefined ? [start] : this.paths(test, start);
    if (!this.matters(step)) return this.passed(step, entered);
    const names = this.assignedIn(step);
    return this.each(entered, (path) => {
      const before = forget(path, names);
      const rounds = this.steps(body, [before]).map((end) => ({
        ...forget(end, names),
        status: end.end === 'exit' ? end.status : path.status,
      }));
      const tagged = rounds.filter((end) => printsTag(end, before));
      const repeated = tagPerRound(before, rounds);
      if (repeated !== undefined) this.repeated.push(repeated);
      // What it prints may be repeated, unless that ends the loop.
      const repeats = tagged.some(({ end }) => end === 'next' || end === 'again');
      const done = rounds.flatMap((end): readonly Path[] => {
        if (end.end === 'again' || end.end === 'next')
          return runs === 'forever' ? [] : [{ ...end, end: 'next', isOpen: end.isOpen || repeats }];
        return [end.end === 'loop' ? { ...end, isOpen: end.isOpen || repeats } : end];
      });
      const broken = done.map(leaving).filter((_end, index) => done[index]?.end !== 'next');
      const over = [
        ...(runs === 'maybe' ? [{ ...before, isOpen: before.isOpen || repeats }] : []),
        ...done.filter(({ end }) => end === 'next'),
      ];
      const after = [...broken, ...this.each(over, (end) => this.steps(otherwise, [end]))];
      return chosen(before, { branches: [{ at, isBranch: false, paths: after }], words: wordsIn(this.textOf(test)) });
    });
  }

  private tried(step: Step & { readonly kind: 'try' }, path: Path): readonly Path[] {
    if (!this.matters(step)) return this.passed(step, [path]);
    const { body, handlers, otherwise, last } = step;
    const ends = this.steps(body, [path]);
    const raised = ends.filter(({ end }) => end === 'raise');
    const fine = this.each(handlers.length === 0 ? ends : ends.filter(({ end }) => end !== 'raise'), (end) =>
      this.steps(otherwise, [end]),
    );
    const caught = handlers.map(({ at, body: handler }): Branch => {
      // Anything in the body may fail before it has printed.
      const from = distinct([path, ...raised.map((end) => ({ ...end, end: 'next' as const }))]);
      return { at, isBranch: true, paths: this.steps(handler, from) };
    });
    const words = new Set<string>();
    const handled = chosen(path, { branches: [...caught, { at: step.at, isBranch: 'never', paths: fine }], words });
    return handled.flatMap((end) => this.finally(last, end));
  }

  private finally(last: readonly Step[], path: Path): readonly Path[] {
    const { end } = path;
    return this.steps(last, [{ ...path, end: 'next' }]).map((after) =>
      after.end === 'next' ? { ...after, end } : after,
    );
  }
}

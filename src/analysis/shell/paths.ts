// Follows the control flow of a bash script: what it prints on each path from its first command to its end. Conditions are not evaluated, so
// both branches are paths; a loop runs once or not at all. What is only possible is kept apart from what a path certainly prints.
import type {
  AndOr,
  ArithmeticFor,
  Case,
  CompoundCommand,
  CompoundList,
  For,
  Function as FunctionNode,
  If,
} from 'unbash';
import type { Pipeline, Select, Statement, While } from 'unbash';
import type { TracedText } from '../position.js';
import {
  chosen,
  decided,
  distinct,
  exitOf,
  forget,
  isTrue,
  isUnknown,
  leaving,
  matchOf,
  mayBeTag,
  negated,
  printsTag,
  skipping,
} from '../script/path.js';
import {
  START,
  tagPerRound,
  together,
  wordsIn,
  type Branch,
  type Path,
  type ScriptPath,
  type Skip,
  type TagPerRound,
} from '../script/path.js';
import type { ShellScript } from './shell.js';
import { isOpenCommand, ShellCommands } from './commands.js';
import { joined } from './output.js';
import { traced } from './words.js';

/** What a script may print. */
export interface ShellOutput {
  readonly paths: readonly ScriptPath[];
  /** True if `paths` has all of them. */
  readonly isComplete: boolean;
  /** Loops that print a tag in every round. */
  readonly repeated: readonly TagPerRound[];
  /** Texts that something else than a path may print. */
  readonly possible: readonly TracedText[];
  /** The origin of a computed text by the offset of the variable that holds it. */
  readonly origins: ReadonlyMap<number, number>;
  /** Texts that are written to files. */
  readonly files: readonly TracedText[];
}

type Node = Statement['command'] | CompoundCommand | FunctionNode | Pipeline['commands'][number];

/** Follows all paths of a script. */
export function outputOfShell(shell: ShellScript): ShellOutput {
  return new ShellRun(shell).output();
}

/** A loop, and the paths that have run it once. */
interface LoopEnds {
  readonly body: CompoundList;
  readonly again: readonly Path[];
  readonly at: number;
}

/** More paths are not followed. */
const MAX_PATHS = 64;

class ShellRun extends ShellCommands {
  private readonly repeated: TagPerRound[] = [];

  output(): ShellOutput {
    const ends = this.list(this.shell.ast.commands, [START]);
    this.otherwiseCalled();
    const { isComplete, possible, files, origins, repeated } = this;
    // Output that was not followed may be printed nevertheless.
    if (!isComplete) for (const { args, stdin } of this.shell.commands) possible.push(joined([...args, ...stdin]));
    const paths = ends.map((path) => {
      const { chunks, status, endsAt, isOpen, skipped } = path;
      // A `return` counts only as the last command.
      const exit = path.exit?.at === endsAt ? exitOf(path) : {};
      return { text: together(chunks), status, endsAt, isOpen, skipped, ...exit };
    });
    return { paths, isComplete, possible, files, origins, repeated };
  }

  protected override list(statements: readonly Statement[], from: readonly Path[]): readonly Path[] {
    let paths = from;
    for (const { command, background } of statements)
      paths = this.each(paths, (path) =>
        background === true ? this.inBackground(command, path) : this.run(command, path),
      );
    return paths;
  }

  /** The script does not wait for it, so it need not end. */
  private inBackground(node: Node, path: Path): readonly Path[] {
    const ends = this.inSubshell(this.run(node, path), path).map((end) => ({ ...end, status: 'true' as const }));
    return ends.length === 0 ? [{ ...path, status: 'true' }] : ends;
  }

  private compound({ commands }: CompoundList, path: Path): readonly Path[] {
    return this.list(commands, [path]);
  }

  /** Continues the paths that have not ended. */
  private each(paths: readonly Path[], next: (path: Path) => readonly Path[]): readonly Path[] {
    const all = distinct(paths.flatMap((path) => (path.end === 'next' ? next(path) : [path])));
    if (all.length <= MAX_PATHS) return all;
    this.isComplete = false;
    return all.slice(0, MAX_PATHS);
  }

  protected override run(node: Node, path: Path): readonly Path[] {
    const at = { ...path, endsAt: node.pos };
    switch (node.type) {
      case 'Command':
        return this.command(node, at);
      case 'AndOr':
        return this.andOr(node, at);
      case 'Pipeline':
        return this.pipeline(node, at);
      case 'If':
        return this.conditional(node, at);
      case 'Case':
        return this.cases(node, at);
      case 'While':
        return this.whileLoop(node, at);
      case 'For':
      case 'Select':
      case 'ArithmeticFor':
        return this.forLoop(node, at);
      case 'BraceGroup':
        return this.compound(node.body, at);
      case 'Subshell':
        return this.inSubshell(this.compound(node.body, at), at);
      case 'Redirected':
        return this.redirected(node.redirects, at, (inner) => this.run(node.command, inner));
      case 'TestCommand':
        return [{ ...at, status: 'test' }];
      case 'ArithmeticCommand':
        return [{ ...at, status: 'maybe' }];
      case 'Function':
        return [{ ...at, status: 'true' }];
      case 'Coproc':
        this.isComplete = false;
        return [{ ...at, status: 'maybe' }];
    }
  }

  private andOr({ commands, operators }: AndOr, start: Path): readonly Path[] {
    const [first, ...others] = commands;
    if (first === undefined) return [start];
    let paths = this.run(first, start);
    for (const [index, command] of others.entries()) {
      const wanted = operators[index] === '&&';
      const isRelevant = this.matters(command);
      paths = this.each(paths, (path) => {
        const { status, endsAt } = path;
        if (!isRelevant && isUnknown(status))
          return this.run(command, path).map((after) => ({ ...after, status, endsAt }));
        return decided(path).flatMap((branch) => {
          if ((branch.status === 'true') === wanted) return this.run(command, branch);
          return [
            isUnknown(status) && wanted && this.printsTag(command)
              ? skipping(branch, this.skip(start.endsAt, { at: first.pos, end: command.pos }))
              : branch,
          ];
        });
      });
    }
    return paths;
  }

  private pipeline({ commands, prefixes }: Pipeline, start: Path): readonly Path[] {
    const isNegated = prefixes.some(({ type }) => type === 'Negation');
    const [only, ...others] = commands;
    if (only === undefined) return [start];
    if (others.length === 0) return this.run(only, start).map((path) => (isNegated ? negated(path) : path));
    let stdin: TracedText | undefined;
    for (const command of commands.slice(0, -1)) {
      stdin = this.captured(this.withStdin(command, { ...start, chunks: [] }, stdin));
      if (stdin !== undefined) this.files.push(stdin);
    }
    const last = commands.at(-1) ?? only;
    const paths = this.inSubshell(this.withStdin(last, start, stdin), start);
    return paths.map((path) => ({ ...path, status: path.status === 'true' ? 'true' : 'maybe' }));
  }

  private withStdin(node: Node, path: Path, stdin: TracedText | undefined): readonly Path[] {
    if (node.type !== 'Command') return this.run(node, path);
    return this.command(node, { ...path, endsAt: node.pos }, stdin);
  }

  private conditional({ clause, then, elif, else: otherwise, pos }: If, start: Path): readonly Path[] {
    const branches = [{ clause, then }, ...elif];
    const bodies = [...branches.map((branch) => branch.then), ...(otherwise === undefined ? [] : [otherwise])];
    if (!this.isRelevant(bodies) && !branches.some((branch) => this.matters(branch.clause)))
      return [this.passed(start, { from: pos, bodies })];
    let open: readonly Path[] = [start];
    const ended: Path[] = [];
    const taken: Branch[] = [];
    for (const { clause: test, then: body } of branches) {
      const tested = this.each(open, (path) => this.compound(test, path).flatMap(decided));
      ended.push(...tested.filter(({ end }) => end !== 'next'));
      const going = tested.filter(({ end }) => end === 'next');
      const paths = this.each(going.filter(isTrue), (path) => this.compound(body, path));
      taken.push({ at: body.pos, isBranch: true, paths });
      open = going.filter((path) => !isTrue(path));
    }
    if (otherwise === undefined) {
      const paths = open.map((path) => ({ ...path, status: 'true' as const }));
      taken.push({ at: pos, isBranch: false, paths });
    } else
      taken.push({
        at: otherwise.pos,
        isBranch: true,
        paths: this.each(open, (path) => this.compound(otherwise, path)),
      });
    const words = wordsIn(branches.map((branch) => this.textIn(branch.clause)).join(' '));
    return [...ended, ...chosen(start, { branches: taken, words })];
  }

  private textIn({ pos, end }: { readonly pos: number; readonly end: number }): string {
    return this.shell.text.slice(pos, end);
  }

  /** Of a condition without an alternative. */
  private skip(at: number, condition: { readonly at: number; readonly end: number }): Skip {
    const words = wordsIn(this.shell.text.slice(condition.at, condition.end));
    return { at, isBranch: false, words, isGuard: false };
  }

  private isRelevant(bodies: readonly CompoundList[]): boolean {
    return bodies.some((body) => this.matters(body));
  }

  /** Past a construct that cannot change a path; a program in it may print. */
  private passed(
    path: Path,
    { from, bodies }: { readonly from: number; readonly bodies: readonly CompoundList[] },
  ): Path {
    const to = Math.max(from, ...bodies.map(({ end }) => end));
    const inner = this.shell.commands.filter(({ at }) => at >= from && at < to);
    for (const line of inner) this.handOver(line);
    return { ...path, status: 'maybe', isOpen: path.isOpen || inner.some((line) => isOpenCommand(line)) };
  }

  private cases({ word, items, pos }: Case, start: Path): readonly Path[] {
    const bodies = items.map(({ body }) => body);
    if (!this.isRelevant(bodies)) return [this.passed(start, { from: pos, bodies })];
    const subject = traced(word, this.context(start)).text;
    const taken: Branch[] = [];
    const words = wordsIn(word.text);
    for (const [index, { pattern }] of items.entries()) {
      const match = matchOf(
        subject,
        pattern.map((one) => traced(one).text),
      );
      if (match === 'no') continue;
      let branch: readonly Path[] = [start];
      for (const item of items.slice(index)) {
        branch = this.each(branch, (path) => this.compound(item.body, path));
        if (item.terminator !== ';&') break;
      }
      if (items[index]?.terminator === ';;&') this.isComplete = false;
      taken.push({ at: pattern[0]?.pos ?? pos, isBranch: true, paths: branch });
      if (match === 'yes') return chosen(start, { branches: taken, words });
    }
    taken.push({ at: pos, isBranch: false, paths: [{ ...start, status: 'true' }] });
    return chosen(start, { branches: taken, words });
  }

  private whileLoop({ clause, body, kind, pos }: While, start: Path): readonly Path[] {
    if (!this.isRelevant([body])) return [this.passed(start, { from: pos, bodies: [clause, body] })];
    const wanted = kind === 'while';
    const entered = this.each([forget(start, this.assignedIn(body))], (path) =>
      this.compound(clause, path).flatMap(decided),
    );
    const going = entered.filter((path) => path.end === 'next' && isTrue(path) === wanted);
    const left = entered.filter((path) => path.end !== 'next' || isTrue(path) !== wanted);
    const again = this.loopBody(body, going);
    // A loop without an end is left by break or exit.
    if (left.length === 0) {
      const isOver = this.endsWithTag(body, again);
      const broken = (path: Path): Path =>
        path.end === 'loop' && isOver ? skipping(path, this.skip(pos, { at: pos, end: body.pos })) : path;
      return again.flatMap((path) => (path.end === 'next' ? [] : [leaving(broken(path))]));
    }
    return [...left.map((path) => this.notRepeating(path, { body, again, at: pos })), ...again.map(leaving)];
  }

  private forLoop(node: For | Select | ArithmeticFor, start: Path): readonly Path[] {
    const { body, pos } = node;
    if (!this.isRelevant([body])) return [this.passed(start, { from: pos, bodies: [body] })];
    const words = 'wordlist' in node ? node.wordlist : undefined;
    const runsOnce = words?.some((word) => word.parts === undefined) === true;
    const inside = forget(start, this.assignedIn(body));
    const again = this.loopBody(body, [inside]);
    const once = again.map(leaving);
    return runsOnce ? once : [this.notRepeating(inside, { body, again, at: pos }), ...once];
  }

  /** The path past a loop: nothing shows whether the loop runs at all. */
  private notRepeating(path: Path, { body, again, at }: LoopEnds): Path {
    if (this.endsWithTag(body, again)) return skipping(path, this.skip(at, { at, end: body.pos }));
    return { ...path, isOpen: path.isOpen || this.printsTag(body) };
  }

  /** Whether the only tag of a loop always ends the script, so that what follows the loop runs without a tag. */
  private endsWithTag(body: CompoundList, ends: readonly Path[]): boolean {
    const tags = this.shell.text.slice(body.pos, body.end).match(/<[a-z]/gi)?.length ?? 0;
    const tagged = ends.filter(({ chunks }) => mayBeTag(together(chunks).text));
    return tags === 1 && tagged.length > 0 && tagged.every(({ end, isOpen }) => end === 'exit' && !isOpen);
  }

  /** A loop may repeat what it prints. */
  private loopBody(body: CompoundList, from: readonly Path[]): readonly Path[] {
    const names = this.assignedIn(body);
    return from.flatMap((start) => {
      const ends = this.compound(body, start).map((path) =>
        path.end === 'again' ? { ...path, end: 'next' as const } : path,
      );
      const isOver = this.endsWithTag(body, ends);
      const repeated = tagPerRound(start, ends);
      if (repeated !== undefined) this.repeated.push(repeated);
      return ends.map((path) => {
        const repeats = path.end === 'next' && printsTag(path, start);
        const mayRepeat = (path.end === 'next' || path.end === 'loop') && !isOver && this.printsTag(body);
        const status = path.end === 'exit' ? path.status : 'maybe';
        return { ...forget(path, names), status, isOpen: path.isOpen || repeats || mayRepeat };
      });
    });
  }

  private assignedIn({ pos, end }: CompoundList): readonly string[] {
    const text = this.shell.text.slice(pos, end);
    const texts = [text, ...this.bodiesOf(text)];
    return [...this.shell.assigned].filter((name) => texts.some((part) => new RegExp(`\\b${name}=`).test(part)));
  }
}

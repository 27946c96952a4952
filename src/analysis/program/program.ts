// A Python or JavaScript program as the analysis follows it: statements that print, choose, repeat, call and end. Both languages are read
// into this form; what does not matter for the output becomes `other`.
import type { Tree, SyntaxNode } from '@lezer/common';
import { TracedText } from '../position.js';
import type { ProgramNames } from './names.js';
import { together } from '../script/path.js';
import { COMPUTED } from '../shell/words.js';

interface Ranged {
  readonly at: number;
  readonly end: number;
}

/** A function of the program, or a callback. */
export interface ProgramFunction extends Ranged {
  readonly params: readonly string[];
  readonly body: readonly Step[];
}

/** An expression: its value as a text, as far as it is known, and its effects. */
export type Expression = Ranged &
  (
    | { readonly kind: 'text'; readonly text: TracedText }
    /** Texts in a row: of a template, or of `+`. */
    | { readonly kind: 'join'; readonly parts: readonly Expression[] }
    | { readonly kind: 'name'; readonly name: string }
    | { readonly kind: 'either'; readonly test: Expression; readonly then: Expression; readonly otherwise: Expression }
    /** `&&`, `or` and the like: whether the right side is evaluated depends on the left one. */
    | { readonly kind: 'maybe'; readonly left: Expression; readonly right: Expression }
    | {
        readonly kind: 'call';
        /** Its dotted name, such as `sys.stdout.write`; only the last word if it is called on a value. */
        readonly name: string;
        readonly receiver?: Expression;
        readonly args: readonly Expression[];
        readonly named: ReadonlyMap<string, Expression>;
      }
    | { readonly kind: 'function'; readonly body: ProgramFunction }
    | { readonly kind: 'set'; readonly name: string; readonly value: Expression }
    | { readonly kind: 'other'; readonly parts: readonly Expression[] }
  );

/** A branch of a choice; `test` = what is evaluated before it. */
export interface ProgramBranch {
  readonly at: number;
  readonly test?: Expression;
  readonly body: readonly Step[];
}

/** A statement. */
export type Step = Ranged &
  (
    | { readonly kind: 'do'; readonly value: Expression }
    | {
        readonly kind: 'choice';
        /** What all branches compare. */
        readonly subject?: Expression;
        readonly branches: readonly ProgramBranch[];
        /** True if one of the branches is always taken. */
        readonly isComplete: boolean;
        /** True if a branch that does not end continues in the next one. */
        readonly fallsThrough: boolean;
      }
    | {
        readonly kind: 'loop';
        readonly test?: Expression;
        readonly body: readonly Step[];
        /** What runs when it was not left by `break`. */
        readonly otherwise: readonly Step[];
        readonly runs: 'forever' | 'once' | 'maybe';
      }
    | {
        readonly kind: 'try';
        readonly body: readonly Step[];
        readonly handlers: readonly ProgramBranch[];
        readonly otherwise: readonly Step[];
        readonly last: readonly Step[];
      }
    | { readonly kind: 'return' | 'throw'; readonly value?: Expression }
    | { readonly kind: 'exit'; readonly value?: Expression }
    | { readonly kind: 'break' | 'continue' }
    | { readonly kind: 'block'; readonly body: readonly Step[] }
  );

/** How a call prints, or that it ends the program. */
export type Effect = 'stdout' | 'stderr' | 'file' | 'exit' | 'fail' | 'open' | 'silent';

/** A parsed program. */
export interface Program {
  readonly text: string;
  readonly tree: Tree;
  readonly language: 'python' | 'node';
  readonly steps: readonly Step[];
  readonly functions: ReadonlyMap<string, ProgramFunction>;
  /** False if a part could not be read, or if it does something to its output that is not followed. */
  readonly isRead: boolean;
  readonly effectOf: (call: Expression & { readonly kind: 'call' }) => Effect;
  readonly names: ProgramNames;
  /** The text literals that are no statements of their own. */
  readonly literals: readonly Expression[];
  readonly comments: readonly { readonly text: string; readonly at: number }[];
}

/** The children of a node. */
export function childrenOf(node: SyntaxNode): readonly SyntaxNode[] {
  const children: SyntaxNode[] = [];
  for (let child = node.firstChild; child !== null; child = child.nextSibling) children.push(child);
  return children;
}

function commentsIn(tree: Tree, text: string): Program['comments'] {
  const comments: { readonly text: string; readonly at: number }[] = [];
  tree.iterate({
    enter: ({ name, from, to }) => {
      if (name.endsWith('Comment')) comments.push({ text: text.slice(from, to), at: from });
    },
  });
  return comments;
}

/** True if the parser has understood everything. */
function isWhole(tree: Tree): boolean {
  let isRead = true;
  tree.iterate({
    enter: ({ type }) => {
      if (type.isError) isRead = false;
    },
  });
  return isRead;
}

const ESCAPE = /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|u\{([0-9a-fA-F]+)\}|([0-7]{1,3})|([^]))/y;
const ESCAPED: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '\n': '' };

/** The text of a literal from `at` to `end`; `braces`: doubled braces are one. */
function literalText(
  source: string,
  range: Ranged,
  { isRaw = false, braces = false }: { readonly isRaw?: boolean; readonly braces?: boolean } = {},
): TracedText {
  const text = new TracedText();
  for (let at = range.at; at < range.end;) {
    ESCAPE.lastIndex = at;
    const match = isRaw ? null : ESCAPE.exec(source);
    const char = source[at] ?? '';
    if (match !== null) {
      const [whole, hex, unicode, point, octal, letter = ''] = match;
      const code = hex ?? unicode ?? point;
      const value = code === undefined ? parseInt(octal ?? '', 8) : parseInt(code, 16);
      const plain = ESCAPED[letter] ?? letter;
      text.add(value >= 0 && value < 0x110000 ? String.fromCodePoint(value) : plain, at, true);
      at += whole.length;
    } else {
      text.add(char, at);
      at += braces && /[{}]/.test(char) && source[at + 1] === char ? 2 : 1;
    }
  }
  return text;
}

/** What reading a program with its grammar collects, in whichever language. */
export abstract class ProgramReading {
  readonly functions = new Map<string, ProgramFunction>();
  readonly literals: Expression[] = [];
  /** Names that other files define, which may print. */
  readonly foreign = new Set<string>();

  constructor(
    protected readonly source: string,
    private readonly language: Program['language'],
  ) {}

  /** What both languages have in common; `unfollowed` matches a program that does something to its output. */
  program(tree: Tree, unfollowed: RegExp): Omit<Program, 'names' | 'effectOf'> {
    const { source: text, functions, literals, language } = this;
    const steps = this.steps(childrenOf(tree.topNode));
    const isRead = isWhole(tree) && !unfollowed.test(text);
    return { text, tree, language, steps, functions, literals, isRead, comments: commentsIn(tree, text) };
  }

  protected steps(nodes: readonly SyntaxNode[]): readonly Step[] {
    return nodes.flatMap((node) => this.step(node));
  }

  protected abstract step(node: SyntaxNode): readonly Step[];

  protected text({ from, to }: SyntaxNode): string {
    return this.source.slice(from, to);
  }

  /** Texts in a row, which may be a tag only together. */
  protected joined({ parent }: SyntaxNode, join: Expression & { readonly kind: 'join' }): Expression {
    const isPart = parent?.name === 'BinaryExpression';
    if (!isPart && join.parts.some(({ kind }) => kind === 'join')) this.literals.push(join);
    return join;
  }

  /** The text of a part of a literal; nothing of an empty part. */
  protected plain(range: Ranged, options?: Parameters<typeof literalText>[2]): readonly Expression[] {
    if (range.end <= range.at) return [];
    return [{ ...range, kind: 'text', text: literalText(this.source, range, options) }];
  }
}

/** A text that is known only at run time. */
export function computedText(at: number): TracedText {
  const text = new TracedText();
  text.add(COMPUTED, at, true);
  return text;
}

/** Texts in a row. What chooses the name of a tag chooses its other parts, too, so choices are not combined with it. */
export function joinedTag(values: readonly TracedText[], isChosen: (index: number) => boolean): TracedText {
  const isNamed = values.some((_value, index) => /<$/.test(values[index - 1]?.text ?? ''));
  if (!isNamed) return together(values);
  return together(
    values.map((value, index) => {
      const isName = /<\/?$/.test(values[index - 1]?.text ?? '');
      return isChosen(index) && !isName ? computedText(value.offsetOf(0)) : value;
    }),
  );
}

/** The computed parts of a value are where the value is used. */
export function atUse(value: TracedText | undefined, at: number): TracedText | undefined {
  if (value?.text.includes(COMPUTED) !== true) return value;
  const here = new TracedText();
  for (let index = 0; index < value.text.length; index++) {
    const char = value.text[index] ?? '';
    here.add(char, char === COMPUTED ? at : value.offsetOf(index), true);
  }
  return here;
}

/** The functions that print a tag, or may end the program, by themselves or by others. */
export function relevantFunctions({ functions, text }: Program): ReadonlySet<string> {
  const relevant = new Set<string>();
  for (let size = -1; size < relevant.size;) {
    size = relevant.size;
    for (const [name, { at, end }] of functions) {
      const body = text.slice(at, end);
      const isRelevant = /<[a-z/]|\\x3c|\b(?:exit|quit|exitCode|SystemExit|print|stdout)\b|console\.log/i.test(body);
      if (isRelevant || namesOf(body).some((word) => word !== name && relevant.has(word))) relevant.add(name);
    }
  }
  return relevant;
}

/** The words of a text, with what follows their dots. */
export function namesOf(text: string): readonly string[] {
  return text.match(/[A-Za-z_$][\w$.]*/g) ?? [];
}

// One way through a bash script: what was printed so far, the known values of variables, and how it continues. Pure values.
import { TracedText } from '../position.js';
import { COMPUTED } from '../shell/words.js';

/** How a command may end; `test` = the outcome of a test such as `[`; `untrue` = a test that was not true. */
export type Status = 'true' | 'false' | 'maybe' | 'test' | 'untrue';

/** An exit code other than 0, or one that is known only at run time. */
export interface ExitCode {
  /** The range of the expression that gives the code. */
  readonly at: number;
  readonly end: number;
  readonly isKnown: boolean;
  /** How many texts were printed before the code was set. */
  readonly printed: number;
}

/** One way through a script. */
export interface ScriptPath {
  readonly text: TracedText;
  /** How the script ends on it. */
  readonly status: Status;
  /** The end of its last command. */
  readonly endsAt: number;
  /** True if another program may have printed a tag, or if a loop may repeat one. */
  readonly isOpen: boolean;
  /** The choices that left a tag out. */
  readonly skipped: readonly Skip[];
  /** The exit code that the script names. */
  readonly exit?: Omit<ExitCode, 'printed'> & { readonly isBeforeTag: boolean };
}

/** A loop whose every round prints a tag. */
export interface TagPerRound {
  readonly at: number;
  readonly text: TracedText;
}

/** What the first of the rounds of a loop prints, if each of them prints a tag and leads to the next round. */
export function tagPerRound(start: Path, rounds: readonly Path[]): TagPerRound | undefined {
  const isEach = rounds.every((path) => (path.end === 'next' || path.end === 'again') && printsTag(path, start));
  const [first] = rounds;
  if (first === undefined || !isEach) return undefined;
  const text = together(first.chunks.slice(start.chunks.length));
  return { at: text.offsetOf(text.text.indexOf('<')), text };
}

/** A choice of which this path printed no tag, though another one did. */
export interface Skip {
  readonly at: number;
  /** True at a branch that prints none; false at a choice without a branch for this path. */
  readonly isBranch: boolean;
  /** The words of its conditions: two choices that share one may exclude each other. */
  readonly words: ReadonlySet<string>;
  /** True if the other branches end the script. */
  readonly isGuard: boolean;
}

/** A path that is being followed. */
export interface Path {
  readonly chunks: readonly TracedText[];
  readonly values: ReadonlyMap<string, TracedText>;
  /** `loop`: out of the loop; `again`: to its next round. */
  readonly end: 'next' | 'exit' | 'return' | 'raise' | 'loop' | 'again';
  readonly status: Status;
  readonly endsAt: number;
  readonly isOpen: boolean;
  readonly skipped: readonly Skip[];
  readonly exit?: ExitCode | undefined;
  /** The expression that the last function has returned. */
  readonly returned?: { readonly at: number; readonly end: number } | undefined;
}

/** The path before the first command. */
export const START: Path = {
  chunks: [],
  values: new Map(),
  end: 'next',
  status: 'true',
  endsAt: 0,
  isOpen: false,
  skipped: [],
};

/** The parameters of a function. */
export const POSITIONAL: readonly string[] = [
  '@',
  '*',
  ...Array.from({ length: 9 }, (_none, index) => String(index + 1)),
];

/** The exit code that a path names, for the rules. */
export function exitOf({ exit, chunks }: Path): Pick<ScriptPath, 'exit'> {
  if (exit === undefined) return {};
  const { printed, ...code } = exit;
  return { exit: { ...code, isBeforeTag: mayBeTag(together(chunks.slice(printed)).text) } };
}

/** Texts in a row. */
export function together(chunks: readonly TracedText[]): TracedText {
  const all = new TracedText();
  for (const chunk of chunks) all.append(chunk);
  return all;
}

/** True for a status that only the run knows. */
export function isUnknown(status: Status): boolean {
  return status === 'maybe' || status === 'test';
}

/** True if the last command succeeded. */
export function isTrue({ status }: Path): boolean {
  return status === 'true';
}

/** Both branches of a condition. */
export function decided(path: Path): readonly Path[] {
  if (path.end !== 'next' || !isUnknown(path.status)) return [path];
  return [
    { ...path, status: 'true' },
    { ...path, status: path.status === 'test' ? 'untrue' : 'false' },
  ];
}

const NEGATED: Readonly<Record<Status, Status>> = {
  true: 'false',
  false: 'true',
  untrue: 'true',
  maybe: 'maybe',
  test: 'test',
};

/** The path behind a `!`. */
export function negated(path: Path): Path {
  return { ...path, status: NEGATED[path.status] };
}

/** Out of a loop, by its end or by `break`. */
export function leaving(path: Path): Path {
  return path.end === 'loop' ? { ...path, end: 'next' } : path;
}

/** The paths of one branch; `isBranch` = `never`: they need no tag here. */
export interface Branch {
  readonly at: number;
  readonly isBranch: boolean | 'never';
  readonly paths: readonly Path[];
}

/** The paths of a choice. Those that print no tag, though another branch does, remember it. */
export function chosen(
  start: Path,
  { branches, words }: { readonly branches: readonly Branch[]; readonly words: ReadonlySet<string> },
): readonly Path[] {
  const tagged = branches.flatMap(({ paths }) => paths.filter((path) => printsTag(path, start)));
  const isGuard = tagged.every(({ end }) => end === 'exit' || end === 'return');
  return branches.flatMap(({ at, isBranch, paths }) =>
    paths.map((path) => {
      const isSame = path.skipped.length === start.skipped.length && path.isOpen === start.isOpen;
      if (tagged.length === 0 || isBranch === 'never' || path.end !== 'next' || !isSame || printsTag(path, start))
        return path;
      return skipping(path, { at, isBranch, words, isGuard });
    }),
  );
}

/** The path that leaves a tag out. */
export function skipping(path: Path, skip: Skip): Path {
  return { ...path, skipped: [...path.skipped, skip] };
}

/** The path that ends here with exit code 0: without a tag, if only choices that end otherwise are before it. */
export function exiting(path: Path, at: number): Path {
  const isTagless = !path.isOpen && path.skipped.every(({ isGuard }) => isGuard) && !printsTag(path, START);
  return isTagless ? skipping(path, { at, isBranch: true, words: new Set(), isGuard: false }) : path;
}

/** Whether a path has printed a tag, or part of one, since `start`. */
export function printsTag({ chunks }: Path, start: Path): boolean {
  return mayBeTag(together(chunks.slice(start.chunks.length)).text);
}

/** True for a text with what may begin a tag; `<print>` is no transition. */
export function mayBeTag(text: string): boolean {
  return /<(?!\/?print[\s>])/.test(text);
}

/** Where a path without a tag should have printed one; undefined if its choices may exclude each other. */
export function missingTagAt({ skipped }: Pick<Path, 'skipped'>): Skip | undefined {
  const last = skipped.at(-1);
  const others = skipped.slice(0, -1);
  const mayExclude = others.some(({ isGuard, words }) => !isGuard || [...words].some((word) => last?.words.has(word)));
  return mayExclude ? undefined : last;
}

const KEYWORDS = new Set(
  'if then else elif fi not and or in is test true false True False None null case do len'.split(' '),
);

/** The words of a condition, such as its variables. */
export function wordsIn(text: string): ReadonlySet<string> {
  const words = [...text.matchAll(/(?<![-\w])[A-Za-z_]\w*/g)].map(([word]) => word);
  return new Set(words.filter((word) => !KEYWORDS.has(word)));
}

/** The path without the values of these variables. */
export function forget(path: Path, names: readonly string[]): Path {
  const values = new Map([...path.values].filter(([name]) => !names.includes(name)));
  return { ...path, values };
}

/** How `exit` or `return` ends. */
export function exitStatus(code: string | undefined, last: Status): Status {
  if (code === undefined) return last;
  if (/^\d+$/.test(code)) return Number(code) % 256 === 0 ? 'true' : 'false';
  return 'maybe';
}

/** Whether a value matches one of the patterns of `case`. */
export function matchOf(subject: string, patterns: readonly string[]): 'yes' | 'no' | 'maybe' {
  if (patterns.includes('*')) return 'yes';
  if ([subject, ...patterns].some((text) => text.includes(COMPUTED) || /[[\]?()~]/.test(text))) return 'maybe';
  const isMatch = patterns.some((pattern) =>
    new RegExp(
      `^${pattern
        .split('*')
        .map((part) => part.replace(/[.+^${}|\\]/g, '\\$&'))
        .join('.*')}$`,
      's',
    ).test(subject),
  );
  return isMatch ? 'yes' : 'no';
}

/** Paths that print the same and end the same are one. */
export function distinct(paths: readonly Path[]): readonly Path[] {
  if (paths.length < 2) return paths;
  const seen = new Map<string, Path>();
  for (const path of paths) {
    const { chunks, values, end, status, isOpen, skipped, exit } = path;
    const texts = chunks.map((chunk) => `${chunk.offsetOf(0)} ${chunk.text}`);
    const key = JSON.stringify([
      texts,
      [...values].map(([name, value]) => [name, value.text]),
      end,
      status,
      isOpen,
      skipped.map(({ at }) => at),
      exit?.at,
    ]);
    if (!seen.has(key)) seen.set(key, path);
  }
  return [...seen.values()];
}

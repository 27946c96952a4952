// One way through a bash script: what was printed so far, the known values of variables, and how it continues. Pure values.
import { TracedText } from './position.js';
import { COMPUTED } from './shell-words.js';

/** How a command may end; `test` = the outcome of a test such as `[`; `untrue` = a test that was not true. */
export type Status = 'true' | 'false' | 'maybe' | 'test' | 'untrue';

/** One way through a script. */
export interface ScriptPath {
  readonly text: TracedText;
  /** How the script ends on it. */
  readonly status: Status;
  /** The end of its last command. */
  readonly endsAt: number;
  /** True if another program may have printed a tag, or if a loop may repeat one. */
  readonly isOpen: boolean;
  /** The conditions without an alternative that skipped a tag. */
  readonly skipped: readonly number[];
}

/** A path that is being followed. */
export interface Path {
  readonly chunks: readonly TracedText[];
  readonly values: ReadonlyMap<string, TracedText>;
  /** `loop`: out of the loop; `again`: to its next round. */
  readonly end: 'next' | 'exit' | 'return' | 'loop' | 'again';
  readonly status: Status;
  readonly endsAt: number;
  readonly isOpen: boolean;
  readonly skipped: readonly number[];
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

/** The path that skips a condition without an alternative. */
export function skipping(path: Path, { at, isTag }: { readonly at: number; readonly isTag: boolean }): Path {
  return isTag ? { ...path, skipped: [...path.skipped, at] } : path;
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
    const { chunks, values, end, status, isOpen, skipped } = path;
    const texts = chunks.map((chunk) => `${chunk.offsetOf(0)} ${chunk.text}`);
    const key = JSON.stringify([
      texts,
      [...values].map(([name, value]) => [name, value.text]),
      end,
      status,
      isOpen,
      skipped,
    ]);
    if (!seen.has(key)) seen.set(key, path);
  }
  return [...seen.values()];
}

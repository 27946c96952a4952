// The output of processes with line numbers: of a long one a part is shown, at first its end, with
// buttons to both ends and a search in all of it.
import type { JSX, RefObject } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { ansiLines, plain, type Piece } from '../ansi.js';
import { counted } from '../words.js';
import { Copy, Download } from './copy.js';

/** How many lines are shown at once. */
const WINDOW = 1000;

/** Longer lines are cut: a browser lays out a line of megabytes for minutes. */
const MAX_LINE = 20_000;

/** Outputs with fewer lines get no line numbers. */
const FEW = 12;

interface TerminalTextProps {
  readonly text: string;
  /** Its content, for screen readers. */
  readonly label: string;
  /** Keeps its end in view. */
  readonly follow?: boolean;
  /** With search, copy and download; the name of the file. */
  readonly file?: string;
}

/** Output. */
export function TerminalText({ text, label, follow = false, file }: TerminalTextProps): JSX.Element {
  const lines = useMemo(() => text.replace(/\n$/, '').split('\n'), [text]);
  const [wraps, setWraps] = useState(true);
  const view = useView(lines, follow);
  const { from, atEnd, place, find } = view;
  const pieces = useMemo(
    () =>
      ansiLines(
        lines
          .slice(from, from + WINDOW)
          .map(cut)
          .join('\n'),
      ),
    [lines, from],
  );
  return (
    <div class="output">
      {file !== undefined && text !== '' && (
        <div class="row tools">
          <Search {...find} show={view.show} label={label} />
          <button type="button" class="quiet" onClick={view.toBeginning}>
            Beginning
          </button>
          <button type="button" class="quiet" onClick={view.toEnd}>
            End
          </button>
          <button type="button" class="quiet" aria-pressed={wraps} onClick={() => setWraps(!wraps)}>
            Wrap lines
          </button>
          <Copy text={() => plain(text)} what={label} />
          <Download text={() => plain(text)} name={file} />
        </div>
      )}
      {from > 0 && <Hidden count={from} which="before" show={() => view.move(-WINDOW / 2)} />}
      <pre
        ref={place}
        class={`terminal ${wraps ? '' : 'unwrapped'} ${lines.length >= FEW ? 'numbered' : ''}`}
        tabIndex={0}
        role="region"
        aria-label={label}
      >
        {pieces.map((line, index) => (
          <Line key={from + index} number={from + index + 1} line={line} isFound={from + index === find.line} />
        ))}
      </pre>
      {from < atEnd && <Hidden count={lines.length - from - WINDOW} which="after" show={() => view.move(WINDOW / 2)} />}
    </div>
  );
}

/** The shown part of the lines. */
interface View {
  readonly from: number;
  /** Where the last part starts. */
  readonly atEnd: number;
  readonly place: RefObject<HTMLPreElement | null>;
  readonly find: Find;
  readonly move: (lines: number) => void;
  readonly show: (line: number) => void;
  readonly toBeginning: () => void;
  readonly toEnd: () => void;
}

function useView(lines: readonly string[], follow: boolean): View {
  const [start, setStart] = useState<number>();
  const place = useRef<HTMLPreElement>(null);
  const find = useFind(lines);
  const atEnd = Math.max(lines.length - WINDOW, 0);
  const from = Math.min(start ?? atEnd, atEnd);
  const scroll = (where: 'beginning' | 'end'): void => {
    if (place.current !== null) place.current.scrollTop = where === 'end' ? place.current.scrollHeight : 0;
  };
  useLayoutEffect(() => {
    if (start === undefined && (follow || from > 0)) scroll('end');
  }, [lines, follow, start]);
  useEffect(() => {
    if (find.line !== undefined) place.current?.querySelector('.found')?.scrollIntoView({ block: 'nearest' });
  }, [find.line, from]);
  const to = (line: number): void => setStart(Math.max(0, Math.min(line, atEnd)));
  return {
    from,
    atEnd,
    place,
    find,
    move: (by) => to(from + by),
    show: (line) => {
      to(line - WINDOW / 2);
      find.go(line);
    },
    toBeginning: () => {
      to(0);
      requestAnimationFrame(() => scroll('beginning'));
    },
    toEnd: () => {
      setStart(undefined);
      requestAnimationFrame(() => scroll('end'));
    },
  };
}

function Line({
  number,
  line,
  isFound,
}: {
  readonly number: number;
  readonly line: readonly Piece[];
  readonly isFound: boolean;
}): JSX.Element {
  return (
    <span class={isFound ? 'line found' : 'line'} data-line={number}>
      {line.map(({ text, classes, fg, bg }, index) =>
        classes === '' && fg === undefined && bg === undefined ? (
          text
        ) : (
          <span key={index} class={classes} style={{ color: fg, background: bg }}>
            {text}
          </span>
        ),
      )}
      {'\n'}
    </span>
  );
}

function Hidden({
  count,
  which,
  show,
}: {
  readonly count: number;
  readonly which: 'before' | 'after';
  readonly show: () => void;
}): JSX.Element {
  return (
    <p class="muted row">
      {counted(count, 'line')} {which}
      <button type="button" class="quiet" onClick={show}>
        Show {which === 'before' ? 'earlier' : 'later'} output
      </button>
    </p>
  );
}

interface Find {
  readonly words: string;
  readonly set: (words: string) => void;
  /** The lines that have the words. */
  readonly hits: readonly number[];
  /** The line of the current hit. */
  readonly line: number | undefined;
  readonly go: (line: number) => void;
}

function useFind(lines: readonly string[]): Find {
  const [words, setWords] = useState('');
  const [line, setLine] = useState<number>();
  const hits = useMemo(() => {
    const wanted = words.toLowerCase();
    if (wanted === '') return [];
    return lines.flatMap((text, index) => (plain(text).toLowerCase().includes(wanted) ? [index] : []));
  }, [words, lines]);
  const set = (next: string): void => {
    setWords(next);
    // The line of other words is no hit.
    setLine(undefined);
  };
  return { words, set, hits, line, go: setLine };
}

function Search({
  words,
  set,
  hits,
  line,
  show,
  label,
}: Find & { readonly show: (line: number) => void; readonly label: string }): JSX.Element {
  const step = (by: 1 | -1): void => {
    if (hits.length === 0) return;
    const at = line === undefined ? -1 : hits.indexOf(line);
    const next = hits[(at + by + hits.length) % hits.length];
    if (next !== undefined) show(next);
  };
  return (
    <>
      <input
        type="search"
        placeholder="Find"
        aria-label={`Find in: ${label}`}
        value={words}
        onInput={({ currentTarget }) => set(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          event.preventDefault();
          step(event.shiftKey ? -1 : 1);
        }}
      />
      {words !== '' && (
        <span class="muted" role="status">
          {hits.length === 0
            ? 'Not found'
            : `${line === undefined ? '' : `${hits.indexOf(line) + 1} of `}${hits.length}`}
        </span>
      )}
    </>
  );
}

function cut(line: string): string {
  return line.length > MAX_LINE ? `${line.slice(0, MAX_LINE)} … (${line.length - MAX_LINE} more characters)` : line;
}

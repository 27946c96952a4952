// The terminal around a call: whether it can redraw lines, what it can show, and the title that it carries while a run is followed.
import pc from 'picocolors';
import type { Io, Outlet } from '../io.js';
import type { TableSpace } from './table.js';

type Surroundings = Pick<Io, 'env' | 'stderr'>;

/** True when stderr is a terminal on which lines can be redrawn. */
export function isTerminal({ env, stderr }: Surroundings): boolean {
  return stderr.isTTY === true && env['TERM'] !== 'dumb';
}

/** How lines are written on stderr: its width, its colours and its characters. */
export function lookOf({ env, stderr }: Surroundings): Pick<TableSpace, 'width' | 'unicode' | 'colors'> {
  return {
    width: stderr.columns ?? 80,
    unicode: isUnicode(env),
    colors: pc.createColors(isColoured(env, stderr)),
  };
}

/** True unless the environment says that characters beyond ASCII are not shown. */
function isUnicode({ LC_ALL, LC_CTYPE, LANG, TERM }: NodeJS.ProcessEnv): boolean {
  const locale = [LC_ALL, LC_CTYPE, LANG].find((name) => name !== undefined && name !== '');
  return TERM !== 'linux' && (locale === undefined || /utf-?8/i.test(locale));
}

/** As people ask for it by their environment, else on terminals. */
function isColoured(env: NodeJS.ProcessEnv, { isTTY = false }: Outlet): boolean {
  if (env['NO_COLOR']) return false;
  return env['FORCE_COLOR'] ? env['FORCE_COLOR'] !== '0' : isTTY && env['TERM'] !== 'dumb';
}

/** How many agents of a run do what, in as many words as a tab has room for. */
export function titleOf(runId: string, statuses: readonly string[]): string {
  const count = (...among: readonly string[]): number => statuses.filter((status) => among.includes(status)).length;
  const asking = count('asking');
  const counts: readonly (readonly [number, string])[] = [
    [count('running', 'queued'), 'running'],
    [asking, asking === 1 ? 'asks' : 'ask'],
    [count('paused'), 'paused'],
    [count('failed', 'lost'), 'failed'],
    [count('waiting', 'sleeping'), 'waiting'],
  ];
  const told = counts.flatMap(([number, word]) => (number === 0 ? [] : [`${number} ${word}`]));
  return told.length === 0 ? `raymond ${runId}` : `raymond ${runId}: ${told.join(', ')}`;
}

const ESCAPE = '\u001b';
const BELL = '\u0007';

/** The title of a terminal. */
export class TerminalTitle {
  private shown: string | undefined;

  constructor(private readonly stream: Outlet) {}

  /** Shows another title; the first keeps the one that was there before. */
  show(text: string): void {
    if (text === this.shown) return;
    const kept = this.shown === undefined ? `${ESCAPE}[22;2t` : '';
    this.stream.write(`${kept}${ESCAPE}]2;${text}${BELL}`);
    this.shown = text;
  }

  /** Gives the old title back; a terminal that keeps none has an empty one then. */
  restore(): void {
    if (this.shown === undefined) return;
    this.stream.write(`${ESCAPE}]2;${BELL}${ESCAPE}[23;2t`);
    this.shown = undefined;
  }
}

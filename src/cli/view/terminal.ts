// The terminal around a call: whether it can redraw lines, its characters and colours, and its title while a run is
// followed.
import pc from 'picocolors';
import type { Io, Outlet } from '../io.js';
import type { TableSpace } from './table.js';

type TerminalContext = Pick<Io, 'env' | 'stderr'>;

/** True when stderr is a terminal on which lines can be redrawn. */
export function isTerminal({ env, stderr }: TerminalContext): boolean {
  return stderr.isTTY === true && env['TERM'] !== 'dumb';
}

/** How lines are written on stderr: its width, its colours and its characters. */
export function lookOf({ env, stderr }: TerminalContext): Pick<TableSpace, 'width' | 'unicode' | 'colors'> {
  return {
    width: stderr.columns ?? 80,
    unicode: isUnicode(env),
    colors: pc.createColors(isColoured(env, stderr)),
  };
}

/** True unless the environment says that only ASCII is shown. */
function isUnicode({ LC_ALL, LC_CTYPE, LANG, TERM }: NodeJS.ProcessEnv): boolean {
  const locale = [LC_ALL, LC_CTYPE, LANG].find((name) => name !== undefined && name !== '');
  return TERM !== 'linux' && (locale === undefined || /utf-?8/i.test(locale));
}

/** From the environment, else on terminals. */
function isColoured(env: NodeJS.ProcessEnv, { isTTY = false }: Outlet): boolean {
  if (env['NO_COLOR']) return false;
  return env['FORCE_COLOR'] ? env['FORCE_COLOR'] !== '0' : isTTY && env['TERM'] !== 'dumb';
}

/** How many agents of a run are in which status, short enough for a tab. */
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
  const shownCounts = counts.flatMap(([number, word]) => (number === 0 ? [] : [`${number} ${word}`]));
  return shownCounts.length === 0 ? `raymond ${runId}` : `raymond ${runId}: ${shownCounts.join(', ')}`;
}

const ESCAPE = '\u001b';
const BELL = '\u0007';

/** The title of a terminal. */
export class TerminalTitle {
  private shown: string | undefined;

  constructor(private readonly stream: Outlet) {}

  /** Shows another title; the first call saves the previous one. */
  show(text: string): void {
    if (text === this.shown) return;
    const kept = this.shown === undefined ? `${ESCAPE}[22;2t` : '';
    this.stream.write(`${kept}${ESCAPE}]2;${text}${BELL}`);
    this.shown = text;
  }

  /** Restores the previous title; a terminal that saves none gets an empty one. */
  restore(): void {
    if (this.shown === undefined) return;
    this.stream.write(`${ESCAPE}]2;${BELL}${ESCAPE}[23;2t`);
    this.shown = undefined;
  }
}

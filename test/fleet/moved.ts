// How long agents whose host lost its power were without a turn. Pure.
import type { Strike } from './monkey.js';
import type { Noted } from './notes.js';

/** Seconds from the power-off until the turn that was under way began again, or the one after it when it had ended unheard. */
export interface Moves {
  /** Another host took it up. */
  readonly elsewhere: readonly number[];
  /** The same host did, when it was back. */
  readonly there: readonly number[];
}

/** Those of all power-offs. */
export function movesIn(notes: readonly Noted[], strikes: readonly Strike[]): Moves {
  const moves = strikes
    .filter(({ fault }) => fault === 'power off')
    .flatMap((strike) =>
      underWay(notes, { strike, strikes }).flatMap(({ agent, turn }) => {
        const next = notes.find(
          (note) => note.kind === 'B' && note.agent === agent && note.turn >= turn && note.at > strike.at,
        );
        return next === undefined
          ? []
          : [{ isThere: next.host === strike.host, seconds: (next.at - strike.at) / 1000 }];
      }),
    );
  const secondsOf = (there: boolean): number[] =>
    moves.filter(({ isThere }) => isThere === there).map((m) => m.seconds);
  return { elsewhere: secondsOf(false), there: secondsOf(true) };
}

/** The turns that a power-off has ended. One that was ended before notes no end either. */
function underWay(
  notes: readonly Noted[],
  { strike, strikes }: { readonly strike: Strike; readonly strikes: readonly Strike[] },
): readonly Noted[] {
  const before = notes.filter(({ at }) => at <= strike.at);
  const ended = new Set(before.filter(({ kind }) => kind === 'E').map(({ attempt }) => attempt));
  const begun = before.filter(({ kind }) => kind === 'B');
  return begun.filter(
    (note) =>
      note.host === strike.host &&
      !ended.has(note.attempt) &&
      !begun.some(({ agent, at }) => agent === note.agent && at > note.at) &&
      !strikes.some(
        (other) => other.host === note.host && isDeadly(other) && note.at < other.at && other.at < strike.at,
      ),
  );
}

function isDeadly({ fault }: Strike): boolean {
  return fault === 'power off' || fault === 'worker killed';
}

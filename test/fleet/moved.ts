// How long agents whose host lost its power were without a turn. Pure.
import type { Strike } from './monkey.js';
import type { Noted } from './notes.js';

/** Seconds from the power-off until another host began the turn that was under way, for each of those turns that another host took up. */
export function secondsElsewhere(notes: readonly Noted[], strikes: readonly Strike[]): readonly number[] {
  return strikes
    .filter(({ fault }) => fault === 'power off')
    .flatMap(({ host, at }) =>
      underWay(notes, { host, at }).flatMap(({ agent, turn }) => {
        const next = notes.find(
          (note) => note.kind === 'B' && note.agent === agent && note.turn >= turn && note.at > at,
        );
        return next === undefined || next.host === host ? [] : [(next.at - at) / 1000];
      }),
    );
}

function underWay(
  notes: readonly Noted[],
  { host, at }: { readonly host: string | undefined; readonly at: number },
): readonly Noted[] {
  const own = notes.filter((note) => note.host === host && note.at <= at);
  const ended = new Set(own.filter(({ kind }) => kind === 'E').map(({ attempt }) => attempt));
  return own.filter(({ kind, attempt }) => kind === 'B' && !ended.has(attempt));
}

// The outcome of trials as text: faults by kind, and what became of turns, agents, processes and dollars. Pure.
import { FAULTS } from './faults.js';
import type { Trial } from './trial.js';

/** The table that `npm run fleet` prints: a column for each seed; `ordered` = the orders that were to come to pass. */
export function tableOf(trials: readonly Trial[], ordered: number): string {
  const row = (name: string, of: (trial: Trial) => string | number): string =>
    `${name.padEnd(34)}${trials.map((trial) => String(of(trial)).padStart(14)).join('')}`;
  return [
    row('seed', ({ seed }) => seed),
    ...Object.keys(FAULTS).map((fault) =>
      row(`  ${fault}`, ({ strikes }) => strikes.filter((strike) => strike.fault === fault).length),
    ),
    row('faults', ({ strikes }) => strikes.length),
    row('two at once', ({ tried }) => tried.filter(({ order, struck }) => struck && order.beside !== undefined).length),
    row('turns', ({ turns }) => turns),
    row('attempts beyond one', ({ attempts }) => attempts),
    row('recorded turns repeated', ({ repeated }) => repeated),
    row('agents lost', ({ lost }) => lost),
    row('processes left', ({ orphans }) => orphans),
    row('dollars booked', ({ usd }) => usd.toFixed(3)),
    row('dollars of lost hosts, unreported', ({ unreportedUsd }) => unreportedUsd.toFixed(3)),
    row('dollars unaccounted', ({ unaccountedUsd }) => unaccountedUsd.toFixed(3)),
    row('power-off to turn elsewhere, s', ({ moves }) => rangeOf(moves.elsewhere)),
    row('power-off to turn on it again, s', ({ moves }) => rangeOf(moves.there)),
    row('resumed', ({ resumed }) => resumed),
    row('problems', ({ problems }) => problems.length),
    row('seconds (undisturbed)', ({ seconds, calmSeconds }) => `${seconds} (${calmSeconds})`),
    `${trials.flatMap(({ tried }) => tried).filter(({ struck }) => struck).length} struck of ${ordered} ordered`,
  ].join('\n');
}

function rangeOf(seconds: readonly number[]): string {
  if (seconds.length === 0) return '-';
  const sorted = [...seconds].sort((one, other) => one - other);
  return `${sorted[0]?.toFixed(0)}..${sorted.at(-1)?.toFixed(0)} of ${sorted.length}`;
}

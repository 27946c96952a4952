// The outcome of many trials as text: faults by kind and point, and what became of turns, agents, processes and dollars. Pure.
import type { Trial } from './trial.js';

/** The table that `npm run chaos` prints; `ordered` = the faults that were to come to pass. */
export function tableOf(trials: readonly Trial[], ordered: number): string {
  const strikes = trials.flatMap((trial) => trial.strikes);
  const names = [...new Set(strikes.map(({ order }) => `${order.kind} ${order.name}`))].sort();
  const faults = names.map((name) => {
    const own = strikes.filter(({ order }) => `${order.kind} ${order.name}` === name);
    const struck = own.filter((strike) => strike.struck).length;
    return `  ${name.padEnd(34)} ${String(struck).padStart(4)} of ${own.length}`;
  });
  const sum = (of: (trial: Trial) => number): number => trials.reduce((total, trial) => total + of(trial), 0);
  return [
    `faults (came to pass, of those tried)`,
    ...faults,
    `trials                ${trials.length} (seeds ${trials.map(({ seed, form }) => `${seed} ${form}`).join(', ')})`,
    `turns                 ${sum(({ turns }) => turns)}`,
    `attempts beyond one   ${sum((trial) => trial.repeated)}`,
    `agents lost           ${sum(({ lost }) => lost)}`,
    `processes left        ${sum(({ orphans }) => orphans)}`,
    `dollars unaccounted   ${sum(({ unaccountedUsd }) => Math.abs(unaccountedUsd)).toFixed(4)}`,
    `problems              ${sum(({ problems }) => problems.length)}`,
    `seconds               ${sum(({ seconds }) => seconds)}`,
    `${strikes.filter(({ struck }) => struck).length} struck of ${ordered} ordered`,
  ].join('\n');
}

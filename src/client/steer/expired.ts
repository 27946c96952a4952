// Expired questions: they accept no answer, so the message names the command that continues the run instead.
import type { AgentLine, AskLine } from '../../contract/runs.js';

/** True for a question that can no longer be answered; `now` in epoch milliseconds. */
export function hasExpired({ until }: Pick<AskLine, 'until'>, now: number): boolean {
  return until !== undefined && until <= now;
}

/** The expired question of an agent that asks; `now` in epoch milliseconds. */
export function expiredAsk({ status, ask }: Pick<AgentLine, 'status' | 'ask'>, now: number): AskLine | undefined {
  return status === 'asking' && ask !== undefined && hasExpired(ask, now) ? ask : undefined;
}

/** `ask_main_1 expired 3 minutes ago`. */
export function expiredText({ id, until = 0 }: Pick<AskLine, 'id' | 'until'>, now: number): string {
  return `${id} expired ${ago(now - until)}`;
}

const UNITS = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const;

function ago(ms: number): string {
  const seconds = Math.max(1, Math.round(ms / 1000));
  const [unit, size] = UNITS.find(([, length]) => seconds >= length) ?? UNITS[3];
  const count = Math.floor(seconds / size);
  return `${count} ${unit}${count === 1 ? '' : 's'} ago`;
}

// What a finished Claude turn gives to judge by: questions about it, each of one line. Structured fields come before text.
// Must not decide; classify.ts does.
import { tellsUsageLimit } from './limits.js';
import type { TurnOutput } from './outcome.js';

/** How the process came to its end; `enough` = ended on purpose when it lived on after its result. */
export type ClaudeEnd =
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'signalled'; readonly signal: string }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'enough' }
  | { readonly kind: 'idle'; readonly seconds: number }
  | { readonly kind: 'overtime'; readonly seconds: number }
  | { readonly kind: 'flooded'; readonly bytes: number }
  | { readonly kind: 'unstartable'; readonly what: string; readonly code: string; readonly message: string };

/** A turn that is over: what it printed, how it ended, the tail of its stderr, and when. */
export interface EndedTurn {
  readonly output: TurnOutput;
  readonly end: ClaudeEnd;
  readonly stderr: string;
  readonly now: Date;
}

/** An answer of the model, completed. */
export function isGood({ output: { last } }: EndedTurn): boolean {
  if (last === undefined || last.isError || last.numTurns === 0) return false;
  return last.terminalReason === undefined || last.terminalReason === 'completed';
}

/** The process never told how its turn ended. */
export function hasNoResult({ output }: EndedTurn): boolean {
  return output.results === 0;
}

/** Failed for certain: an error result, or a process that ended by itself without any result. */
export function hasFailed(turn: EndedTurn): boolean {
  const { output, end } = turn;
  if (output.last !== undefined) return output.last.isError;
  return end.kind === 'exited' && end.code !== 0;
}

/** The API answered with one of these. */
export function isStatus({ output: { last } }: EndedTurn, ...statuses: readonly number[]): boolean {
  return last?.isError === true && last.apiErrorStatus !== undefined && statuses.includes(last.apiErrorStatus);
}

/** The CLI named one of these classes of error. */
export function isError({ output: { last, assistantError } }: EndedTurn, ...errors: readonly string[]): boolean {
  return last?.isError === true && assistantError !== undefined && errors.includes(assistantError);
}

/** There is no program of that name that may be run. */
export function isNotInstalled({ end }: EndedTurn): boolean {
  return (
    end.kind === 'unstartable' && end.what === 'command' && ['ENOENT', 'EACCES', 'EPERM', 'ENOEXEC'].includes(end.code)
  );
}

/** The same in words: a last resort, for failed turns only. */
export function isLimitInWords(turn: EndedTurn): boolean {
  return hasFailed(turn) && tellsUsageLimit(words(turn));
}

/** The CLI told, as an event, that a usage limit refused the request. */
export function isLimitEvent({ output: { last, rateLimit } }: EndedTurn): boolean {
  return last?.isError === true && rateLimit?.status === 'rejected' && (last.apiErrorStatus ?? 429) === 429;
}

/** 5xx, overload, refused and broken connections, timeouts, answers that are no JSON: the last three have no status. */
export function isServiceTrouble(turn: EndedTurn): boolean {
  const { last } = turn.output;
  if (last?.isError !== true) return false;
  const status = last.apiErrorStatus;
  if (status !== undefined) return status >= 500 || status === 408;
  return (
    isError(turn, 'server_error', 'overloaded') || (last.terminalReason === 'api_error' && isError(turn, 'unknown'))
  );
}

/** One clause: how a turn ended that nothing else explains. */
export function describeEnd({ output, end }: EndedTurn): string {
  if (end.kind === 'idle') return `Claude Code printed nothing for ${end.seconds} seconds and was ended`;
  if (end.kind === 'overtime')
    return `Claude Code was ended because its turn took more than ${end.seconds} seconds (max_time)`;
  if (end.kind === 'flooded') return `Claude Code printed more than ${end.bytes} bytes in one turn and was ended`;
  const reason = output.last?.terminalReason ?? output.last?.subtype;
  if (output.last !== undefined) return `Claude Code ended its turn without an answer (${reason ?? 'no reason given'})`;
  if (end.kind === 'signalled') return `Claude Code was killed by ${end.signal} before its result`;
  return `Claude Code ended ${end.kind === 'exited' ? `with exit code ${end.code} ` : ''}before its result`;
}

/** What Claude Code itself said about it: its error text, else the end of its stderr. */
export function words({ output, end, stderr }: EndedTurn): string {
  if (end.kind === 'unstartable') return end.message;
  if (output.last === undefined) return stderr;
  return output.last.text ?? (output.last.errors.join('\n') || stderr);
}

/** `what`, and the last that Claude Code said about it. */
export function explain(what: string, turn: EndedTurn): string {
  const said = words(turn).trim().split('\n').slice(-3).join('\n').slice(0, 500);
  return said === '' ? `${what}.` : `${what}. It said: ${said}`;
}

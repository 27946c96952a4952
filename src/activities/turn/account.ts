// The account of Claude that one turn spends from: it is chosen before the turn waits for a slot, its variables replace
// the worker's credentials, and a usage limit counts for it alone.
import type { BackendVerdict } from '../../backends/backend.js';
import { defined } from '../../protocol/text.js';
import type { Attempt } from '../attempt/attempt.js';
import { scriptEnvironment, type Environment } from '../environment/environment.js';
import type { TurnFailureDetails } from '../../contract/turns.js';

/** Takes an account for a turn that is about to wait for a slot; the turn itself reports errors. */
export function claimAccount(attempt: Attempt, named: readonly string[] | undefined): void {
  try {
    const chosen = attempt.worker.accounts.choose(attempt.request, named);
    if (chosen !== undefined)
      attempt.waiter = { ...attempt.waiter, account: { name: chosen.name, weight: chosen.weight ?? 1 } };
  } catch {
    return; // the turn itself reports the error
  }
}

/**
 * The same environment with the account that the turn spends from, and with no other credentials of
 * Claude. Throws as `choose`.
 */
export async function withAccount(
  attempt: Attempt,
  { env, named }: { readonly env: Environment; readonly named: readonly string[] | undefined },
): Promise<Environment> {
  const { accounts } = attempt.worker;
  const chosen = accounts.choose(attempt.request, named);
  if (chosen === undefined) return env;
  if (named !== undefined) accounts.named.set(attempt.request, named);
  attempt.account = chosen.name;
  const own = await accounts.environmentOf(chosen, attempt);
  const others = Object.entries(env).filter(([name]) => !CREDENTIALS.has(name));
  // An account cannot override Raymond's own variables.
  return { ...Object.fromEntries(others), ...scriptEnvironment({ inherited: own, raymond: {} }).env };
}

/** The variables with which Claude Code can log in. */
const CREDENTIALS: ReadonlySet<string> = new Set([
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_AUTH_TOKEN',
  'CLAUDE_CODE_OAUTH_TOKEN',
]);

/** When a failed turn may be retried, and which account has reached its limit. */
export function limitOf(
  attempt: Attempt,
  { type, resetsAt }: Extract<BackendVerdict, { kind: 'failed' }>,
): Pick<TurnFailureDetails, 'resetsAt' | 'limited' | 'otherAccountFree'> {
  const { worker, request, account } = attempt;
  const until = resetsAt === undefined ? undefined : Math.max(resetsAt, Date.now() + worker.settings.shortestLimitMs);
  if (type !== 'UsageLimit' || account === undefined) return defined({ resetsAt: until });
  return worker.accounts.limit({ request, account }, until);
}

// The accounts of Claude that the worker's turns may spend from: which one a turn uses, what its
// process gets of it, and which have reached a usage limit. Secrets stay here and in the process of
// the turn.
import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import type { BackendVerdict } from '../../backends/backend.js';
import { defined } from '../../protocol/text.js';
import type { Attempt } from '../attempt/attempt.js';
import { readCredentials } from './credentials.js';
import { scriptEnvironment, type Environment } from './environment.js';
import { turnFailure } from '../failure.js';
import type { TurnFailureDetails, TurnRequest } from '../types.js';

/** One account, as the config has it: variables, or a command that prints them. */
export interface AccountSettings {
  readonly name: string;
  readonly env?: Environment | undefined;
  readonly command?: string | undefined;
  /** Its share of the agents, relative to other accounts. */
  readonly weight?: number | undefined;
}

/** How long the output of a command is cached. */
const FRESH_MS = 5 * 60_000;

/** A limit with an unknown end. */
const UNKNOWN_LIMIT_MS = 15 * 60_000;

/** The accounts of one worker. */
export class Accounts {
  /** Until when each is limited, epoch milliseconds. */
  private readonly limited = new Map<string, number>();
  private readonly printed = new Map<string, { readonly at: number; readonly env: Environment }>();

  constructor(readonly all: readonly AccountSettings[]) {}

  /**
   * The account of a turn: the one that its agent had, or one by weight, always the same for an
   * agent; limited accounts are skipped. Undefined when the worker has none. Throws `NeedsPerson`,
   * and `UsageLimit` when the whole pool is limited.
   */
  choose(request: TurnRequest, named: readonly string[] | undefined): AccountSettings | undefined {
    const pool = this.poolOf(request, named);
    if (pool.length === 0) return undefined;
    if (request.ignoreKnownLimits === true) for (const { name } of pool) this.limited.delete(name);
    const now = Date.now();
    const free = pool.filter(({ name }) => this.limitOf(name, request) <= now);
    const chosen = free.find(({ name }) => name === request.agent.account) ?? free.toSorted(byChance(request))[0];
    if (chosen !== undefined) return chosen;
    const ends = pool.map(({ name }) => `${name} until ${new Date(this.limitOf(name, request)).toISOString()}`);
    const resetsAt = this.earliest(pool, request);
    throw turnFailure('UsageLimit', `${who(request)}: usage limits of Claude are reached: ${ends.join(', ')}`, {
      resetsAt,
    });
  }

  /** Records a limit; returns when it ends, and when an account of the same pool is free. */
  limit(
    { request, account: name }: Attempt & { readonly account: string },
    until = Date.now() + UNKNOWN_LIMIT_MS,
  ): Pick<TurnFailureDetails, 'resetsAt' | 'limited' | 'otherAccountFree'> {
    this.limited.set(name, until);
    const resetsAt = this.earliest(this.poolOf(request, this.named.get(request)), request);
    return { resetsAt, limited: { [name]: until }, ...(resetsAt <= Date.now() ? { otherAccountFree: true } : {}) };
  }

  /** Which of them have reached their limits, as far as this worker knows. */
  states(now = Date.now()): readonly { readonly name: string; readonly isLimited: boolean }[] {
    return this.all.map(({ name }) => ({ name, isLimited: (this.limited.get(name) ?? 0) > now }));
  }

  /** The accounts that the states of turns in progress name. */
  readonly named = new WeakMap<TurnRequest, readonly string[]>();

  /** The variables of an account. Throws `NoCredentials`. */
  async environmentOf({ name, env, command }: AccountSettings, attempt: Attempt): Promise<Environment> {
    const known = this.printed.get(name);
    if (known !== undefined && known.at + FRESH_MS > Date.now()) return known.env;
    const printed = command === undefined ? {} : await readCredentials(attempt, { name, command });
    const all = { ...env, ...printed };
    attempt.worker.redactor.learn(all);
    this.printed.set(name, { at: Date.now(), env: all });
    return all;
  }

  private poolOf({ agent, settings, ...request }: TurnRequest, named = settings.accounts): readonly AccountSettings[] {
    if (this.all.length === 0 && named === undefined) return [];
    const forked = this.all.find(({ name }) => name === agent.attributes['account']);
    if (forked !== undefined) return [forked];
    const strange = named?.find((one) => !this.all.some(({ name }) => name === one));
    if (strange === undefined) return this.all.filter(({ name }) => named?.includes(name) ?? true);
    const there = this.all.length === 0 ? 'none' : this.all.map(({ name }) => name).join(', ');
    const what = `there is no account "${strange}" on host ${hostname()}; its config has ${there}`;
    throw turnFailure(
      'NeedsPerson',
      `${who({ agent, settings, ...request })}: ${what}; add it to accounts, restart the worker and resume`,
    );
  }

  private earliest(pool: readonly AccountSettings[], request: TurnRequest): number {
    return Math.min(...pool.map(({ name }) => this.limitOf(name, request)));
  }

  /** What this worker knows, or another one has reported. */
  private limitOf(name: string, { limited = {} }: TurnRequest): number {
    return Math.max(this.limited.get(name) ?? 0, limited[name] ?? 0);
  }
}

function who({ agent: { id, state } }: TurnRequest): string {
  return `${id}, ${state}`;
}

/**
 * Weighted rendezvous hashing: the order of the accounts for an agent. Each is first as often as
 * its weight says.
 */
function byChance({ runId, agent }: TurnRequest): (one: AccountSettings, other: AccountSettings) => number {
  const score = ({ name, weight = 1 }: AccountSettings): number => {
    const digest = createHash('sha256').update(`${runId}/${agent.id}/${name}`).digest();
    return -Math.log((digest.readUInt32BE(0) + 1) / 2 ** 32) / weight;
  };
  return (one, other) => score(one) - score(other);
}

/** Takes an account for a turn that is about to wait for a slot; the turn itself reports errors. */
export function claimAccount(attempt: Attempt, named: readonly string[] | undefined): void {
  try {
    const chosen = attempt.worker.accounts.choose(attempt.request, named);
    if (chosen !== undefined)
      attempt.waiter = { ...attempt.waiter, account: { name: chosen.name, weight: chosen.weight ?? 1 } };
  } catch {
    return; // it is judged when the turn begins
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
  const { worker, account } = attempt;
  const until = resetsAt === undefined ? undefined : Math.max(resetsAt, Date.now() + worker.settings.shortestLimitMs);
  if (type !== 'UsageLimit' || account === undefined) return defined({ resetsAt: until });
  return worker.accounts.limit(Object.assign(attempt, { account }), until);
}

// The accounts of Claude that the worker's turns may spend from: which one a turn uses, what its
// process gets of it, and which have reached a usage limit. Secrets stay here and in the process of
// the turn.
import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import { readCredentials, type AccountUser } from './credentials.js';
import type { Environment } from './environment.js';
import { turnFailure } from '../failure.js';
import type { AccountSettings } from '../settings.js';
import type { TurnFailureDetails, TurnRequest } from '../../contract/turns.js';

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
    { request, account: name }: { readonly request: TurnRequest; readonly account: string },
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
  async environmentOf({ name, env, command }: AccountSettings, user: AccountUser): Promise<Environment> {
    const known = this.printed.get(name);
    if (known !== undefined && known.at + FRESH_MS > Date.now()) return known.env;
    const printed = command === undefined ? {} : await readCredentials(user, { name, command });
    const all = { ...env, ...printed };
    user.worker.redactor.learn(all);
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

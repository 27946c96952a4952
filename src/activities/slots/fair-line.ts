// Which turn gets the next slot: the most urgent one; among equals, the one with the smallest share
// of the slots, by account, then workflow, then run, and in rotation where shares are equal
// (start-time fair queuing). Pure and deterministic.
/** A turn in the queue; priority 1 is the most urgent. */
export interface Waiter {
  readonly priority: number;
  /** The account that it spends from; absent = the worker's own. */
  readonly account?: Account;
  readonly workflow: string;
  readonly runId: string;
}

/** An account with its weight relative to other accounts. */
interface Account {
  readonly name: string;
  readonly weight: number;
}

/**
 * The slots that one account, workflow or run has, and when it is next served, in its parent's
 * virtual time.
 */
interface Share {
  used: number;
  finish: number;
}

/** Equal claims, in the order of their arrival. */
interface Row {
  readonly keys: readonly string[];
  readonly waiter: Waiter;
  readonly waiting: readonly Ticket[];
}

interface Ticket {
  readonly waiter: Waiter;
  readonly number: number;
}

/** How many idle shares are remembered. */
const REMEMBERED = 1000;

/** The queue for some slots, and their holders. */
export class FairLine {
  private readonly rows = new Map<string, Row>();
  private readonly shares = new Map<string, Share>();
  private readonly clocks = new Map<string, number>();
  private arrivals = 0;
  private count = 0;

  /** How many turns wait. */
  get length(): number {
    return this.count;
  }

  /** Adds a claim. */
  add(waiter: Waiter): void {
    const keys = keysOf(waiter);
    const name = `${waiter.priority} ${keys[2] ?? ''}`;
    const waiting = this.rows.get(name)?.waiting ?? [];
    this.rows.set(name, { keys, waiter, waiting: [...waiting, { waiter, number: (this.arrivals += 1) }] });
    this.count += 1;
  }

  /** Removes a claim that no longer waits. */
  remove(waiter: Waiter): void {
    for (const [name, row] of this.rows) {
      const rest = row.waiting.filter((ticket) => ticket.waiter !== waiter);
      if (rest.length === row.waiting.length) continue;
      this.count -= 1;
      this.keep(name, { ...row, waiting: rest });
    }
  }

  /** Removes the next claim and gives it a slot; undefined when the queue is empty. */
  next(): Waiter | undefined {
    const row = this.nextRow();
    const [first, ...rest] = row?.waiting ?? [];
    if (row === undefined || first === undefined) return undefined;
    this.keep(`${row.waiter.priority} ${row.keys[2] ?? ''}`, { ...row, waiting: rest });
    this.count -= 1;
    this.serve(row);
    return first.waiter;
  }

  /** Takes a slot back. */
  release(waiter: Waiter): void {
    for (const key of keysOf(waiter)) {
      const share = this.shares.get(key);
      if (share !== undefined) this.shares.set(key, { ...share, used: share.used - 1 });
    }
    if (this.shares.size > REMEMBERED) this.forgetIdle();
  }

  /** All waiting claims, in the order in which they would be served if no slot was released. */
  order(): readonly Waiter[] {
    const line = this.copy();
    const order: Waiter[] = [];
    for (let waiter = line.next(); waiter !== undefined; waiter = line.next()) order.push(waiter);
    return order;
  }

  private copy(): FairLine {
    const copy = new FairLine();
    for (const [name, row] of this.rows) copy.rows.set(name, row);
    for (const [key, share] of this.shares) copy.shares.set(key, share);
    for (const [key, clock] of this.clocks) copy.clocks.set(key, clock);
    return copy;
  }

  private nextRow(): Row | undefined {
    const urgent = Math.min(...[...this.rows.values()].map(({ waiter }) => waiter.priority));
    let rows = [...this.rows.values()].filter(({ waiter }) => waiter.priority === urgent);
    for (const level of LEVELS) {
      const [best] = rows.map((row) => this.rank(row, level)).sort(byRank);
      rows = rows.filter(({ keys }) => keys[level] === best?.key);
    }
    return rows[0];
  }

  private rank({ keys, waiter, waiting: [first] }: Row, level: Level): Rank {
    const key = keys[level] ?? '';
    const { used, start } = this.shareOf(keys, level);
    return { key, load: used / weightAt(level, waiter), start, number: first?.number ?? 0 };
  }

  private shareOf(keys: readonly string[], level: Level): { readonly used: number; readonly start: number } {
    const { used = 0, finish = 0 } = this.shares.get(keys[level] ?? '') ?? {};
    return { used, start: Math.max(finish, this.clocks.get(parentOf(keys, level)) ?? 0) };
  }

  private serve({ keys, waiter }: Row): void {
    for (const level of LEVELS) {
      const { used, start } = this.shareOf(keys, level);
      this.clocks.set(parentOf(keys, level), start);
      this.shares.set(keys[level] ?? '', { used: used + 1, finish: start + 1 / weightAt(level, waiter) });
    }
  }

  private keep(name: string, row: Row): void {
    if (row.waiting.length === 0) this.rows.delete(name);
    else this.rows.set(name, row);
  }

  /** An idle agent's share starts again from zero. */
  private forgetIdle(): void {
    const waiting = new Set([...this.rows.values()].flatMap(({ keys }) => keys));
    for (const [key, { used }] of this.shares) {
      if (used > 0 || waiting.has(key)) continue;
      this.shares.delete(key);
      this.clocks.delete(key);
    }
  }
}

/** Account, workflow, run. */
const LEVELS = [0, 1, 2] as const;
type Level = (typeof LEVELS)[number];

interface Rank {
  readonly key: string;
  readonly load: number;
  readonly start: number;
  readonly number: number;
}

function byRank(one: Rank, other: Rank): number {
  return one.load - other.load || one.start - other.start || one.number - other.number;
}

/** The names of a claim's shares; each is part of the one before it. */
function keysOf({ account, workflow, runId }: Waiter): readonly string[] {
  const first = JSON.stringify(account?.name ?? null);
  const second = `${first} ${JSON.stringify(workflow)}`;
  return [first, second, `${second} ${runId}`];
}

function parentOf(keys: readonly string[], level: Level): string {
  return level === 0 ? '' : (keys[level - 1] ?? '');
}

function weightAt(level: Level, { account }: Waiter): number {
  return level === 0 ? (account?.weight ?? 1) : 1;
}

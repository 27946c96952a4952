// Places under a limit: a limit is a name for how many turns may run at once, a lease is the permission for one turn, and the book says who
// has which and who waits. Pure and deterministic; the workflow that keeps the book is workflows/limiter.ts.
/** How many turns may run at once, by key. */
export type Limits = Readonly<Record<string, number>>;

/** The execution of an agent that asks for a lease or has one. */
export interface Holder {
  readonly workflowId: string;
  readonly runId: string;
}

/** An agent that wants a place of each of these keys for its next turn; it has one request at a time. */
export interface LeaseRequest {
  readonly holder: Holder;
  readonly requestId: string;
  readonly keys: readonly string[];
  /** 1 is served first. */
  readonly priority: number;
}

/** Which request is meant. */
export type LeaseName = Pick<LeaseRequest, 'holder' | 'requestId'>;

/** A request that was granted, since when (epoch milliseconds). */
export interface HeldLease extends LeaseRequest {
  readonly since: number;
}

/** Leases to look after. */
export interface HolderCheck {
  readonly held: readonly HeldLease[];
  /** The time of the limiter, epoch milliseconds. */
  readonly now: number;
  readonly checkMs: number;
}

/** What a turn is given that has its places. */
export interface Lease extends Pick<HeldLease, 'requestId' | 'keys' | 'since'> {
  /** The workflow that has granted it. */
  readonly limiter: string;
}

/** What a turn lacks that must have places first; its worker has asked for them. */
export interface WantedLease extends Pick<LeaseRequest, 'requestId' | 'keys'> {
  readonly limiter: string;
  /** For people: what it waits for. */
  readonly places: string;
}

/** How much of a limit is in use. */
export interface LimitUse {
  readonly key: string;
  readonly size: number;
  readonly used: number;
  readonly waiting: number;
}

/** The book as it travels; `checkMs` = how often holders are looked after, `messagesPerHistory` = when it continues as new. */
export interface LimiterInput {
  readonly limits: Limits;
  readonly checkMs: number;
  readonly messagesPerHistory: number;
  readonly held?: readonly HeldLease[];
  readonly waiting?: readonly LeaseRequest[];
}

/** The names by which everybody else speaks of the limiter's workflow. */
export const LIMITER = { workflow: 'limiter', want: 'want', limits: 'limits', uses: 'uses', holds: 'holds' } as const;

/** The id of the limiter of a task queue; no run can have it. */
export function limiterId(taskQueue: string): string {
  return `_limits/${taskQueue}`;
}

/** So many wait in the line: the book must stay small. Others ask again after a while. */
const MAX_WAITING = 1000;

/** Who has places, and who waits for some. */
export class LeaseBook {
  limits: Limits;
  private held: readonly HeldLease[];
  private waiting: readonly LeaseRequest[];

  constructor({ limits, held = [], waiting = [] }: Pick<LimiterInput, 'limits' | 'held' | 'waiting'>) {
    this.limits = limits;
    this.held = held;
    this.waiting = waiting;
  }

  /** The book as it travels. */
  snapshot(): Required<Pick<LimiterInput, 'limits' | 'held' | 'waiting'>> {
    const { limits, held, waiting } = this;
    return { limits, held, waiting };
  }

  get isEmpty(): boolean {
    return this.held.length + this.waiting.length === 0;
  }

  get hasWaiting(): boolean {
    return this.waiting.length > 0;
  }

  /** Takes a request. Who holds a place, or waits, and asks again keeps it. */
  ask(request: LeaseRequest): void {
    const isOwn = ({ holder }: LeaseRequest): boolean => isSame(holder, request.holder);
    if (this.held.some(isOwn)) {
      this.held = this.held.filter((lease) => !isOwn(lease));
      this.waiting = [request, ...this.waiting];
    } else if (this.waiting.some(isOwn)) this.waiting = this.waiting.map((one) => (isOwn(one) ? request : one));
    else if (this.waiting.length < MAX_WAITING) this.waiting = [...this.waiting, request];
  }

  /** Takes a lease back, or a request that waits. */
  release({ holder, requestId }: LeaseName): void {
    const isLeft = (one: LeaseRequest): boolean => one.requestId !== requestId || !isSame(one.holder, holder);
    this.held = this.held.filter(isLeft);
    this.waiting = this.waiting.filter(isLeft);
  }

  /** True while that request is granted. */
  holds({ holder, requestId }: LeaseName): boolean {
    return this.held.some((lease) => lease.requestId === requestId && isSame(lease.holder, holder));
  }

  /** Grants what can be granted: by priority, then in order; nobody is overtaken by a later request for one of the same keys. */
  grant(now: number): readonly LeaseRequest[] {
    const used = this.counts(this.held);
    const blocked = new Set<string>();
    const granted = new Set<LeaseRequest>();
    for (const request of [...this.waiting].sort((one, other) => one.priority - other.priority)) {
      const { keys } = request;
      const hasRoom = keys.every((key) => !blocked.has(key) && (used.get(key) ?? 0) < (this.limits[key] ?? Infinity));
      if (hasRoom) granted.add(request);
      for (const key of keys) {
        if (hasRoom) used.set(key, (used.get(key) ?? 0) + 1);
        else blocked.add(key);
      }
    }
    this.held = [...this.held, ...[...granted].map((request) => ({ ...request, since: now }))];
    this.waiting = this.waiting.filter((request) => !granted.has(request));
    return [...granted];
  }

  /** How much of each limit is in use. */
  uses(): readonly LimitUse[] {
    const [used, waiting] = [this.counts(this.held), this.counts(this.waiting)];
    return Object.entries(this.limits).map(([key, size]) => {
      return { key, size, used: used.get(key) ?? 0, waiting: waiting.get(key) ?? 0 };
    });
  }

  private counts(requests: readonly LeaseRequest[]): Map<string, number> {
    const counts = new Map<string, number>();
    for (const { keys } of requests) for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
    return counts;
  }
}

function isSame(one: Holder, other: Holder): boolean {
  return one.workflowId === other.workflowId && one.runId === other.runId;
}

/** What a key may look like, for messages. */
export const KEY_FORM = 'a name without blanks and commas, such as opus or repo:payments';

/** The keys in a text, apart by commas; undefined when one of them is none. */
export function parseKeys(text: string): readonly string[] | undefined {
  const keys = text.split(',').map((key) => key.trim());
  return keys.every(isKey) ? [...new Set(keys)] : undefined;
}

/** True for what a limit may be called. */
export function isKey(key: string): boolean {
  return KEY.test(key);
}

/** The same as an expression. */
export const KEY = /^[^\s,]{1,100}$/;

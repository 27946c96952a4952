// Leases under limits. A limit is a name for how many turns may run at once, a lease is the permission for one turn,
// and the book lists leases and waiting requests. Pure and deterministic; workflows/limiter.ts keeps the book.
/** How many turns may run at once, by key. */
export type Limits = Readonly<Record<string, number>>;

/** The execution of an agent that requests or has a lease. */
export interface Holder {
  readonly workflowId: string;
  readonly runId: string;
}

/** An agent that wants a slot of each of these keys for its next turn; it has at most one request. */
export interface LeaseRequest {
  readonly holder: Holder;
  readonly requestId: string;
  readonly keys: readonly string[];
  /** 1 is served first. */
  readonly priority: number;
}

/** Identifies a request. */
export type LeaseName = Pick<LeaseRequest, 'holder' | 'requestId'>;

/** A granted request, and since when (epoch milliseconds). */
export interface HeldLease extends LeaseRequest {
  readonly since: number;
}

/** Leases to check. */
export interface HolderCheck {
  readonly held: readonly HeldLease[];
  /** The limiter's clock, epoch milliseconds. */
  readonly now: number;
  readonly checkMs: number;
}

/** The lease of a turn. */
export interface Lease extends Pick<HeldLease, 'requestId' | 'keys' | 'since'> {
  /** The workflow that granted it. */
  readonly limiter: string;
}

/** The leases that a turn lacks; its worker has requested them. */
export interface WantedLease extends Pick<LeaseRequest, 'requestId' | 'keys'> {
  readonly limiter: string;
  /** What it waits for, in words. */
  readonly places: string;
}

/** The usage of a limit. */
export interface LimitUse {
  readonly key: string;
  readonly size: number;
  readonly used: number;
  readonly waiting: number;
}

/**
 * The book as it is passed on; `checkMs` = how often holders are checked, `messagesPerHistory` = when it continues as
 * new.
 */
export interface LimiterInput {
  readonly limits: Limits;
  readonly checkMs: number;
  readonly messagesPerHistory: number;
  readonly held?: readonly HeldLease[];
  readonly waiting?: readonly LeaseRequest[];
}

/** The names of the limiter's workflow and its messages. */
export const LIMITER = { workflow: 'limiter', want: 'want', limits: 'limits', uses: 'uses', holds: 'holds' } as const;

/** The id of the limiter of a task queue; no run can have it. */
export function limiterId(taskQueue: string): string {
  return `_limits/${taskQueue}`;
}

/** The longest queue of waiting requests: the book must stay small. Further agents ask again later. */
const MAX_WAITING = 1000;

/** The leases and the waiting requests. */
export class LeaseTable {
  limits: Limits;
  private held: readonly HeldLease[];
  private waiting: readonly LeaseRequest[];

  constructor({ limits, held = [], waiting = [] }: Pick<LimiterInput, 'limits' | 'held' | 'waiting'>) {
    this.limits = limits;
    this.held = held;
    this.waiting = waiting;
  }

  /** The book as it is passed on. */
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

  /** Accepts a request. An agent that has a lease or waits, and asks again, keeps it. */
  ask(request: LeaseRequest): void {
    const isOwn = ({ holder }: LeaseRequest): boolean => isSame(holder, request.holder);
    if (this.held.some(isOwn)) {
      this.held = this.held.filter((lease) => !isOwn(lease));
      this.waiting = [request, ...this.waiting];
    } else if (this.waiting.some(isOwn)) this.waiting = this.waiting.map((one) => (isOwn(one) ? request : one));
    else if (this.waiting.length < MAX_WAITING) this.waiting = [...this.waiting, request];
  }

  /** Takes a lease back, or a waiting request. */
  release({ holder, requestId }: LeaseName): void {
    const isLeft = (one: LeaseRequest): boolean => one.requestId !== requestId || !isSame(one.holder, holder);
    this.held = this.held.filter(isLeft);
    this.waiting = this.waiting.filter(isLeft);
  }

  /** True while that request is granted. */
  holds({ holder, requestId }: LeaseName): boolean {
    return this.held.some((lease) => lease.requestId === requestId && isSame(lease.holder, holder));
  }

  /** Grants what is possible: by priority, then in order; a later request for the same key never overtakes. */
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

  /** The usage of each limit. */
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

/** The form of a key, for messages. */
export const KEY_FORM = 'a name without spaces and commas, such as opus or repo:payments';

/** The keys in a text, separated by commas; undefined when one of them is not a key. */
export function parseKeys(text: string): readonly string[] | undefined {
  const keys = text.split(',').map((key) => key.trim());
  return keys.every(isKey) ? [...new Set(keys)] : undefined;
}

/** True for a valid name of a limit. */
function isKey(key: string): boolean {
  return KEY.test(key);
}

/** The same as an expression. */
export const KEY = /^[^\s,]{1,100}$/;

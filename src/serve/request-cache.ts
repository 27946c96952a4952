// Shares one answer among identical requests: requests that arrive while an answer is being computed get the next one
// together, and a request just after an answer gets the same, unless something has changed since. A hundred pages cost as
// much as one, and no client gets a state from before its own change or an event that it has received.
interface PendingRequest {
  readonly now: Promise<unknown>;
  next?: Promise<unknown>;
}

interface CachedAnswer {
  readonly answer: unknown;
  /** What had happened when it was asked for. */
  readonly changes: number;
}

/** How long an answer is reused, in milliseconds. */
const KEEP_MS = 100;

/** Answers in progress or just given, by request. */
export class RequestCache {
  private readonly pending = new Map<string, PendingRequest>();
  private readonly cached = new Map<string, CachedAnswer>();
  private done = 0;

  /** `publishedCount` counts the events that were sent to readers. */
  constructor(private readonly publishedCount: () => number) {}

  /** Marks earlier answers as outdated after a change. */
  changed(): void {
    this.done += 1;
  }

  /** The answer. */
  async share<Answer>(key: string, ask: () => Promise<Answer>): Promise<Answer> {
    const cached = this.cached.get(key);
    if (cached !== undefined && cached.changes === this.changes) return cached.answer as Answer;
    const request = this.pending.get(key);
    if (request === undefined) return (await this.begin(key, ask)) as Answer;
    request.next ??= settle(request.now).then(() => this.begin(key, ask));
    return (await request.next) as Answer;
  }

  private get changes(): number {
    return this.done + this.publishedCount();
  }

  private async begin(key: string, ask: () => Promise<unknown>): Promise<unknown> {
    const { changes } = this;
    const request: PendingRequest = { now: ask() };
    this.pending.set(key, request);
    try {
      const answer = await request.now;
      this.store(key, { answer, changes });
      return answer;
    } finally {
      if (request.next === undefined) this.pending.delete(key);
    }
  }

  private store(key: string, cached: CachedAnswer): void {
    this.cached.set(key, cached);
    setTimeout(() => {
      if (this.cached.get(key) === cached) this.cached.delete(key);
    }, KEEP_MS).unref();
  }
}

async function settle(answer: Promise<unknown>): Promise<void> {
  await answer.catch(() => undefined); // The caller gets the error.
}

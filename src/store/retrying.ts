// A store that waits: an operation that cannot reach the store is retried for as long as the caller may wait.
import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { StoreUnreachable, type ArtifactStore } from './store.js';

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 15_000;

/** The caller: until when it waits, and a callback with the reason; undefined = it works again. */
interface Waiting {
  readonly signal: AbortSignal;
  readonly onWait: (why: string | undefined) => void;
}

/** The same store; rejects with the signal's reason when that is aborted first. */
export class RetryingStore implements ArtifactStore {
  private waits = 0;

  constructor(
    private readonly store: ArtifactStore,
    private readonly waiting: Waiting,
  ) {
    // Every operation in progress listens, perhaps a hundred: Node would warn of a leak.
    setMaxListeners(0, waiting.signal);
  }

  get location(): string {
    return this.store.location;
  }

  value: ArtifactStore['value'] = (...words) => this.withRetries(() => this.store.value(...words));
  text: ArtifactStore['text'] = (value) => this.withRetries(() => this.store.text(value));
  put: ArtifactStore['put'] = (bytes) => this.withRetries(() => this.store.put(bytes));
  putFile: ArtifactStore['putFile'] = (path) => this.withRetries(() => this.store.putFile(path));
  materialise: ArtifactStore['materialise'] = (...words) => this.withRetries(() => this.store.materialise(...words));
  locate: ArtifactStore['locate'] = (sha256) => this.withRetries(() => this.store.locate(sha256));
  write: ArtifactStore['write'] = (...words) => this.withRetries(() => this.store.write(...words));
  read: ArtifactStore['read'] = (name) => this.withRetries(() => this.store.read(name));
  list: ArtifactStore['list'] = (folder) => this.withRetries(() => this.store.list(folder));

  private async withRetries<T>(work: () => Promise<T>): Promise<T> {
    const { signal } = this.waiting;
    const aborted = new Aborted(signal);
    let hasWaited = false;
    try {
      for (let wait = FIRST_WAIT_MS; ; wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
        try {
          return await Promise.race([work(), aborted.promise]);
        } catch (error) {
          if (!(error instanceof StoreUnreachable)) throw error;
          if (!hasWaited) this.waits += 1;
          hasWaited = true;
          this.waiting.onWait(error.message);
        }
        await Promise.race([delay(wait), aborted.promise]);
      }
    } finally {
      aborted.dispose();
      if (hasWaited) this.waits -= 1;
      if (hasWaited && this.waits === 0) this.waiting.onWait(undefined);
    }
  }
}

/** Rejects with the signal's reason when it is aborted. */
class Aborted {
  readonly promise: Promise<never>;
  private listener: () => void = () => undefined;

  constructor(private readonly signal: AbortSignal) {
    this.promise = new Promise((_, reject) => {
      this.listener = () => reject(signal.reason as Error);
      if (signal.aborted) this.listener();
      else signal.addEventListener('abort', this.listener, { once: true });
    });
    // It may be aborted while nothing awaits it.
    this.promise.catch(() => undefined);
  }

  dispose(): void {
    this.signal.removeEventListener('abort', this.listener);
  }
}

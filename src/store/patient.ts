// A store for somebody who has time: what it cannot be reached for is tried again and again, for as long as whoever waits may wait.
import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { StoreUnreachable, type ArtifactStore } from './store.js';

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 15_000;

/** Who waits: until when, and what hears why it does; undefined = not any more. */
interface Waiting {
  readonly signal: AbortSignal;
  readonly tell: (why: string | undefined) => void;
}

/** The same store; rejects with the signal's reason when that is aborted first. */
export class PatientStore implements ArtifactStore {
  private waits = 0;

  constructor(
    private readonly store: ArtifactStore,
    private readonly waiting: Waiting,
  ) {
    // Every operation under way listens, and a hundred may be: Node would warn of a leak.
    setMaxListeners(0, waiting.signal);
  }

  get place(): string {
    return this.store.place;
  }

  value: ArtifactStore['value'] = (...words) => this.trying(() => this.store.value(...words));
  text: ArtifactStore['text'] = (value) => this.trying(() => this.store.text(value));
  put: ArtifactStore['put'] = (bytes) => this.trying(() => this.store.put(bytes));
  putFile: ArtifactStore['putFile'] = (path) => this.trying(() => this.store.putFile(path));
  materialise: ArtifactStore['materialise'] = (...words) => this.trying(() => this.store.materialise(...words));
  locate: ArtifactStore['locate'] = (sha256) => this.trying(() => this.store.locate(sha256));
  write: ArtifactStore['write'] = (...words) => this.trying(() => this.store.write(...words));
  read: ArtifactStore['read'] = (name) => this.trying(() => this.store.read(name));
  list: ArtifactStore['list'] = (folder) => this.trying(() => this.store.list(folder));

  private async trying<T>(work: () => Promise<T>): Promise<T> {
    const { signal } = this.waiting;
    const aborted = new Aborted(signal);
    let told = false;
    try {
      for (let wait = FIRST_WAIT_MS; ; wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
        try {
          return await Promise.race([work(), aborted.promise]);
        } catch (error) {
          if (!(error instanceof StoreUnreachable)) throw error;
          if (!told) this.waits += 1;
          told = true;
          this.waiting.tell(error.message);
        }
        await Promise.race([delay(wait), aborted.promise]);
      }
    } finally {
      aborted.over();
      if (told) this.waits -= 1;
      if (told && this.waits === 0) this.waiting.tell(undefined);
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
    // It may be raced against nothing at the moment in which it is rejected.
    this.promise.catch(() => undefined);
  }

  over(): void {
    this.signal.removeEventListener('abort', this.listener);
  }
}

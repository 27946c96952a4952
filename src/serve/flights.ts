// The same question of many readers at one moment, asked once: whoever comes while an answer is on its way gets the next one, together with all
// others who do; whoever comes a moment after it was given gets the same, unless something has happened here since it was asked for. So many
// pages cost what one does, and nobody who has done something, or was told of an event, hears what was true before.
interface Flight {
  readonly now: Promise<unknown>;
  next?: Promise<unknown>;
}

interface Kept {
  readonly answer: unknown;
  /** What had happened when it was asked for. */
  readonly changes: number;
}

/** So many milliseconds an answer is given again. */
const KEEP_MS = 100;

/** Answers that are on their way, or were given a moment ago, by what was asked. */
export class Flights {
  private readonly flights = new Map<string, Flight>();
  private readonly kept = new Map<string, Kept>();
  private done = 0;

  /** `told` counts what was told to readers. */
  constructor(private readonly told: () => number) {}

  /** Says that somebody changes something: answers that were asked for before count no more. */
  changed(): void {
    this.done += 1;
  }

  /** The answer. */
  async share<Answer>(key: string, ask: () => Promise<Answer>): Promise<Answer> {
    const kept = this.kept.get(key);
    if (kept !== undefined && kept.changes === this.changes) return kept.answer as Answer;
    const flight = this.flights.get(key);
    if (flight === undefined) return (await this.begin(key, ask)) as Answer;
    flight.next ??= settled(flight.now).then(() => this.begin(key, ask));
    return (await flight.next) as Answer;
  }

  private get changes(): number {
    return this.done + this.told();
  }

  private async begin(key: string, ask: () => Promise<unknown>): Promise<unknown> {
    const { changes } = this;
    const flight: Flight = { now: ask() };
    this.flights.set(key, flight);
    try {
      const answer = await flight.now;
      this.keep(key, { answer, changes });
      return answer;
    } finally {
      if (flight.next === undefined) this.flights.delete(key);
    }
  }

  private keep(key: string, kept: Kept): void {
    this.kept.set(key, kept);
    setTimeout(() => {
      if (this.kept.get(key) === kept) this.kept.delete(key);
    }, KEEP_MS).unref();
  }
}

async function settled(answer: Promise<unknown>): Promise<void> {
  await answer.catch(() => undefined); // whoever has asked for it hears of it
}

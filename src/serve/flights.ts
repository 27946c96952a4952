// The same question of many readers at one moment, asked once: whoever comes while an answer is on its way gets the next one, together with all
// others who do. So nobody hears what was true before they asked, and many pages cost what one does.
interface Flight {
  readonly now: Promise<unknown>;
  next?: Promise<unknown>;
}

/** Answers that are on their way, by what was asked. */
export class Flights {
  private readonly flights = new Map<string, Flight>();

  /** The answer that begins from now on at the earliest. */
  async share(key: string, ask: () => Promise<unknown>): Promise<unknown> {
    const flight = this.flights.get(key);
    if (flight === undefined) return await this.begin(key, ask);
    flight.next ??= settled(flight.now).then(() => this.begin(key, ask));
    return await flight.next;
  }

  private async begin(key: string, ask: () => Promise<unknown>): Promise<unknown> {
    const flight: Flight = { now: ask() };
    this.flights.set(key, flight);
    try {
      return await flight.now;
    } finally {
      if (flight.next === undefined) this.flights.delete(key);
    }
  }
}

async function settled(answer: Promise<unknown>): Promise<void> {
  await answer.catch(() => undefined); // whoever has asked for it hears of it
}

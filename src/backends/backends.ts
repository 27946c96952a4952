// The backends of a worker by their names; and what any of them has printed, read for its cost alone, because who looks after a dead turn does not
// know which of them did it.
import type { BackendName } from '../protocol/language/policy.js';
import type { Backend, OutputReader } from './backend.js';
import { ClaudeBackend, ClaudeReader, type ClaudeSettings } from './claude/backend.js';
import { PiBackend, PiReader, type PiSettings } from './pi/backend.js';

/** What a program's output says of its cost. */
export type CostReader = Pick<OutputReader, 'costUsd'> & {
  push(chunk: Uint8Array): unknown;
  end(): unknown;
};

/** Knows what outputs say of their cost. */
export interface Pricing {
  reader(): CostReader;
}

/** The backends of one worker. */
export interface Backends extends Pricing {
  named(name: BackendName): Backend;
}

/** Those that this package has. */
export function ownBackends(settings: ClaudeSettings & PiSettings): Backends {
  const known: Readonly<Record<BackendName, Backend>> = {
    claude: new ClaudeBackend(settings),
    pi: new PiBackend(settings),
  };
  return { named: (name) => known[name], ...OWN_PRICING };
}

/** One in the place of all. */
export function onlyBackend(backend: Backend): Backends {
  return { named: () => backend, reader: () => backend.reader() };
}

/** The prices of what any of our backends printed: each understands its own lines only. */
export const OWN_PRICING: Pricing = { reader: () => new AnyReader([new ClaudeReader(), new PiReader()]) };

class AnyReader implements CostReader {
  constructor(private readonly readers: readonly OutputReader[]) {}

  push(chunk: Uint8Array): void {
    for (const reader of this.readers) reader.push(chunk);
  }

  end(): void {
    for (const reader of this.readers) reader.end();
  }

  get costUsd(): number {
    return this.readers.reduce((sum, { costUsd }) => sum + costUsd, 0);
  }
}

// The backends of a worker by name; and the cost of any of their outputs, because the cleanup of a dead turn does not
// know which backend ran it.
import type { BackendName } from '../protocol/language/policy.js';
import type { Backend, OutputReader } from './backend.js';
import { ClaudeBackend, ClaudeReader, type ClaudeSettings } from './claude/backend.js';
import { PiBackend, PiReader, type PiSettings } from './pi/backend.js';

/** The cost that a program's output reports. */
type CostReader = Pick<OutputReader, 'costUsd'> & {
  push(chunk: Uint8Array): unknown;
  end(): unknown;
};

/** Reads the cost from outputs. */
export interface Pricing {
  reader(): CostReader;
}

/** The backends of one worker. */
export interface Backends extends Pricing {
  named(name: BackendName): Backend;
}

/** Our backends. */
export function ownBackends(settings: ClaudeSettings & PiSettings): Backends {
  const known: Readonly<Record<BackendName, Backend>> = {
    claude: new ClaudeBackend(settings),
    pi: new PiBackend(settings),
  };
  return { named: (name) => known[name], ...OWN_PRICING };
}

/** One backend for all names. */
export function onlyBackend(backend: Backend): Backends {
  return { named: () => backend, reader: () => backend.reader() };
}

/** Reads the cost of any backend's output: each reader understands only its own lines. */
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

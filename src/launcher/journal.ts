// The attempt's journal: every line that says what was spent is on disk before it is forwarded, so that no reported
// dollar is lost when the worker dies. Only looks for such lines; what they mean is not decided here.
import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { point } from '../host/faults.js';

const NEWLINE = 10;
const OPENING_BRACE = 123;
const LONGEST_LINE = 16 << 20;

/** Watches a stream of bytes and appends its result and usage lines to a file. */
export class Journal {
  readonly #file: number;
  #line: Buffer[] = [];
  #length = 0;
  #skipping = false;

  /** Makes the file (0600) and its folders (0700); throws what the operating system says. */
  constructor(path: string) {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    this.#file = openSync(path, 'a', 0o600);
  }

  /** Takes the next bytes; lines that end in them have been written when this returns. */
  feed(chunk: Buffer): void {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      this.#add(chunk.subarray(from, at));
      this.#finishLine();
      from = at + 1;
    }
    this.#add(chunk.subarray(from));
  }

  /** Takes an unfinished last line for a line, and closes the file. */
  close(): void {
    try {
      this.#finishLine();
    } finally {
      closeSync(this.#file);
    }
  }

  #add(part: Buffer): void {
    if (part.length === 0 || this.#skipping) return;
    // Output without line ends, or that is no JSON, must not pile up in memory.
    this.#skipping = (this.#length === 0 && part[0] !== OPENING_BRACE) || this.#length + part.length > LONGEST_LINE;
    if (this.#skipping) return this.#forget();
    this.#line.push(part);
    this.#length += part.length;
  }

  #finishLine(): void {
    const line = Buffer.concat(this.#line);
    this.#forget();
    this.#skipping = false;
    if (!tellsSpending(line)) return;
    point('launcher-before-journal');
    writeSync(this.#file, `${line.toString('utf8')}\n`);
    point('launcher-after-journal');
  }

  #forget(): void {
    this.#line = [];
    this.#length = 0;
  }
}

/** True for a JSON line that is a result, or a stream event that carries usage. */
export function tellsSpending(line: Buffer): boolean {
  // Most lines are neither: looking for the word is much cheaper than parsing.
  if (!line.includes('"result"') && !line.includes('"usage"')) return false;
  try {
    const { type, event } = JSON.parse(line.toString('utf8')) as StreamLine;
    if (type === 'result') return true;
    return type === 'stream_event' && (event?.usage !== undefined || event?.message?.usage !== undefined);
  } catch {
    return false; // not JSON, or cut off
  }
}

interface StreamLine {
  readonly type?: unknown;
  readonly event?: { readonly usage?: unknown; readonly message?: { readonly usage?: unknown } | null } | null;
}

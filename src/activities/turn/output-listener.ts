// Reads the output of a turn's process and sends it to the live view, with complete `<print>`s at once. It knows when a
// backend has finished its answer; it does not judge the answer.
import { StringDecoder } from 'node:string_decoder';
import type { Backend, BackendEvent, OutputReader } from '../../backends/backend.js';
import { point } from '../../host/faults.js';
import { PrintScanner } from '../../protocol/language/print.js';
import type { Attempt } from '../attempt/attempt.js';

/**
 * Reads the process's stdout; `enough` resolves when it runs on for `resultGraceMs` after its
 * answer.
 */
export class Listener {
  readonly enough: Promise<void>;
  private readonly reader: OutputReader;
  private readonly liveOutput: LiveOutput;
  private timer: NodeJS.Timeout | undefined;
  private ring: () => void = () => undefined;

  constructor(
    private readonly attempt: Attempt,
    backend: Backend,
  ) {
    this.reader = backend.reader(attempt.debug?.prompt());
    this.liveOutput = new LiveOutput(attempt);
    this.enough = new Promise((resolve) => (this.ring = resolve));
  }

  write(chunk: Uint8Array): void {
    for (const event of this.reader.push(chunk)) this.handle(event);
  }

  /** The complete output; no more may follow. */
  finish(): OutputReader {
    for (const event of this.reader.end()) this.handle(event);
    clearTimeout(this.timer);
    return this.reader;
  }

  private handle(event: BackendEvent): void {
    if (event.kind === 'answered') {
      point('result-heard');
      this.timer ??= setTimeout(this.ring, this.attempt.worker.settings.resultGraceMs).unref();
    }
    // Output after an answer means that the process is still busy.
    else this.timer?.refresh();
    this.showEvent(event);
  }

  private showEvent(event: BackendEvent): void {
    if (event.kind === 'said') {
      if (event.text !== '') this.liveOutput.words(event.text);
      if (event.tools.length > 0) this.liveOutput.lines(event.tools);
    } else if (event.kind === 'retries') this.attempt.reportProgress({ kind: 'said', text: event.text });
  }
}

/** Sends one stream of text to the live view. */
export class LiveOutput {
  private readonly decoder = new StringDecoder('utf8');
  private readonly prints = new PrintScanner();
  private isLineOpen = false;

  constructor(private readonly attempt: Attempt) {}

  /** Bytes of a stream, in any chunking. */
  bytes(chunk: Buffer): void {
    const text = this.decoder.write(chunk);
    if (text !== '') this.words(text);
  }

  /** Text instead of bytes. */
  words(text: string): void {
    this.isLineOpen = !text.endsWith('\n');
    this.attempt.reportProgress({ kind: 'said', text });
    for (const print of this.prints.push(text)) this.attempt.reportProgress({ kind: 'printed', text: print });
  }

  /** Lines of their own. */
  lines(lines: readonly string[]): void {
    const text = `${this.isLineOpen ? '\n' : ''}${lines.join('\n')}\n`;
    this.isLineOpen = false;
    this.attempt.reportProgress({ kind: 'said', text });
  }
}

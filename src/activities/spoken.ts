// What a process says while it runs, for whoever watches: its words as text, and its `<print>`s as soon as they are whole.
// Must not keep what was said, nor influence the turn.
import { StringDecoder } from 'node:string_decoder';
import { PrintScanner } from '../protocol/print.js';
import type { Turn } from './turn.js';

/** Hands one stream of words on to the live view. */
export class Spoken {
  private readonly decoder = new StringDecoder('utf8');
  private readonly prints = new PrintScanner();

  constructor(private readonly turn: Turn) {}

  /** Bytes of a stream, in any chunking. */
  bytes(chunk: Buffer): void {
    const text = this.decoder.write(chunk);
    if (text !== '') this.words(text);
  }

  /** Words that are text already. */
  words(text: string): void {
    this.turn.tell({ kind: 'said', text });
    for (const print of this.prints.push(text)) this.turn.tell({ kind: 'printed', text: print });
  }
}

// Finds `<print>…</print>` in a stream of text, also when chunks split a tag. Pure; holds back only a possible tag, and
// gives up a print that is not closed within `MAX_PRINT` characters.
/** The longest text of one print, in UTF-16 units. */
export const MAX_PRINT = 64 * 1024;

const OPEN = '<print>';
const CLOSE = '</print>';

/** Reads one stream; every stream (stdout, stderr, Claude's text) has its own scanner. */
export class PrintScanner {
  private rest = '';
  private inside = false;

  /** The prints that this chunk completes, trimmed. */
  push(chunk: string): readonly string[] {
    this.rest += chunk;
    const found: string[] = [];
    for (;;) {
      const mark = this.inside ? CLOSE : OPEN;
      const index = this.rest.indexOf(mark);
      if (index < 0) break;
      if (this.inside && index <= MAX_PRINT) found.push(this.rest.slice(0, index).trim());
      this.rest = this.rest.slice(index + mark.length);
      this.inside = !this.inside;
    }
    this.forget();
    return found;
  }

  /** Outside a print only the beginning of a tag matters; inside, text beyond the limit ends the print. */
  private forget(): void {
    if (!this.inside) this.rest = beginningOf(OPEN, this.rest);
    else if (this.rest.length > MAX_PRINT) {
      this.inside = false;
      this.rest = beginningOf(OPEN, this.rest);
    }
  }
}

/** The longest end of `text` that is a beginning of `mark`. */
function beginningOf(mark: string, text: string): string {
  for (let length = Math.min(mark.length - 1, text.length); length > 0; length -= 1) {
    const end = text.slice(-length);
    if (mark.startsWith(end)) return end;
  }
  return '';
}

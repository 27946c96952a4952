// Where things stand in a YAML file, and how to say something about a line of it.
// Must not look into the things.
import { isNode, LineCounter } from 'yaml';
import { clip } from '../../protocol/text.js';
import { ScopeError, type ScopeErrorCode } from './error.js';

/** The lines of a file; `file` is how messages call it. */
export class YamlPlaces {
  /** The parser writes down here where lines begin. */
  readonly lines = new LineCounter();

  constructor(readonly file: string) {}

  /** The line where `node` begins, if it is written anywhere. */
  lineOf(node: unknown): number | undefined {
    const start = isNode(node) ? node.range?.[0] : undefined;
    return start === undefined ? undefined : this.lineAt(start);
  }

  /** The line of a character. */
  lineAt(offset: number): number {
    return Math.max(1, this.lines.linePos(offset).line);
  }

  /** A message about a line. */
  note(line: number, message: string): string {
    return `${this.file}:${line}: ${clip(message, 500)}`;
  }

  /** An error about a line. */
  mistake(line: number, message: string, code: ScopeErrorCode = 'InvalidYaml'): ScopeError {
    return new ScopeError(code, this.note(line, message));
  }

  /** An error about the line where `node` begins. */
  mistakeAt(node: unknown, message: string, code: ScopeErrorCode = 'InvalidYaml'): ScopeError {
    return this.mistake(this.lineOf(node) ?? 1, message, code);
  }
}

// What a script's header says, with the places of its mistakes and warnings. Used before a start and before each turn.
// Must not throw, nor know what the package says beside the script.
import { readScriptHeader, type ScriptSettings } from '../protocol/script-header.js';

/** A header that was understood, or all its mistakes, each `file:line: …`. */
export type PlacedHeader =
  | { readonly kind: 'header'; readonly settings: ScriptSettings; readonly warnings: readonly string[] }
  | { readonly kind: 'mistaken'; readonly mistakes: readonly string[] };

/** Reads the header of the script `file`; `place` is how messages call a line of it. */
export function placedHeader(
  text: string,
  { file, place }: { readonly file: string; readonly place: (line: number) => string },
): PlacedHeader {
  const read = readScriptHeader(text, file);
  const placed = (notes: readonly { readonly line: number; readonly text: string }[]): readonly string[] =>
    notes.map((note) => `${place(note.line)}: ${note.text}`);
  return read.kind === 'mistaken'
    ? { kind: 'mistaken', mistakes: placed(read.mistakes) }
    : { ...read, warnings: placed(read.warnings) };
}

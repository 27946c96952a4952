// A package that was read into memory: its files by name, whether they lay in a zip, in a frozen folder, or were written in YAML.
// Must not read or write anything; packedScope.ts serves it.
import type { ScriptSettings } from '../../protocol/script-header.js';
import type { ParsedManifest } from './manifest.js';

/** What a package says of a state beside the text of its file, in the words of a script's header. */
export type StateSettings = ScriptSettings;

/** One file. `lineOf` gives the line of the package's own file where a line of `content` was written. */
export interface PackedFile {
  readonly content: Buffer;
  readonly executable: boolean;
  readonly settings?: StateSettings;
  readonly lineOf?: (line: number) => number;
}

/** A whole package; `sha256` and `size` are those of its file and of what is held in memory. */
export interface Packed {
  readonly sha256: string;
  readonly size: number;
  readonly files: ReadonlyMap<string, PackedFile>;
  readonly warnings: readonly string[];
  readonly manifest?: ParsedManifest;
}

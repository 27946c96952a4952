// How the rest of Raymond sees the files of a workflow package, wherever they lie.
// Must hold types only; reader.ts opens a scope.
import type { ParsedManifest } from './manifest.js';
import type { StateSettings } from './packed.js';

/** An open scope. What is read is what the package holds at that moment; every method may throw a `ScopeError`. */
export interface ScopeReader {
  /** The names of its files, sorted; of a YAML file those that its states stand for. */
  list(): Promise<readonly string[]>;
  /** The content of a file as it is now. */
  read(file: string): Promise<Buffer>;
  /** What the package says of a state outside of the state's own text. */
  settingsOf(file: string): StateSettings;
  /** Where a line of a file is, for messages: `path:line` that an editor can open, or the file alone. */
  placeOf(file: string, line?: number): string;
  /** A real file that a program can run, with the package's other files beside it; what must be unpacked goes below `folder`. */
  scriptPath(file: string, folder: string): Promise<string>;
  /** SHA-256 of the whole package. */
  hash(): Promise<string>;
  /** Its manifest, if it has one. */
  manifest(): Promise<ParsedManifest | undefined>;
  /** What is strange about the package as a whole, as `file:line: …`; the manifest's own warnings are not among them. */
  readonly warnings: readonly string[];
}

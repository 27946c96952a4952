// How the rest of Raymond sees the files of a workflow package, wherever they lie, and how large a package may be: enough for any
// collection of prompts and scripts, too little for a bomb.
import type { PolicyRead } from './frontmatter.js';
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
  /** The policy of a prompt that stands beside its text; undefined where it stands in it, as a frontmatter. */
  policyOf(file: string): PolicyRead | undefined;
  /** Where a line of a file is, for messages: `path:line` that an editor can open, or the file alone. */
  placeOf(file: string, line?: number): string;
  /** A real file that a program can run, with the package's other files beside it; what must be unpacked goes below `folder`. */
  scriptPath(file: string, folder: string): Promise<string>;
  /** SHA-256 of the whole package. */
  hash(): Promise<string>;
  /** Its manifest, if it has one. */
  manifest(): Promise<ParsedManifest | undefined>;
  /** What is unusual about the package as a whole, as `file:line: …`; the manifest's own warnings are not among them. */
  readonly warnings: readonly string[];
}

const MIB = 1024 ** 2;

/** Files (and folders) in one package. */
export const MAX_ENTRIES = 1_000;

/** All files of a package together, unpacked; also a packed archive. */
export const MAX_PACKAGE_BYTES = 64 * MIB;

/** One file of a package, unpacked. */
export const MAX_FILE_BYTES = 16 * MIB;

/** How much smaller than its content a packed file may be, from `RATIO_FROM_BYTES` on; text seldom reaches 20. */
export const MAX_RATIO = 200;

/** Small files may be packed as tightly as they can be. */
export const RATIO_FROM_BYTES = MIB;

/** A YAML file. */
export const MAX_YAML_BYTES = 4 * MIB;

/** The pieces (keys, values, signs, line ends outside of texts) of a YAML file: its parser needs up to 3 s for so many. */
export const MAX_YAML_TOKENS = 100_000;

/** How deep lists and mappings may lie in each other in a value that is passed on. */
export const MAX_YAML_DEPTH = 20;

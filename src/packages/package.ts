// How the rest of Raymond reads the files of a workflow package, and how large a package may be: enough for any set of
// prompts and scripts, too small for a zip bomb.
import type { PolicyRead } from './frontmatter.js';
import type { ParsedManifest } from './manifest.js';
import type { StateSettings } from './packed.js';

/** An open scope. It always reads the current content; every method may throw a `ScopeError`. */
export interface ScopeReader {
  /** The sorted names of its files; of a YAML file, the files that its states stand for. */
  list(): Promise<readonly string[]>;
  /** The content of a file as it is now. */
  read(file: string): Promise<Buffer>;
  /** The settings of a state that are not in the state's own text. */
  settingsOf(file: string): StateSettings;
  /** The policy that a YAML package has next to a prompt; undefined when it is in the text, as a frontmatter. */
  policyOf(file: string): PolicyRead | undefined;
  /** The position of a line of a file for messages: `path:line` that an editor can open, or the file alone. */
  positionOf(file: string, line?: number): string;
  /**
   * A real file that a program can run, with the package's other files beside it; it is unpacked below `folder` if
   * necessary.
   */
  scriptPath(file: string, folder: string): Promise<string>;
  /** SHA-256 of the whole package. */
  hash(): Promise<string>;
  /** Its manifest, if it has one. */
  manifest(): Promise<ParsedManifest | undefined>;
  /** Warnings about the package as a whole, as `file:line: …`, without the manifest's own. */
  readonly warnings: readonly string[];
}

const MIB = 1024 ** 2;

/** Files (and folders) in one package. */
export const MAX_ENTRIES = 1_000;

/** All files of a package together, unpacked; also a packed archive. */
export const MAX_PACKAGE_BYTES = 64 * MIB;

/** One file of a package, unpacked. */
export const MAX_FILE_BYTES = 16 * MIB;

/** The largest ratio of unpacked to packed size, from `RATIO_FROM_BYTES` on; text seldom reaches 20. */
export const MAX_RATIO = 200;

/** Below this size any ratio is allowed. */
export const RATIO_FROM_BYTES = MIB;

/** A YAML file. */
export const MAX_YAML_BYTES = 4 * MIB;

/**
 * The tokens (keys, values, punctuation, line ends outside of texts) of a YAML file: its parser takes up to 3 s for
 * this many.
 */
export const MAX_YAML_TOKENS = 100_000;

/** How deep lists and mappings may be nested in a value that is passed on. */
export const MAX_YAML_DEPTH = 20;

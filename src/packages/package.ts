// How the rest of Raymond reads the files of a workflow package.
import type { ScriptSettings } from '../protocol/language/state-file.js';
import type { PolicyRead } from './frontmatter.js';
import type { ParsedManifest } from './manifest.js';

/** The settings of a state outside of its text, as in a script's header. */
export type StateSettings = ScriptSettings;

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

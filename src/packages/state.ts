// Loading a state: its text as it is now, its hash, a script's header, and the names beside it. Read at every turn, so that edits
// take effect. What is wrong with its package is a `ScopeError`.
import type { Scope } from '../protocol/machine/agent.js';
import type { Folder, Platform } from '../protocol/language/resolve.js';
import { readScriptHeader, type ScriptSettings } from '../protocol/language/state-file.js';
import { sha256Of } from '../host/sha256.js';
import { decodeText } from './error.js';
import type { PolicyRead } from './frontmatter.js';
import { openScope } from './open.js';
import type { StateSettings } from './packed.js';
import type { Blobs } from './stored.js';

/** A state as read: `text` is decoded, without a byte order mark; `settings` are what its package says of it outside of the text. */
export interface LoadedState {
  readonly text: string;
  /** All that was read of it, with a policy that stands beside the text before it, and its hash. */
  readonly bytes: Uint8Array;
  readonly sha256: string;
  readonly settings: StateSettings;
  /** A prompt's policy, where it stands beside the text. */
  readonly policy: PolicyRead | undefined;
  /** Where a line of it is, for messages; without a line, the state itself. */
  readonly place: (line?: number) => string;
  /** A real file with it, the package's other files beside it; what must be unpacked for that goes below `folder`. */
  readonly realPath: (folder: string) => Promise<string>;
}

/** The platform whose scripts this worker runs. */
export const PLATFORM: Platform = process.platform === 'win32' ? 'windows' : 'unix';

/** What names in a scope are resolved by: its files, its kind and this worker's platform. */
export async function listScope(scope: Scope, blobs?: Blobs): Promise<Folder> {
  return { files: await (await openScope(scope, blobs)).list(), kind: scope.kind, platform: PLATFORM };
}

/** Reads a state of a scope. Throws a `ScopeError`. */
export async function loadState(scope: Scope, file: string, blobs?: Blobs): Promise<LoadedState> {
  const reader = await openScope(scope, blobs);
  const bytes = await reader.read(file);
  const policy = reader.policyOf(file);
  const whole = policy === undefined ? bytes : Buffer.from(`${JSON.stringify(policy)}\n${bytes.toString()}`);
  return {
    text: decodeText(reader.placeOf(file), bytes),
    bytes: whole,
    sha256: sha256Of(whole),
    policy,
    settings: reader.settingsOf(file),
    place: (line) => reader.placeOf(file, line),
    realPath: (folder) => reader.scriptPath(file, folder),
  };
}

/** A header that was understood, or all that is wrong with it, each `file:line: …`. */
export type PlacedHeader =
  | {
      readonly kind: 'header';
      readonly settings: ScriptSettings;
      readonly warnings: readonly string[];
      /** Why the script may fail although it is not wrong for certain. */
      readonly hints: readonly string[];
    }
  | { readonly kind: 'invalid'; readonly problems: readonly string[] };

/** Reads the header of the script `file`; `place` is how messages call a line of it. */
export function placedHeader(
  text: string,
  { file, place }: { readonly file: string; readonly place: (line: number) => string },
): PlacedHeader {
  const read = readScriptHeader(text, file);
  const placed = (problems: readonly { readonly line: number; readonly text: string }[]): readonly string[] =>
    problems.map((problem) => `${place(problem.line)}: ${problem.text}`);
  return read.kind === 'invalid'
    ? { kind: 'invalid', problems: placed(read.problems) }
    : { ...read, warnings: placed(read.warnings), hints: placed(read.hints) };
}

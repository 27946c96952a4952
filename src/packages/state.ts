// Loads a state: its current text, its hash, a script's header, and the names beside it. Read at every turn, so that
// edits take effect. Errors of its package are `ScopeError`s.
import type { ChosenBackend } from '../protocol/backend-options.js';
import type { Scope } from '../protocol/scope.js';
import type { Folder, Platform } from '../protocol/language/resolve.js';
import { readScriptHeader, type ScriptSettings } from '../protocol/language/state-file.js';
import { sha256Of } from '../host/sha256.js';
import { decodeText } from './error.js';
import type { PolicyRead } from './frontmatter.js';
import { openScope } from './open.js';
import type { StateSettings } from './package.js';
import type { Blobs } from './stored.js';

/**
 * A state as read: `text` is decoded, without a byte order mark; `settings` come from the package, outside of the text.
 */
export interface LoadedState {
  readonly text: string;
  /** Everything that was read, starting with a policy that is beside the text, and its hash. */
  readonly bytes: Uint8Array;
  readonly sha256: string;
  readonly settings: StateSettings;
  /** A prompt's policy, if it is next to the text. */
  readonly policy: PolicyRead | undefined;
  /** The position of a line for messages; without a line, of the state itself. */
  readonly positionText: (line?: number) => string;
  /** A real file with the state, the package's other files beside it; it is unpacked below `folder` if necessary. */
  readonly realPath: (folder: string) => Promise<string>;
}

/** The platform whose scripts this worker runs. */
export const PLATFORM: Platform = process.platform === 'win32' ? 'windows' : 'unix';

/** The context for resolving names in a scope: its files, its kind and this worker's platform. */
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
    text: decodeText(reader.positionOf(file), bytes),
    bytes: whole,
    sha256: sha256Of(whole),
    policy,
    settings: reader.settingsOf(file),
    positionText: (line) => reader.positionOf(file, line),
    realPath: (folder) => reader.scriptPath(file, folder),
  };
}

/** The backend that the manifest of a scope names for its prompts. Throws a `ScopeError`. */
export async function backendOfPackage(scope: Scope, blobs?: Blobs): Promise<ChosenBackend | undefined> {
  return (await (await openScope(scope, blobs)).manifest())?.manifest.backend;
}

/** A header that was understood, or its problems, each `file:line: …`. */
export type PositionedHeader =
  | {
      readonly kind: 'header';
      readonly settings: ScriptSettings;
      readonly warnings: readonly string[];
      /** A warning: why the script may fail. */
      readonly hints: readonly string[];
    }
  | { readonly kind: 'invalid'; readonly problems: readonly string[] };

/** Reads the header of the script `file`; `positionText` formats a position for messages. */
export function positionedHeader(
  text: string,
  { file, positionText }: { readonly file: string; readonly positionText: (line: number) => string },
): PositionedHeader {
  const read = readScriptHeader(text, file);
  const placed = (problems: readonly { readonly line: number; readonly text: string }[]): readonly string[] =>
    problems.map((problem) => `${positionText(problem.line)}: ${problem.text}`);
  return read.kind === 'invalid'
    ? { kind: 'invalid', problems: placed(read.problems) }
    : { ...read, warnings: placed(read.warnings), hints: placed(read.hints) };
}

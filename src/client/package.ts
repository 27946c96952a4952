// Opening a workflow package of any kind before a run: scope, entry state, manifest, and every state that can be reached from the entry
// by literal targets, checked as its turn would do it. What is wrong is an `InvalidWorkflow` error.
import { ScopeError, decodeText } from '../packages/error.js';
import { readPromptFile } from '../packages/frontmatter.js';
import { pinned } from '../packages/frozen.js';
import { openArgument, type OpenedArgument } from '../packages/locate.js';
import type { Manifest } from '../packages/manifest.js';
import { openScope } from '../packages/open.js';
import type { ScopeReader } from '../packages/package.js';
import { PLATFORM, placedHeader } from '../packages/state.js';
import { sendPackage } from '../packages/travel.js';
import type { Scope } from '../protocol/agent.js';
import { policyNames, type BackendName } from '../protocol/policy.js';
import { describeProblem } from '../protocol/problem.js';
import {
  executorOf,
  literalTargets,
  resolveEntry,
  resolveState,
  stateFiles,
  type Folder,
} from '../protocol/resolve.js';
import { originOf, packageName } from '../protocol/scope.js';
import type { ArtifactStore } from '../store/store.js';
import { ClientError } from './error.js';

/** A package that can be started. */
export interface OpenPackage {
  readonly name: string;
  readonly scope: Scope;
  readonly entry: string;
  /** True when a prompt can be reached. */
  readonly needsClaude: boolean;
  /** What prompts that can be reached name to answer them; `any` = one of them names nothing. */
  readonly backends: readonly (BackendName | 'any')[];
  /** Where policies that can be reached allow to ask a person, each `file:line`. */
  readonly asks: readonly string[];
  readonly manifest?: Manifest;
  /** What is unusual about the package and its manifest, for whoever starts it. */
  readonly warnings: readonly string[];
  /** SHA-256 of the whole package as it is now. */
  sha256(): Promise<string>;
}

/** Where an argument is read from, where downloaded packages are kept, and below which folder to freeze it, if it shall be frozen, or to which store it is sent with its run. */
interface PackagePlace {
  readonly cwd: string;
  readonly cacheDir: string;
  readonly pinDir?: string;
  /** Absent = the package stays where it is. */
  readonly store?: ArtifactStore;
}

/** Opens `argument`: a folder, a state file, a package in one file, a state in one, or an address. */
export async function openPackage(argument: string, place: PackagePlace): Promise<OpenPackage> {
  try {
    return await opened(argument, place);
  } catch (error) {
    if (error instanceof ScopeError) throw invalid(error.message);
    throw error;
  }
}

async function opened(argument: string, place: PackagePlace): Promise<OpenPackage> {
  const named = await openArgument(argument, { ...place, platform: PLATFORM });
  const found = await inspected(named, argument);
  if (place.store !== undefined) {
    const { scope, warnings } = await sendPackage(named.scope, { store: place.store, platform: PLATFORM });
    const sent = await inspected({ ...named, scope }, argument, place.store);
    return { ...sent, warnings: [...sent.warnings, ...warnings] };
  }
  if (place.pinDir === undefined) return found;
  // Looked at once more: it may have been edited before it was frozen.
  return await inspected({ ...named, scope: await pinned(named.scope, place.pinDir) }, argument);
}

async function inspected(
  { scope, entry: named }: OpenedArgument,
  argument: string,
  store?: ArtifactStore,
): Promise<OpenPackage> {
  const reader = await openScope(scope, store);
  const folder: Folder = { files: await reader.list(), kind: scope.kind, platform: PLATFORM };
  const entry = named ?? entryOf(scope, folder, argument);
  const manifest = await reader.manifest();
  const reached = await reachable(reader, { folder, entry, path: originOf(scope) });
  return {
    name: packageName(scope),
    scope,
    entry,
    needsClaude: [...reached.files].some((file) => executorOf(file) === 'prompt'),
    backends: reached.backends,
    asks: reached.asks,
    ...(manifest === undefined ? {} : { manifest: manifest.manifest }),
    warnings: [...reader.warnings, ...(manifest?.warnings ?? []), ...reached.hints],
    sha256: () => reader.hash(),
  };
}

function entryOf(scope: Scope, folder: Folder, argument: string): string {
  const path = originOf(scope);
  if (stateFiles(folder.files).length === 0) {
    throw invalid(
      `${path} has no states; a workflow consists of .md prompts or .sh scripts, one of them 1_START or START`,
    );
  }
  const entry = resolveEntry({ ...folder, path: argument });
  if (entry.kind === 'problem') throw invalid(`${path}: ${describeProblem(entry.problem)}`);
  return entry.file;
}

function invalid(message: string): ClientError {
  return new ClientError('InvalidWorkflow', message);
}

/** Where to begin; `path` is how messages call the package. */
interface EntryPoint {
  readonly folder: Folder;
  readonly entry: string;
  readonly path: string;
}

/** The files of the states, where their policies allow to ask a person, and why scripts may fail, each `file:line`. */
interface ReachableStates {
  readonly files: ReadonlySet<string>;
  readonly backends: OpenPackage['backends'];
  readonly asks: readonly string[];
  readonly hints: readonly string[];
}

/** Reads every state from `entry` on. A state that cannot be read, or an entry that cannot run here, is an `InvalidWorkflow`. */
export async function reachable(reader: ScopeReader, { folder, entry, path }: EntryPoint): Promise<ReachableStates> {
  const checked = resolveState({ ...folder, name: entry });
  if (checked.kind === 'problem') throw invalid(`${path}: ${describeProblem(checked.problem)}`);
  const seen = new Set<string>();
  const backends = new Set<BackendName | 'any'>();
  const asks: string[] = [];
  const hints: string[] = [];
  const todo = [entry];
  for (let file = todo.pop(); file !== undefined; file = todo.pop()) {
    if (seen.has(file)) continue;
    seen.add(file);
    const found = await lookInto(reader, { folder, file });
    asks.push(...found.asks);
    if (found.backend !== undefined) backends.add(found.backend);
    hints.push(...found.hints);
    for (const name of found.names) {
      const target = resolveState({ ...folder, name });
      if (target.kind === 'state') todo.push(target.file);
    }
  }
  return { files: seen, backends: [...backends], asks, hints };
}

/** The states that a state's text and policy name, where it may ask, and why it may fail. A mistake in its frontmatter or header is an error now. */
async function lookInto(
  reader: ScopeReader,
  { folder, file }: { readonly folder: Folder; readonly file: string },
): Promise<
  { readonly names: readonly string[]; readonly backend?: BackendName | 'any' } & Pick<
    ReachableStates,
    'asks' | 'hints'
  >
> {
  const text = decodeText(reader.placeOf(file), await reader.read(file));
  const place = (line: number): string => reader.placeOf(file, line);
  if (executorOf(file) === 'prompt') {
    const read = readPromptFile({ text, policy: reader.policyOf(file) }, { ...folder, place });
    if (read.kind === 'invalid') throw invalid(read.problems.join('\n'));
    const asking = read.policy.allowed.filter(({ tag }) => tag === 'ask');
    return {
      names: [...literalTargets(read.body), ...policyNames(read.policy)],
      backend: read.policy.backend ?? 'any',
      asks: asking.map(({ line }) => place(line)),
      hints: [],
    };
  }
  const header = placedHeader(text, { file, place });
  if (header.kind === 'invalid') throw invalid(header.problems.join('\n'));
  return { names: literalTargets(text), asks: [], hints: header.hints };
}

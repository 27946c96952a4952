// Opening a workflow package of any kind before a run: scope, entry state, manifest, what can be reached from the entry, and whether lint
// finds an error in it. What is wrong is an `InvalidWorkflow` error.
import { asksIn } from '../../analysis/workflows.js';
import { analyse } from '../../analysis/lint/analyse.js';
import { errorsIn, lint, type Finding } from '../../analysis/lint/lint.js';
import type { Analysis } from '../../analysis/lint/rule.js';
import { ScopeError } from '../../packages/error.js';
import { pinned } from '../../packages/frozen.js';
import { openArgument, type OpenedArgument } from '../../packages/locate.js';
import type { Manifest } from '../../packages/manifest.js';
import { openScope } from '../../packages/open.js';
import { PLATFORM } from '../../packages/state.js';
import { sendPackage } from '../../packages/travel.js';
import type { Scope } from '../../protocol/machine/agent.js';
import type { BackendName } from '../../protocol/language/policy.js';
import { describeProblem } from '../../protocol/language/problem.js';
import { executorOf, resolveEntry, resolveState, stateFiles, type Folder } from '../../protocol/language/resolve.js';
import { originOf, packageName } from '../../protocol/scope.js';
import type { ArtifactStore } from '../../store/store.js';
import { ClientError } from '../error.js';

/** A package that can be started. */
export interface OpenPackage {
  readonly name: string;
  readonly scope: Scope;
  readonly entry: string;
  /** True when a prompt can be reached. */
  readonly needsClaude: boolean;
  /** What prompts that can be reached name to answer them; `any` = one of them names nothing. */
  readonly backends: readonly (BackendName | 'any')[];
  /** Where states that can be reached may ask a person, each `file:line`: by their policies, by texts of prompts without one, by what scripts print. */
  readonly asks: readonly string[];
  /** False when it was opened without the check of a start. */
  readonly checked: boolean;
  /** The accounts of Claude that prompts which can be reached name. */
  readonly accounts: readonly NamedAccount[];
  readonly manifest?: Manifest;
  /** What is unusual about the package and its manifest, for whoever starts it. */
  readonly warnings: readonly string[];
  /** SHA-256 of the whole package as it is now. */
  sha256(): Promise<string>;
}

/** An account that a prompt names, and where: `file:line`. */
export interface NamedAccount {
  readonly name: string;
  readonly place: string;
}

/** Where an argument is read from, where downloaded packages are kept, and below which folder to freeze it, if it shall be frozen, or to which store it is sent with its run. */
interface PackagePlace {
  readonly cwd: string;
  readonly cacheDir: string;
  readonly pinDir?: string;
  /** Absent = the package stays where it is. */
  readonly store?: ArtifactStore;
  /** Refuses a package in which lint finds an error that a run of it can come to. */
  readonly check?: Check;
}

/** What the check of a start leaves out, and where bash is looked for. */
interface Check {
  readonly ignore: readonly string[];
  readonly path?: string | undefined;
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
  const found = await inspected(named, { argument, ...place });
  if (place.store !== undefined) {
    const { scope, warnings } = await sendPackage(named.scope, { store: place.store, platform: PLATFORM });
    const sent = await inspected({ ...named, scope }, { argument, cwd: place.cwd, store: place.store });
    // What was checked here is what was sent.
    const { asks, checked } = found;
    return { ...sent, asks, checked, warnings: [...sent.warnings, ...warnings] };
  }
  if (place.pinDir === undefined) return found;
  // Looked at once more: it may have been edited before it was frozen.
  return await inspected({ ...named, scope: await pinned(named.scope, place.pinDir) }, { argument, ...place });
}

interface Inspection extends Pick<PackagePlace, 'cwd' | 'store' | 'check'> {
  readonly argument: string;
}

async function inspected(
  { scope, entry: named }: OpenedArgument,
  { argument, cwd, store, check }: Inspection,
): Promise<OpenPackage> {
  const reader = await openScope(scope, store);
  const folder: Folder = { files: await reader.list(), kind: scope.kind, platform: PLATFORM };
  const entry = named ?? entryOf(scope, folder, argument);
  refuseForeign(scope, { folder, entry });
  const extent = check === undefined ? 'graph' : 'reached';
  const analysis = await analyse(reader, { scope, platform: PLATFORM, entry, cwd, extent, path: check?.path });
  if (check !== undefined) refuse(errorsIn(lint(analysis, check.ignore), analysis));
  const manifest = await reader.manifest();
  return {
    name: packageName(scope),
    scope,
    entry,
    needsClaude: [...analysis.reached].some((file) => executorOf(file) === 'prompt'),
    backends: backendsIn(analysis),
    asks: askPlaces(analysis),
    checked: check !== undefined,
    accounts: accountsIn(analysis, (file, line) => reader.placeOf(file, line)),
    ...(manifest === undefined ? {} : { manifest: manifest.manifest }),
    warnings: [...reader.warnings, ...(manifest?.warnings ?? [])],
    sha256: () => reader.hash(),
  };
}

/** So many findings are told. */
const SHOWN_FINDINGS = 20;

function refuse(findings: readonly Finding[]): void {
  if (findings.length === 0) return;
  const lines = findings.slice(0, SHOWN_FINDINGS).map(({ id, at, message, fix }) => {
    const todo = fix === undefined || message.includes('; ') ? '' : `; ${fix}`;
    return `${at.file}:${at.line}: ${message}${todo} (${id})`;
  });
  const more =
    findings.length > SHOWN_FINDINGS ? [`and ${findings.length - SHOWN_FINDINGS} more; raymond lint tells all`] : [];
  throw invalid([...lines, ...more].join('\n'));
}

/** What prompts that can be reached name to answer them. */
function backendsIn({ graph, reached }: Analysis): OpenPackage['backends'] {
  const named = [...reached].flatMap((file): OpenPackage['backends'] => {
    const source = graph.states.get(file)?.source;
    return source?.kind === 'prompt' ? [source.prompt.policy?.backend ?? 'any'] : [];
  });
  return [...new Set(named)];
}

/** The accounts that prompts which can be reached name. */
function accountsIn(
  { graph, reached }: Analysis,
  placeOf: (file: string, line: number) => string,
): readonly NamedAccount[] {
  return [...reached].flatMap((file) => {
    const source = graph.states.get(file)?.source;
    if (source?.kind !== 'prompt') return [];
    const { policy, keys } = source.prompt;
    const line = keys.find(({ key }) => key === 'account')?.at.line ?? 1;
    return (policy?.accounts ?? []).map((name) => ({ name, place: placeOf(file, line) }));
  });
}

/** Where states that can be reached may ask a person. */
function askPlaces({ graph, reached, asksInOtherPackages }: Analysis): readonly string[] {
  return [...new Set([...asksIn(graph, reached), ...asksInOtherPackages].map(({ file, line }) => `${file}:${line}`))];
}

function refuseForeign(scope: Scope, { folder, entry }: { readonly folder: Folder; readonly entry: string }): void {
  const checked = resolveState({ ...folder, name: entry });
  if (checked.kind === 'problem') throw invalid(`${originOf(scope)}: ${describeProblem(checked.problem)}`);
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

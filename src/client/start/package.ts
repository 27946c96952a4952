// Opens a workflow package of any kind before a run: scope, entry state, manifest, the states that the entry reaches,
// and whether lint finds an error in it. Mistakes are `InvalidWorkflow` errors.
import { asksIn } from '../../analysis/workflows.js';
import { analyse } from '../../analysis/lint/analyse.js';
import type { Finding, Analysis } from '../../analysis/lint/rule.js';
import { errorsIn, lint } from '../../analysis/lint/lint.js';
import { sandboxAsked } from '../../analysis/lint/settings/sandbox-rules.js';
import { ScopeError } from '../../packages/error.js';
import { pinned } from '../../packages/frozen.js';
import { openArgument, type OpenedArgument } from '../../packages/locate.js';
import type { Manifest } from '../../packages/manifest.js';
import { openScope } from '../../packages/open.js';
import { PLATFORM } from '../../packages/state.js';
import { sendPackage } from '../../packages/travel.js';
import { type Scope, originOf, packageName } from '../../protocol/scope.js';
import type { BackendName } from '../../protocol/language/policy.js';
import { describeProblem } from '../../protocol/language/problem.js';
import { executorOf, resolveEntry, resolveState, stateFiles, type Folder } from '../../protocol/language/resolve.js';
import type { SandboxRequest } from '../../protocol/sandbox.js';
import type { ArtifactStore } from '../../store/store.js';
import { ClientError } from '../error.js';

/** A package that can be started. */
export interface OpenPackage {
  readonly name: string;
  readonly scope: Scope;
  readonly entry: string;
  /** Whether a prompt is reachable. */
  readonly needsClaude: boolean;
  /** The backends that reachable prompts name; `any` = one of them names none. */
  readonly backends: readonly (BackendName | 'any')[];
  /**
   * Where reachable states may ask a person, each `file:line`: by their policies, by texts of prompts without one, by
   * the output of scripts.
   */
  readonly asks: readonly string[];
  /** False when it was opened without the check of a start. */
  readonly checked: boolean;
  /** The accounts of Claude that reachable prompts name. */
  readonly accounts: readonly NamedAccount[];
  /** The sandboxes that reachable states ask for. */
  readonly sandboxes: readonly NamedSandbox[];
  readonly manifest?: Manifest;
  /** Warnings of the package and its manifest, for the user. */
  readonly warnings: readonly string[];
  /** SHA-256 of the whole current package. */
  sha256(): Promise<string>;
}

/** An account that a prompt names, and where: `file:line`. */
interface NamedAccount {
  readonly name: string;
  readonly position: string;
}

/** A sandbox that a state asks for, and where: `file:line`. */
export interface NamedSandbox {
  readonly request: SandboxRequest;
  readonly usesPi: boolean;
  readonly position: string;
}

/**
 * The folder of the argument, the folder for downloads, and the folder to freeze it in or the store to upload it to.
 */
interface PackageContext {
  readonly cwd: string;
  readonly cacheDir: string;
  readonly pinDir?: string;
  /** Absent = the package is used in place. */
  readonly store?: ArtifactStore;
  /** Rejects a package in which lint finds an error in a reachable state. */
  readonly check?: Check;
}

/** What the check of a start leaves out, and where to look for bash. */
interface Check {
  readonly ignore: readonly string[];
  readonly path?: string | undefined;
}

/** Opens `argument`: a folder, a state file, a package in one file, a state in one, or an address. */
export async function openPackage(argument: string, context: PackageContext): Promise<OpenPackage> {
  try {
    return await opened(argument, context);
  } catch (error) {
    if (error instanceof ScopeError) throw invalid(error.message);
    throw error;
  }
}

async function opened(argument: string, context: PackageContext): Promise<OpenPackage> {
  const named = await openArgument(argument, { ...context, platform: PLATFORM });
  const found = await inspected(named, { argument, ...context });
  if (context.store !== undefined) {
    const { scope, warnings } = await sendPackage(named.scope, { store: context.store, platform: PLATFORM });
    const sent = await inspected({ ...named, scope }, { argument, cwd: context.cwd, store: context.store });
    // What was checked is what was uploaded.
    const { asks, checked } = found;
    return { ...sent, asks, checked, warnings: [...sent.warnings, ...warnings] };
  }
  if (context.pinDir === undefined) return found;
  // Checked again: it may have been edited before it was frozen.
  return await inspected({ ...named, scope: await pinned(named.scope, context.pinDir) }, { argument, ...context });
}

interface Inspection extends Pick<PackageContext, 'cwd' | 'store' | 'check'> {
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
  const findings = check === undefined ? [] : lint(analysis, check.ignore);
  refuse(errorsIn(findings, analysis));
  const manifest = await reader.manifest();
  return {
    name: packageName(scope),
    scope,
    entry,
    needsClaude: [...analysis.reached].some((file) => executorOf(file) === 'prompt'),
    backends: backendsIn(analysis, manifest?.manifest.backend?.name),
    asks: askPositions(analysis),
    checked: check !== undefined,
    accounts: accountsIn(analysis, (file, line) => reader.positionOf(file, line)),
    sandboxes: sandboxesIn(analysis),
    ...(manifest === undefined ? {} : { manifest: manifest.manifest }),
    warnings: [...reader.warnings, ...(manifest?.warnings ?? []), ...costlyIn(findings, analysis)],
    sha256: () => reader.hash(),
  };
}

/** How many findings are shown. */
const SHOWN_FINDINGS = 20;

/** The rules whose warnings come before the first turn: what they find is likely to cost a turn. */
const COSTLY = new Set([
  'dead-end-state',
  'force-implicit-invalid',
  'frontmatter-ignored',
  'prompt-names-no-tag',
  'unknown-field',
]);

function costlyIn(findings: readonly Finding[], { reached }: Analysis): readonly string[] {
  return findings
    .filter(({ id, state }) => COSTLY.has(id) && state !== undefined && reached.has(state))
    .slice(0, SHOWN_FINDINGS)
    .map(lineOf);
}

function refuse(findings: readonly Finding[]): void {
  if (findings.length === 0) return;
  const lines = findings.slice(0, SHOWN_FINDINGS).map(lineOf);
  const more =
    findings.length > SHOWN_FINDINGS
      ? [`and ${findings.length - SHOWN_FINDINGS} more; to list all, run: raymond lint`]
      : [];
  throw invalid([...lines, ...more].join('\n'));
}

function lineOf({ id, at, message, fix }: Finding): string {
  const todo = fix === undefined || message.includes('; ') ? '' : `; ${fix}`;
  return `${at.file}:${at.line}: ${message}${todo} (${id})`;
}

/** The backends that reachable prompts name, or their manifest for them. */
function backendsIn({ graph, reached }: Analysis, ofPackage: BackendName | 'any' = 'any'): OpenPackage['backends'] {
  const named = [...reached].flatMap((file): OpenPackage['backends'] => {
    const source = graph.states.get(file)?.source;
    return source?.kind === 'prompt' ? [source.prompt.policy?.backend ?? ofPackage] : [];
  });
  return [...new Set(named)];
}

/** The accounts that reachable prompts name. */
function accountsIn(
  { graph, reached }: Analysis,
  positionOf: (file: string, line: number) => string,
): readonly NamedAccount[] {
  return [...reached].flatMap((file) => {
    const source = graph.states.get(file)?.source;
    if (source?.kind !== 'prompt') return [];
    const { policy, keys } = source.prompt;
    const line = keys.find(({ key }) => key === 'account')?.at.line ?? 1;
    return (policy?.accounts ?? []).map((name) => ({ name, position: positionOf(file, line) }));
  });
}

/** The sandboxes that reachable states ask for. */
function sandboxesIn({ graph, reached }: Analysis): readonly NamedSandbox[] {
  return [...reached].flatMap((file) => {
    const source = graph.states.get(file)?.source;
    const asked = source && sandboxAsked(source);
    if (asked === undefined) return [];
    const { request, at } = asked;
    const usesPi = source?.kind === 'prompt' && source.prompt.policy?.backend === 'pi';
    return [{ request, usesPi, position: `${at.file}:${at.line}` }];
  });
}

/** Where reachable states may ask a person. */
function askPositions({ graph, reached, asksInOtherPackages }: Analysis): readonly string[] {
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

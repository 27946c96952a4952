// Lints packages of every kind, or all packages of a project. A mistake that keeps a package from being read is a
// finding, too, when it is about its text.
import { readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { analyse } from '../analysis/lint/analyse.js';
import type { Finding, Analysis, SandboxAllowance } from '../analysis/lint/rule.js';
import { lint } from '../analysis/lint/lint.js';
import { unnamedPrograms } from '../analysis/lint/flow/unnamed-states.js';
import { entriesAmong, entriesNamedBeside } from '../analysis/workflows.js';
import { asksForSandbox } from '../analysis/lint/settings/sandbox-rules.js';
import type { Source } from '../analysis/source.js';
import { ScopeError } from '../packages/error.js';
import { openArgument, type OpenedArgument } from '../packages/locate.js';
import { openScope } from '../packages/open.js';
import { packagesBelow, shownPath } from '../packages/search.js';
import { PLATFORM } from '../packages/state.js';
import { stateFiles, type Platform } from '../protocol/language/resolve.js';
import { defined } from '../protocol/text.js';
import { sandboxesOf } from '../client/start/sandbox.js';
import { packageKind } from '../protocol/scope.js';
import { ClientError } from '../client/error.js';
import type { DocumentOf } from '../client/documents/documents.js';
import type { Project } from '../client/project/project.js';

/** What to lint. */
export interface LintRequest {
  /**
   * Packages, states in them, addresses, or folders with packages somewhere below; none = the packages of the project.
   */
  readonly paths: readonly string[];
  readonly cwd: string;
  /** The project's folder, and the folder for downloaded packages. */
  readonly root: string;
  readonly cacheDir: string;
  /** Ids of rules to ignore everywhere. */
  readonly ignore: readonly string[];
  /** What the config gives a sandbox. */
  readonly sandbox?: SandboxAllowance;
  /** Finds the sandboxes of the host; called when a package asks for one. */
  readonly sandboxesOnHost?: () => Promise<SandboxAllowance['onHost']>;
  /** Where to look for bash and shellcheck. */
  readonly path?: string | undefined;
  /** The platform to check for; absent = this one. */
  readonly platform?: Platform;
}

/** A package with its findings. */
export interface LintedPackage {
  readonly argument: string;
  readonly findings: readonly Finding[];
  /** The text of one of its files, to quote lines from. */
  readonly textOf: Source['textOf'];
}

/** Lints packages. Throws `InvalidUsage` when there is none, `InvalidWorkflow` for one that cannot be opened. */
export async function lintPackages(request: LintRequest): Promise<readonly LintedPackage[]> {
  const analysed: (Analysed | LintedPackage)[] = [];
  for (const argument of await packagesIn(request)) analysed.push(await analyseOne(argument, request));
  const analyses = analysed.flatMap((one) => ('analysis' in one ? [one.analysis] : []));
  const sandbox = await sandboxFor(analyses, request);
  // A package that two others lead to, or that is linted itself, is reported once.
  const reported = new Set(analyses.map(({ graph }) => graph.source.path));
  const beside = new Map<string, readonly string[]>();
  for (const { graph, reached } of analyses)
    if (graph.entry.kind === 'problem' || reached.size < graph.states.size || unnamedPrograms({ graph }).length > 0)
      beside.set(graph.source.path, await entriesNamedBeside(graph));
  return analysed.map((one) => {
    if (!('analysis' in one)) return one;
    const { argument, analysis } = one;
    const named = [...entriesNamedIn(analyses, analysis), ...(beside.get(analysis.graph.source.path) ?? [])];
    const entriesFromOutside = [...new Set([...named, ...(analysis.entriesFromOutside ?? [])])];
    const known = { ...analysis, entriesFromOutside, ...defined({ sandbox }) };
    const findings = lint(known, request.ignore, reported);
    for (const { graph } of analysis.otherPackages) reported.add(graph.source.path);
    return { argument, findings, textOf: textOfAny(analysis) };
  });
}

/** For another platform, this host says nothing. */
async function sandboxFor(
  analyses: readonly Analysis[],
  { sandbox, sandboxesOnHost, platform = PLATFORM }: LintRequest,
): Promise<SandboxAllowance | undefined> {
  if (platform !== PLATFORM || !analyses.some(asksForSandbox)) return sandbox;
  return { ...sandbox, ...defined({ onHost: await sandboxesOnHost?.() }) };
}

/** A request with the settings of a project; `paths` are relative to `cwd`. */
export function lintRequest(
  { root, raymondDir, config }: Project,
  { paths, cwd, env }: { readonly paths: readonly string[]; readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): LintRequest {
  const sandbox = defined({ owner: config.sandbox, profiles: config.sandbox_profiles });
  const cacheDir = join(raymondDir, 'registry');
  return {
    paths,
    cwd,
    root,
    cacheDir,
    sandbox,
    ignore: config.lint_ignore ?? [],
    path: env['PATH'],
    sandboxesOnHost: () => sandboxesOf(env),
  };
}

/** The findings of one package of a project as JSON, with paths relative to the project. Throws the same. */
export async function lintDocument(
  project: Project,
  { path, env }: { readonly path: string; readonly env: NodeJS.ProcessEnv },
): Promise<DocumentOf<'lint'>> {
  const { root } = project;
  const linted = await lintPackages(lintRequest(project, { paths: [path], cwd: root, env }));
  const findings = linted
    .flatMap(({ findings: found }) => found)
    .map(({ id, severity, at: { file, line, column }, message, fix }) => {
      return { id, severity, file: shownPath(file, root), line, column, message, ...defined({ fix }) };
    });
  const count = (wanted: string): number => findings.filter(({ severity }) => severity === wanted).length;
  return { findings, errors: count('error'), warnings: count('warning') };
}

interface Analysed {
  readonly argument: string;
  readonly analysis: Analysis;
}

/** The states of a package that the others name. */
function entriesNamedIn(analyses: readonly Analysis[], { graph }: Analysis): readonly string[] {
  return analyses.flatMap(({ workflows }) => entriesAmong(workflows, graph.source.path));
}

/** Also finds the texts of the other packages in which there are errors. */
function textOfAny({ graph, otherPackages }: Analysis): Source['textOf'] {
  const sources = [graph.source, ...otherPackages.map((other) => other.graph.source)];
  return (path) => {
    for (const source of sources) {
      const text = source.textOf(path);
      if (text !== undefined) return text;
    }
    return undefined;
  };
}

async function analyseOne(
  argument: string,
  { cwd, cacheDir, path, platform = PLATFORM }: LintRequest,
): Promise<Analysed | LintedPackage> {
  const opened = await openArgument(argument, { cwd, cacheDir, platform }).catch((error: unknown) =>
    unreadable(error, { argument, cwd }),
  );
  if ('findings' in opened) return opened;
  const { scope, entry }: OpenedArgument = opened;
  try {
    const options = { scope, platform, cwd, extent: 'all', ...defined({ entry, path }) } as const;
    return { argument, analysis: await analyse(await openScope(scope), options) };
  } catch (error) {
    return unreadable(error, { argument, cwd });
  }
}

/** Mistakes in a YAML file are findings; a file that is not a package is an error. */
function unreadable(
  error: unknown,
  { argument, cwd }: { readonly argument: string; readonly cwd: string },
): LintedPackage {
  if (!(error instanceof ScopeError)) throw error;
  if (error.problems.length === 0) throw new ClientError('InvalidWorkflow', error.message, { cause: error });
  const path = resolve(cwd, argument);
  const file = packageKind(path) === undefined ? resolve(path, '..') : path;
  const findings = error.problems.map(({ line, text }): Finding => ({
    id: 'frontmatter-parse-error',
    severity: 'error',
    at: { file, line, column: 1 },
    message: text,
  }));
  return { argument, findings, textOf: () => undefined };
}

async function packagesIn({ paths, cwd, root }: LintRequest): Promise<readonly string[]> {
  if (paths.length === 0) {
    const found = await packagesBelow(root);
    if (found.length > 0) return found;
    throw new ClientError('InvalidUsage', `there is no workflow below ${root}; name one: raymond lint PATH`);
  }
  const all: string[] = [];
  for (const path of paths) all.push(...(await packagesAt(path, cwd)));
  return [...new Set(all)];
}

/** The packages at a path: itself, or those below a folder without states. */
async function packagesAt(path: string, cwd: string): Promise<readonly string[]> {
  const folder = resolve(cwd, path);
  const isFolder = (await stat(folder).catch(() => undefined))?.isDirectory() === true;
  if (!isFolder || packageKind(folder) !== undefined) return [path];
  const found = await packagesBelow(folder);
  // A skill, or a folder of helpers: a package below it has the entry point.
  if (found.includes(folder) || found.length === 0) return [path];
  return (await holdsStates(folder)) ? [path, ...found] : found;
}

async function holdsStates(folder: string): Promise<boolean> {
  return stateFiles(await readdir(folder)).some((file) => file !== 'README.md');
}

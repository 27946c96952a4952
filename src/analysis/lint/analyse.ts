// Collects everything that lint rules need: reads the package, resolves the workflows that it names, and runs bash and shellcheck.
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { exists } from '../../host/files.js';
import { workingDirectoryOf } from '../../packages/manifest.js';
import type { ScopeReader } from '../../packages/package.js';
import { originOf, type Scope } from '../../protocol/scope.js';
import type { Platform } from '../../protocol/language/resolve.js';
import { defined } from '../../protocol/text.js';
import { graphOf, type Graph, statesToStart } from '../graph.js';
import { shellcheckOf, syntaxOf } from '../script/checks.js';
import { readSource } from '../source.js';
import { asksIn, namedWorkflows, otherPackages, type ReachedStates } from '../workflows.js';
import { missingBesideIn, onlyBesideIn } from './files/beside.js';
import { reachableStates } from './lint.js';
import { MENTION } from './flow/package-rules.js';
import type { Analysis } from './rule.js';

/** What to analyse, and how thoroughly. */
interface AnalysisOptions {
  readonly scope: Scope;
  readonly platform: Platform;
  /** The file of the first state; absent = the entry point. */
  readonly entry?: string | undefined;
  /** The directory in which the agents of a run would work. */
  readonly cwd: string;
  /** `graph`: no checks beyond the package; `reached`: the checks that a start needs; `all`: every check. */
  readonly extent: 'graph' | 'reached' | 'all';
  /** The PATH on which bash and shellcheck are searched. */
  readonly path?: string | undefined;
}

const NO_CHECKS: Omit<Analysis, 'graph' | 'reached'> = {
  workflows: new Map(),
  asksInOtherPackages: [],
  otherPackages: [],
  nesting: 0,
  syntax: new Map(),
  remarks: new Map(),
  missingMentions: new Map(),
};

/** Analyses an opened package. Throws a `ScopeError` if it cannot be read at all. */
export async function analyse(reader: ScopeReader, options: AnalysisOptions): Promise<Analysis> {
  const graph = graphOf(await readSource(reader, options), options.entry);
  const reached = reachableStates(graph);
  if (options.extent === 'graph') return { graph, reached, ...NO_CHECKS };
  const states = [...graph.states.values()];
  const isAll = options.extent === 'all';
  const [workflows, syntax, remarks, missingMentions, onlyBeside, missingBeside, missingDirectory] = await Promise.all([
    namedWorkflows(graph),
    syntaxOf(isAll ? states : states.filter(({ file }) => reached.has(file)), options.path),
    isAll ? shellcheckOf(graph, options.path) : new Map<string, never>(),
    isAll ? missingMentionsIn(graph, options.cwd) : new Map<string, never>(),
    isAll ? onlyBesideIn(graph, directoryOf(graph, options.cwd)) : undefined,
    isAll ? missingBesideIn(graph) : undefined,
    isAll ? missingDirectoryOf(graph, options.cwd) : undefined,
  ]);
  const { resolutions, nesting } = workflows;
  const others = await otherPackages({ graph, reached, resolutions });
  return {
    graph,
    reached,
    workflows: resolutions,
    asksInOtherPackages: others.flatMap((other) => asksIn(other.graph, other.reached)),
    otherPackages: await Promise.all(others.map((other) => analysisOf(other, options.path))),
    nesting,
    entriesFromOutside: statesToStart(graph.source),
    syntax,
    remarks,
    missingMentions,
    ...defined({ onlyBeside, missingBeside, missingDirectory }),
  };
}

/** Where a run of the package starts. */
function directoryOf({ source }: Graph, cwd: string): string {
  const { parsedManifest, scope } = source;
  return (parsedManifest && workingDirectoryOf(parsedManifest, { scope, home: cwd })) ?? cwd;
}

/** A working_directory that does not exist, although the folder that contains the package has one of this name. */
async function missingDirectoryOf(graph: Graph, cwd: string): Promise<string | undefined> {
  const { parsedManifest, scope } = graph.source;
  const path = parsedManifest?.workingDirectory;
  const isDownloaded = scope.kind === 'zip' && scope.url !== undefined;
  if (path === undefined || isDownloaded || isAbsolute(path) || (await exists(directoryOf(graph, cwd))))
    return undefined;
  return (await exists(resolve(dirname(originOf(scope)), path))) ? directoryOf(graph, cwd) : undefined;
}

/** What a start needs to know of another package. */
async function analysisOf({ graph, reached, resolutions }: ReachedStates, path?: string): Promise<Analysis> {
  const states = [...reached].flatMap((file) => graph.states.get(file) ?? []);
  return { ...NO_CHECKS, graph, reached, workflows: resolutions, syntax: await syntaxOf(states, path) };
}

/** Mentions of files that do not exist and that no other file names: a state that names one may create it. */
async function missingMentionsIn({ states, source }: Graph, cwd: string): Promise<Analysis['missingMentions']> {
  const texts = [...states.values()].flatMap((state) =>
    state.source.kind === 'prompt' ? [state.source.prompt.body.text] : [],
  );
  const others = [...source.files.values()].flatMap((file) => ('raw' in file ? [file.raw.text] : []));
  const paths = new Set(texts.flatMap((text) => [...text.matchAll(MENTION)].map((match) => match[1] ?? '')));
  const missing = new Map<string, 'nowhere' | 'beside'>();
  for (const path of paths) {
    const namedByOthers = others.filter((text) => text.includes(path)).length > 1;
    if (namedByOthers || (await exists(join(cwd, path)))) continue;
    missing.set(path, source.files.has(path.replace(/^\.\//, '')) ? 'beside' : 'nowhere');
  }
  return missing;
}

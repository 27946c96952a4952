// Makes the analysis of a package: reads it, and asks whoever else knows of it: other packages, bash, shellcheck, the disk.
import { join } from 'node:path';
import { exists } from '../../host/files.js';
import type { ScopeReader } from '../../packages/package.js';
import type { Scope } from '../../protocol/machine/agent.js';
import type { Platform } from '../../protocol/language/resolve.js';
import { graphOf, type Graph } from '../graph.js';
import { shellcheckOf, syntaxOf } from '../script-checks.js';
import { readSource } from '../source.js';
import { asksInOthers, namedWorkflows } from '../workflows.js';
import { reachedFrom } from './lint.js';
import { MENTION } from './package-rules.js';
import type { Analysis } from './rule.js';

/** How a package is analysed. */
export interface AnalysisOptions {
  readonly scope: Scope;
  readonly platform: Platform;
  /** The file of the state to begin with; absent = the entry point. */
  readonly entry?: string | undefined;
  /** Where the agents of a run would work. */
  readonly cwd: string;
  /** `graph`: nobody is asked; `reached`: only what a start needs to know; `all`: everything that lint can say. */
  readonly extent: 'graph' | 'reached' | 'all';
  /** Where programs are looked for. */
  readonly path?: string | undefined;
}

const NOTHING_ASKED: Omit<Analysis, 'graph' | 'reached'> = {
  workflows: new Map(),
  asksInOthers: [],
  nesting: 0,
  syntax: new Map(),
  remarks: new Map(),
  lostMentions: new Set(),
};

/** Analyses an opened package. Throws a `ScopeError` when it cannot be read at all. */
export async function analyse(reader: ScopeReader, options: AnalysisOptions): Promise<Analysis> {
  const graph = graphOf(await readSource(reader, options), options.entry);
  const reached = reachedFrom(graph);
  if (options.extent === 'graph') return { graph, reached, ...NOTHING_ASKED };
  const states = [...graph.states.values()];
  const isAll = options.extent === 'all';
  const [workflows, syntax, remarks, lostMentions] = await Promise.all([
    namedWorkflows(graph),
    syntaxOf(isAll ? states : states.filter(({ file }) => reached.has(file)), options.path),
    isAll ? shellcheckOf(graph, options.path) : new Map<string, never>(),
    isAll ? lostMentionsIn(graph, options.cwd) : new Set<string>(),
  ]);
  const { answers, nesting } = workflows;
  const asks = await asksInOthers({ graph, reached, answers });
  return { graph, reached, workflows: answers, asksInOthers: asks, nesting, syntax, remarks, lostMentions };
}

/** Mentions of files that are nowhere, and that no other state speaks of: it may make them. */
async function lostMentionsIn({ states, source }: Graph, cwd: string): Promise<ReadonlySet<string>> {
  const texts = [...states.values()].flatMap((state) =>
    state.source.kind === 'prompt' ? [state.source.prompt.body.text] : [],
  );
  const others = [...source.files.values()].flatMap((file) => ('raw' in file ? [file.raw.text] : []));
  const paths = new Set(texts.flatMap((text) => [...text.matchAll(MENTION)].map((match) => match[1] ?? '')));
  const lost = new Set<string>();
  for (const path of paths) {
    const spoken = others.filter((text) => text.includes(path)).length > 1;
    const there = source.files.has(path.replace(/^\.\//, '')) || (await exists(join(cwd, path)));
    if (!spoken && !there) lost.add(path);
  }
  return lost;
}

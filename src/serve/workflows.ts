// Read-only routes of workflows: the list, their states, their graphs, and their lint findings.
import { openScope } from '../packages/open.js';
import { openArgument } from '../packages/locate.js';
import { PLATFORM } from '../packages/state.js';
import { join } from 'node:path';
import { ScopeError } from '../packages/error.js';
import { executorOf, resolveEntry, stateFiles } from '../protocol/language/resolve.js';
import { statisticsOf } from '../client/look/statistics.js';
import type { Raymond } from '../client/open.js';
import { listRuns } from '../client/operations.js';
import { defined } from '../protocol/text.js';
import type { Handlers } from './handlers.js';
import { svgResponse } from './runs.js';
import type { WorkflowDetail } from './types.js';

/** How many runs of a workflow are counted, and among how many they are looked for: a page asks each time it opens. */
const COUNTED = 500;
const SEARCHED = 2000;

/** The routes of this file. */
export const workflowHandlers: Handlers<'workflows' | 'workflow' | 'workflowDiagram' | 'lint' | 'statistics'> = {
  workflows: async ({ catalogue }, { query }) => {
    const found = await catalogue.list(query.rescan === 'true');
    return { workflows: found.map(({ workflow }) => workflow) };
  },

  workflow: async ({ catalogue }, { params, raymond }) => {
    const { workflow, path } = await catalogue.find(params.workflow);
    return { ...workflow, ...(await statesOf(raymond, path)) };
  },

  workflowDiagram: async ({ catalogue }, { params, raymond }) =>
    await svgResponse(raymond, (await catalogue.find(params.workflow)).path),

  statistics: async ({ catalogue }, { params, raymond }) => {
    const { path } = await catalogue.find(params.workflow);
    return statisticsOf(await listRuns(raymond, { scope: path, limit: COUNTED, searched: SEARCHED }));
  },

  lint: async ({ catalogue }, { params, raymond: { project, caller } }) => {
    const { lintDocument } = await import('../authoring/lint.js');
    const { path } = await catalogue.find(params.workflow);
    return await lintDocument(project, { path, env: caller.env });
  },
};

/** An unreadable package has none; its problem is shown next to its name. */
async function statesOf({ project }: Raymond, path: string): Promise<Pick<WorkflowDetail, 'entry' | 'states'>> {
  try {
    const location = { cwd: project.root, cacheDir: join(project.raymondDir, 'registry'), platform: PLATFORM };
    const { scope, entry: named } = await openArgument(path, location);
    const files = await (await openScope(scope)).list();
    const found = resolveEntry({ files, kind: scope.kind, platform: PLATFORM, path });
    const entry = named ?? (found.kind === 'problem' ? undefined : found.file);
    const states = stateFiles(files).map((file) => {
      return { file, kind: executorOf(file) === 'prompt' ? ('prompt' as const) : ('script' as const) };
    });
    return { states, ...defined({ entry }) };
  } catch (error) {
    if (error instanceof ScopeError) return { states: [] };
    throw error;
  }
}

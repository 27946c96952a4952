// The tools about workflows: which there are, what lint says of one, and starting a run of it.
import { resolve } from 'node:path';
import { z } from 'zod';
import { lintDocument } from '../authoring/lint.js';
import { ClientError } from '../client/error.js';
import { requestHashOf, startRun, startRunOnce, type StartOptions } from '../client/operations.js';
import type { Project } from '../client/project/project.js';
import { defined } from '../protocol/text.js';
import { Catalogue, type Listed } from '../serve/catalogue.js';
import { statusOf } from './runs.js';
import { tool, type Tool, type ToolCall } from './tool.js';
import { WAIT_SECONDS, waitForRun } from './wait.js';

const workflow = z.string().describe('Id or path of a workflow, as list_workflows shows them');

const startInput = z.strictObject({
  workflow,
  input: z.string().optional().describe('The value of {{input}} in the first state'),
  id: z
    .string()
    .optional()
    .describe(
      'An id of your choice for the run: repeating the call with the same id and arguments starts no second run',
    ),
  budget: z.number().positive().optional().describe('Budget in USD for all agents of the run'),
  model: z.string().optional().describe('Model for prompts that set none'),
  effort: z.string().optional().describe('Effort for prompts that set none'),
  labels: z.record(z.string(), z.string()).optional().describe('What the run is about; variables of every state'),
  waitSeconds: WAIT_SECONDS,
});

/** These tools. */
export const workflowTools: readonly Tool[] = [
  tool({
    name: 'list_workflows',
    title: 'List workflows',
    description: 'Lists the workflows of the project that can be started.',
    effect: 'look',
    input: z.strictObject({}),
    run: async ({ access }) => {
      const found = await new Catalogue(await access.project()).list();
      return { workflows: found.map(({ workflow: listed }) => listed) };
    },
  }),
  tool({
    name: 'lint_workflow',
    title: 'Lint a workflow',
    description: 'Checks a workflow without running it; returns findings with file, line and fix.',
    effect: 'look',
    input: z.strictObject({ workflow }),
    run: async ({ access }, { workflow: named }) => {
      const project = await access.project();
      const { path } = await findWorkflow(project, named);
      return await lintDocument(project, { path, env: access.env });
    },
  }),
  tool({
    name: 'start_run',
    title: 'Start a run',
    description:
      'Starts a run of a workflow. It continues in the background, also after this connection ends. Scripts of the workflow run with the permissions of the user.',
    effect: 'change',
    input: startInput,
    run: async (call, { waitSeconds, ...request }) => await startedRun(call, { request, waitSeconds }),
  }),
];

type StartRequest = Omit<z.infer<typeof startInput>, 'waitSeconds'>;

async function startedRun(
  call: ToolCall,
  { request, waitSeconds }: { readonly request: StartRequest; readonly waitSeconds: number },
): Promise<object> {
  const { id, ...rest } = request;
  const { workflow: named, budget: budgetUsd, ...same } = rest;
  const { path } = await findWorkflow(await call.access.project(), named);
  return await call.access.steer(async (raymond) => {
    const requestHash = requestHashOf(rest);
    const options: StartOptions = { workflow: path, requestHash, ...defined({ ...same, budgetUsd }) };
    const { view, isRepeated } =
      id === undefined
        ? { view: await startRun(raymond, options), isRepeated: false }
        : await startRunOnce(raymond, { ...options, runId: id, requestHash });
    const waited = await waitForRun(raymond, { runId: view.runId, seconds: waitSeconds, call });
    return { ...(isRepeated ? { repeated: true } : {}), ...(await statusOf(raymond, waited)) };
  });
}

/** Throws `InvalidUsage`: addresses, and folders outside the project and its `workflow_folders`, cannot be started. */
async function findWorkflow(project: Project, named: string): Promise<Listed> {
  const listed = await new Catalogue(project).list();
  const path = resolve(project.root, named);
  const found = listed.find(({ workflow: { id }, path: at }) => id === named || at === path);
  if (found !== undefined) return found;
  const message = `there is no workflow "${named}" in the project ${project.root}; list_workflows lists those that can be started`;
  throw new ClientError('InvalidUsage', message);
}

// The operations on runs: start, stop, steer and fork them. Each is one call of the client in the caller's name, which
// Temporal records.
import { realpath } from 'node:fs/promises';
import { resolve, sep } from 'node:path';
import { ClientError } from '../client/error.js';
import { archiveRun } from '../client/garbage/archive.js';
import { deleteRun } from '../client/garbage/delete-run.js';
import { isExecuted, uiAddress, type Raymond } from '../client/open.js';
import { requestHashOf, startRun, startRunOnce, type StartOptions } from '../client/operations.js';
import { gotoState, retryAgent } from '../client/steer/moves.js';
import { factsOf } from '../client/steer/resumption.js';
import {
  cancelAgent,
  cancelRun,
  changeBudget,
  forkRun,
  pauseRun,
  resumeRun,
  retryFailed,
  tellAgent,
  withdrawNotes,
} from '../client/steering.js';
import { findRun } from '../client/operations.js';
import { defined } from '../protocol/text.js';
import type { Call, Handlers } from './handlers.js';
import type { Begun, StartRequest } from './types.js';

/** The routes of this file. */
export const actionHandlers: Handlers<
  | 'start'
  | 'pause'
  | 'resume'
  | 'cancel'
  | 'deleteRun'
  | 'archive'
  | 'retryFailed'
  | 'fork'
  | 'budget'
  | 'tell'
  | 'withdraw'
  | 'goto'
  | 'retry'
  | 'cancelAgent'
> = {
  start: async ({ catalogue }, { body, raymond, request }) => {
    const key = request.headers.get('idempotency-key') ?? undefined;
    if (key !== undefined && body.id !== undefined && key !== body.id)
      throw new ClientError('InvalidUsage', 'Idempotency-Key and id name two runs; give one of them');
    const { path } = await catalogue.find(body.workflow);
    const { cwd = raymond.project.config.serve_cwd } = body;
    if (cwd !== undefined) await checkInside(raymond, cwd);
    const { id, ...rest } = body;
    const options = { ...optionsOf(rest), ...defined({ cwd }), workflow: path, requestHash: requestHashOf(rest) };
    // With the header, a repeated call means that its answer was lost; with another body it is a different call.
    const { runId } =
      key === undefined
        ? await startRun(raymond, { ...options, ...defined({ runId: id }) })
        : (await startRunOnce(raymond, { ...options, runId: key })).view;
    return startedAnswer(raymond, runId);
  },

  pause: (_serving, call) =>
    doneTo(call, ({ raymond, who, body: { now } }, runId) =>
      pauseRun(raymond, { runId, by: who.name, ...defined({ now }) }),
    ),
  resume: async (_serving, { params: { run }, raymond, who }) => {
    const { runId } = await findRun(raymond, { runId: run });
    const facts = factsOf(await resumeRun(raymond, { runId }));
    return { runId, by: who.name, served: isExecuted(raymond), ...facts };
  },
  cancel: (_serving, call) => doneTo(call, ({ raymond }, runId) => cancelRun(raymond, { runId })),
  deleteRun: async (_serving, { params: { run }, raymond }) => {
    await deleteRun(raymond, run);
    return undefined;
  },
  archive: async (_serving, { params, body, raymond, who }) => {
    return { runId: await archiveRun(raymond, { runId: params.run, ...body }), by: who.name };
  },
  retryFailed: async (_serving, { params, raymond, who }) => {
    const { runId } = await findRun(raymond, { runId: params.run });
    return { runId, by: who.name, agents: await retryFailed(raymond, { runId, by: who.name }) };
  },
  budget: (_serving, call) =>
    doneTo(call, ({ raymond, body }, runId) => changeBudget(raymond, { runId, budgetUsd: body.budget })),

  fork: async (_serving, { params, body, raymond, who }) => {
    const { agent: agentId, at, after, id: newRunId, budget: budgetUsd, cwd, ...options } = body;
    if (cwd !== undefined) await checkInside(raymond, cwd);
    const where = at === undefined ? { turn: after ?? 0, how: 'after' as const } : { turn: at, how: 'again' as const };
    const more = defined({ agentId, newRunId, budgetUsd, cwd, ...options });
    return startedAnswer(
      raymond,
      (await forkRun(raymond, { runId: params.run, by: who.name, ...where, ...more })).runId,
    );
  },

  tell: (_serving, call) =>
    doneToAgent(call, ({ raymond, who, body: { text } }, of) => tellAgent(raymond, { ...of, text, by: who.name })),
  withdraw: (_serving, call) =>
    doneToAgent(call, async ({ raymond, who }, of) => {
      await withdrawNotes(raymond, { ...of, by: who.name });
    }),
  goto: (_serving, call) =>
    doneToAgent(call, ({ raymond, who, body: { state, ...how } }, of) =>
      gotoState(raymond, { ...of, state, by: who.name, ...defined(how) }),
    ),
  retry: (_serving, call) => doneToAgent(call, ({ raymond, who }, of) => retryAgent(raymond, { ...of, by: who.name })),
  cancelAgent: (_serving, call) => doneToAgent(call, ({ raymond }, of) => cancelAgent(raymond, of)),
};

type OnRun = 'pause' | 'cancel' | 'budget';
type OnAgent = 'tell' | 'withdraw' | 'goto' | 'retry' | 'cancelAgent';
type Done = Promise<{ readonly runId: string; readonly agentId?: string; readonly by: string }>;

async function doneTo<Name extends OnRun>(
  call: Call<Name>,
  act: (call: Call<Name>, runId: string) => Promise<void>,
): Done {
  const { raymond, who } = call;
  const { run } = call.params;
  const { runId } = await findRun(raymond, { runId: run });
  await act(call, runId);
  return { runId, by: who.name };
}

async function doneToAgent<Name extends OnAgent>(
  call: Call<Name>,
  act: (call: Call<Name>, of: { readonly runId: string; readonly agentId: string }) => Promise<void>,
): Done {
  const { raymond, who } = call;
  const { run, agent: agentId } = call.params;
  const { runId } = await findRun(raymond, { runId: run });
  await act(call, { runId, agentId });
  return { runId, agentId, by: who.name };
}

function startedAnswer(raymond: Raymond, runId: string): Begun {
  return { runId, ...defined({ uiUrl: uiAddress(raymond, runId) }) };
}

/** The options of flags with these names. */
function optionsOf(body: Omit<StartRequest, 'id'>): Omit<StartOptions, 'workflow' | 'runId'> {
  const {
    workflow: _which,
    budget,
    timeout,
    maxTime,
    account,
    wait,
    onAsk,
    dangerouslySkipPermissions,
    ...same
  } = body;
  return defined({
    ...same,
    budgetUsd: budget,
    timeoutSeconds: timeout,
    maxSeconds: maxTime,
    accounts: account,
    skipPermissions: dangerouslySkipPermissions,
    rejectAsks: onAsk === undefined ? undefined : onAsk === 'reject',
    pauseAtLimit: wait === undefined ? undefined : !wait,
  });
}

/** Throws `InvalidUsage` for a folder outside the project, also through a link. */
async function checkInside({ project: { root } }: Raymond, cwd: string): Promise<void> {
  const path = resolve(root, cwd);
  const [inner, outer] = await Promise.all([realpath(path).catch(() => path), realpath(root)]);
  if (inner === outer || inner.startsWith(`${outer}${sep}`)) return;
  const message = `cwd: ${cwd} is not in the project ${root}; name a folder in it`;
  throw new ClientError('InvalidUsage', message, { field: 'cwd' });
}

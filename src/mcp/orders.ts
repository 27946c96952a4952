// The tools that change runs: answers, pauses, resumptions, retries, cancels and notes.
import { z } from 'zod';
import { isExecuted, type Raymond } from '../client/open.js';
import { findRun } from '../client/operations.js';
import { retryAgent } from '../client/steer/moves.js';
import { factsOf } from '../client/steer/resumption.js';
import { answer, cancelAgent, cancelRun, pauseRun, resumeRun, tellAgent } from '../client/steering.js';
import { defined } from '../protocol/text.js';
import { run } from './runs.js';
import { tool, type Tool, type ToolCall } from './tool.js';

const agent = z.string().describe('Id of an agent, such as main');

/** These tools. */
export const orderTools: readonly Tool[] = [
  tool({
    name: 'answer_question',
    title: 'Answer a question',
    description:
      'Answers an open question of a run ("asks" in run_status). Only the first answer counts. Ask the user first.',
    effect: 'change',
    input: z.strictObject({
      run,
      ask: z.string().optional().describe('Its askId; absent = the only one'),
      text: z.string(),
    }),
    run: async (call, { run: name, ask, text }) =>
      await ordered(call, name, async (raymond, runId) => ({
        askId: await answer(raymond, { runId, text, ...defined({ askId: ask }) }),
      })),
  }),
  tool({
    name: 'pause_run',
    title: 'Pause a run',
    description: 'Pauses all agents of a run after their current turns; resume_run continues it.',
    effect: 'change',
    isRepeatable: true,
    input: z.strictObject({
      run,
      now: z.boolean().default(false).describe('Interrupt turns in progress; they run again later'),
    }),
    run: async (call, { run: name, now }) =>
      await ordered(call, name, async (raymond, runId, by) => await pauseRun(raymond, { runId, by, now })),
  }),
  tool({
    name: 'resume_run',
    title: 'Resume a run',
    description:
      'Continues a paused run, or one that failed or was cancelled. Agents under "failed" in the answer of an open run need retry_agent.',
    effect: 'change',
    isRepeatable: true,
    input: z.strictObject({ run }),
    run: async (call, { run: name }) =>
      await ordered(call, name, async (raymond, runId) => factsOf(await resumeRun(raymond, { runId }))),
  }),
  tool({
    name: 'retry_agent',
    title: 'Retry an agent',
    description: 'Continues an agent that is paused, failed or was lost; a turn that failed starts again.',
    effect: 'change',
    input: z.strictObject({ run, agent }),
    run: async (call, { run: name, agent: agentId }) =>
      await ordered(call, name, async (raymond, runId, by) => await retryAgent(raymond, { runId, agentId, by })),
  }),
  tool({
    name: 'cancel_run',
    title: 'Cancel a run',
    description: 'Stops the agents of a run, interrupts their turns and closes it; with "agent" only that agent.',
    effect: 'end',
    input: z.strictObject({ run, agent: agent.optional() }),
    run: async (call, { run: name, agent: agentId }) =>
      await ordered(call, name, async (raymond, runId) =>
        agentId === undefined ? await cancelRun(raymond, { runId }) : await cancelAgent(raymond, { runId, agentId }),
      ),
  }),
  tool({
    name: 'tell_agent',
    title: 'Send a note to an agent',
    description: 'Puts a note before the next prompt of an agent.',
    effect: 'change',
    input: z.strictObject({ run, agent, text: z.string() }),
    run: async (call, { run: name, agent: agentId, text }) =>
      await ordered(call, name, async (raymond, runId, by) => await tellAgent(raymond, { runId, agentId, text, by })),
  }),
];

/** What was done to which run; the status changes a moment later. */
async function ordered(
  { access }: ToolCall,
  name: string,
  order: (raymond: Raymond, runId: string, by: string) => Promise<unknown>,
): Promise<object> {
  return await access.steer(async (raymond, by) => {
    const { runId } = await findRun(raymond, { runId: name });
    const effects = await order(raymond, runId, by);
    const served = raymond.mode.kind === 'local' ? isExecuted(raymond) : undefined;
    return { runId, by, ...defined({ served }), ...(typeof effects === 'object' ? effects : {}) };
  });
}

// A workflow on a real worker, with each of the SDK's internals replaced and as the SDK has it.
import { describe, expect, test } from '@jest/globals';
import { agentWorkflowId } from '../../src/protocol/ids.js';
import { sendAnswer } from '../../dist/client/steer/answer.js';
import { Stage } from '../support/stage.js';
import { ends, seen } from '../workflows/waiting.js';

const STATES = {
  'START.sh': ends('<ask next="SAY">Which colour?</ask>'),
  'SAY.sh': 'echo "<result>$RAYMOND_INPUT</result>"\n',
};

interface Switches {
  readonly RAYMOND_SDK_THREADS: 'on' | 'off';
  readonly RAYMOND_SDK_PROMISE_STACKS: 'on' | 'off';
}

describe.each<[string, Switches, RegExp]>([
  ['both replaced', { RAYMOND_SDK_THREADS: 'off', RAYMOND_SDK_PROMISE_STACKS: 'off' }, /^$/],
  ["the SDK's own threads", { RAYMOND_SDK_THREADS: 'on', RAYMOND_SDK_PROMISE_STACKS: 'off' }, /^$/],
  ["the SDK's own stacks", { RAYMOND_SDK_THREADS: 'off', RAYMOND_SDK_PROMISE_STACKS: 'on' }, /src\/workflows\/agent\//],
])('with %s', (_what, switches, stack) => {
  const stage = new Stage({ env: () => Promise.resolve({ ...switches }) });

  test('a run comes to its result, and the call stack of a waiting agent is as promised', async () => {
    const staged = await stage.start(STATES);
    const { runId } = staged;
    await seen(stage, staged, ({ agents }) => agents.some(({ ask }) => ask !== undefined));
    const main = stage.link.client.workflow.getHandle(agentWorkflowId(runId, 'main'));
    expect(await main.query<string>('__stack_trace')).toMatch(stack);
    const answer = { askId: 'ask_main_1', text: 'blue', files: [] };
    await sendAnswer(stage.link.client, { runId, agentId: 'main', answer });
    expect(await staged.ended).toMatchObject({ status: 'completed', result: 'blue' });
  });
});

// A workflow on a real worker, with the SDK's stacks of promises switched off, and as the SDK has them. In processes of their own: workers of
// one process share what the SDK hangs into its main thread.
import { afterEach, expect, test } from '@jest/globals';
import type { ResultPromise } from 'execa';
import { openToAsk } from '../../dist/client/open.js';
import { findProject } from '../../dist/client/project/project.js';
import { agentWorkflowId } from '../../src/protocol/ids.js';
import { Place } from '../support/cli.js';
import { until } from '../support/until.js';

const STATES = {
  'flow/START.sh': `echo '<ask next="SAY">Which colour?</ask>'\n`,
  'flow/SAY.sh': 'echo "<result>$RAYMOND_INPUT</result>"\n',
};

let running: ResultPromise | undefined;
afterEach(async () => {
  running?.kill('SIGKILL');
  await running;
});

test.each<[string, 'on' | 'off', RegExp]>([
  ['without stacks of promises', 'off', /^$/],
  ["with the SDK's own stacks", 'on', /src\/workflows\/agent\//],
])(
  '%s a run comes to its result, and the call stack of a waiting agent is as promised',
  async (_what, given, stack) => {
    const place = await Place.sharing(STATES);
    const env = { RAYMOND_SDK_PROMISE_STACKS: given };
    const runId = `stacks-${given}`;
    running = place.begin(['start', 'flow', '--id', runId, '--on-ask', 'wait'], { env });
    let said = '';
    running.stderr?.on('data', (chunk) => (said += String(chunk)));
    await until(() => said.includes(`raymond answer ${runId} ask_main_1`), { what: 'the question' });
    const caller = { cwd: place.cwd, env: { ...process.env, TEMPORAL_ADDRESS: undefined } };
    const raymond = await openToAsk(await findProject(place.cwd), { caller, choice: {}, report: () => undefined });
    const main = raymond.link.client.workflow.getHandle(agentWorkflowId(runId, 'main'));
    expect(await main.query<string>('__stack_trace')).toMatch(stack);
    await raymond.close();
    await place.raymond(['answer', runId, 'blue']);
    expect(await running).toMatchObject({ exitCode: 0, stdout: 'blue' });
  },
);

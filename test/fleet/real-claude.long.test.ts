// The real Claude Code on hosts that share no disk: a conversation that was begun on one continues on another when the first has lost its power.
import { readFile } from 'node:fs/promises';
import { afterAll, expect, test } from '@jest/globals';
import { documentOf } from '../support/fakes.js';
import type { ModelRequest } from '../support/model-api.js';
import { realClaude } from '../support/real-claude.js';
import { until } from '../support/until.js';
import { Cluster, noFleet } from './cluster.js';
import { modelOn, type Model } from './services.js';
import { describeUnless } from '../support/unless.js';

const FLOW = {
  'START.md': 'Say the magic word.\n',
  'HOLD.sh': 'echo word > kept; echo "<ask next=\\"AGAIN\\">Go on?</ask>"\n',
  'AGAIN.md': 'What was the magic word?\n',
};

describeUnless(noFleet())('the real Claude Code', () => {
  const endings: (() => Promise<void>)[] = [];
  let model: Model | undefined;
  afterAll(async () => {
    for (const end of endings.reverse()) await end();
  }, 60_000);

  test('continues with its conversation on another host', async () => {
    const cluster = await Cluster.open(endings, async (lan) => {
      const link = await lan.plug();
      const rules = [
        { contains: 'Say the magic word', reply: { text: 'It is abracadabra. <goto>HOLD</goto>' } },
        { contains: 'What was', reply: { text: '<result>abracadabra</result>' } },
      ];
      const claude = await realClaude({ apiUrl: `http://${link.address}:8080` });
      endings.push(() => claude.close());
      model = await modelOn(link, claude.cwd, rules);
      const { service } = model;
      endings.push(() => service.kill());
      await service.start();
      const { HOME: _own, ...env } = claude.env;
      return env;
    });
    const { desk, flags, startFlags, machines } = cluster;
    const workflow = await cluster.install('real', FLOW);
    const env = { RAYMOND_HOST_SILENCE: '5' };
    const started = await desk.raymond(['start', workflow, '--id', 'real', ...startFlags], { env });
    expect(started).toMatchObject({ exitCode: 0 });
    const status = async (): Promise<Status> =>
      documentOf(await desk.raymond(['status', 'real', '--json', ...flags])) as Status;
    const asking = await until(
      async () => {
        const seen = await status();
        return seen.status === 'asking' ? seen : undefined;
      },
      { what: 'the question', timeoutMs: 60_000, everyMs: 200 },
    );
    const [{ host: first } = {}] = asking.agents;
    await machines.hosts.find(({ name }) => name === first)!.powerOff();
    await desk.raymond(['answer', 'real', 'yes', ...flags]);
    const ended = await until(
      async () => {
        const seen = await status();
        return seen.status === 'completed' ? seen : undefined;
      },
      { what: 'the end on another host', timeoutMs: 90_000, everyMs: 200 },
    );
    expect(ended.result).toBe('abracadabra');
    const asked = (await readFile(model!.log, 'utf8')).trim().split('\n');
    const requests = asked.map((line) => JSON.parse(line) as Pick<ModelRequest, 'conversation'>);
    const said = requests.at(-1)!.conversation.map(({ role, text }) => `${role}: ${text}`);
    expect(said.slice(-3)).toEqual([
      expect.stringMatching(/^user: .*Say the magic word/s),
      'assistant: It is abracadabra. <goto>HOLD</goto>',
      expect.stringMatching(/^user: .*What was the magic word/s),
    ]);
  }, 240_000);
});

interface Status {
  readonly status: string;
  readonly result?: string;
  readonly agents: readonly { readonly host?: string }[];
}

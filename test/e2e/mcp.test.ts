// `raymond mcp` as coding agents use it: the SDK's own client, the real process, and the engine of the project.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, type Progress } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { BACKGROUND, Place } from '../support/cli.js';

const program = fileURLToPath(new URL('../../bin/raymond.js', import.meta.url));

/** Longer than anything here takes, also on a loaded machine. */
const PATIENT = { timeout: 200_000, resetTimeoutOnProgress: true };
const WAIT = 150;

const LOOKING = [
  'list_workflows',
  'lint_workflow',
  'list_runs',
  'run_status',
  'run_result',
  'read_logs',
  'read_transcript',
];
const CHANGING = ['start_run', 'answer_question', 'pause_run', 'resume_run', 'retry_agent', 'cancel_run', 'tell_agent'];

let place: Place;
const clients: Client[] = [];
beforeAll(async () => {
  const files = {
    'flows/says/START.sh': 'echo said; echo "<result>$RAYMOND_INPUT</result>"\n',
    'flows/asks/START.sh': 'echo "<ask next=\\"SAY\\">Which colour?</ask>"\n',
    'flows/asks/SAY.sh': 'echo "<result>$RAYMOND_INPUT</result>"\n',
    'flows/fails/START.sh': '[ -f good ] && echo "<result>good</result>" || exit 1\n',
    'flows/waits/START.sh': 'until [ -f go ]; do sleep 0.1; done; echo "<goto>NEXT</goto>"\n',
    'flows/waits/NEXT.sh': 'echo "<result>went</result>"\n',
    'flows/wrong/START.md': 'Go on.\n<goto>NOWHERE</goto>\n',
  };
  place = await Place.at(files, BACKGROUND);
}, 60_000);
afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()));
});

async function connected(...args: readonly string[]): Promise<Client> {
  const { TEMPORAL_ADDRESS: _cluster, ...own } = process.env;
  const cache = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  const env = { ...own, ...BACKGROUND, NO_COLOR: '1', XDG_CACHE_HOME: cache } as Record<string, string>;
  const client = new Client({ name: 'a-test', version: '1' });
  clients.push(client);
  const command = { command: process.execPath, args: [program, 'mcp', ...args], cwd: place.cwd, env };
  await client.connect(new StdioClientTransport(command), PATIENT);
  return client;
}

type Answer = Readonly<Record<string, unknown>>;

type Called = Awaited<ReturnType<Client['callTool']>>;

async function call(client: Client, name: string, given: Answer = {}): Promise<Answer> {
  return answerOf(await client.callTool({ name, arguments: given }, PATIENT));
}

function answerOf({ content, isError, structuredContent }: Called): Answer {
  const [part] = content as readonly { readonly text: string }[];
  if (isError === true) return { error: part?.text };
  expect(JSON.parse(part?.text ?? '')).toEqual(structuredContent);
  return structuredContent as Answer;
}

test('offers its tools with what each may do, and with --read-only those that change nothing', async () => {
  const { tools } = await (await connected()).listTools();
  expect(tools.map(({ name }) => name).sort()).toEqual([...LOOKING, ...CHANGING].sort());
  const reading = tools.filter(({ annotations }) => annotations?.readOnlyHint === true);
  expect(reading.map(({ name }) => name).sort()).toEqual([...LOOKING].sort());
  const ending = tools.filter(({ annotations }) => annotations?.destructiveHint === true);
  expect(ending.map(({ name }) => name)).toEqual(['cancel_run']);
  const readOnly = await connected('--read-only');
  expect((await readOnly.listTools()).tools.map(({ name }) => name).sort()).toEqual([...LOOKING].sort());
}, 120_000);

test('shows workflows and what lint says of one, and runs of a project that has none yet', async () => {
  const client = await connected('--read-only');
  const { workflows } = await call(client, 'list_workflows');
  expect(workflows).toContainEqual(expect.objectContaining({ id: 'flows~says', path: 'flows/says' }));
  expect(await call(client, 'lint_workflow', { workflow: 'flows/wrong' })).toMatchObject({
    errors: 1,
    findings: expect.arrayContaining([expect.objectContaining({ file: 'flows/wrong/START.md', severity: 'error' })]),
  });
  expect(await call(client, 'list_runs')).toEqual({ runs: [] });
  expect(await call(client, 'run_status', { run: 'r9' })).toEqual({
    error: 'there is no run r9; to list the runs, run: raymond list',
  });
}, 120_000);

test('operates runs from their start to their end', async () => {
  const client = await connected();

  // A start with its end, reported on the way; the same call again starts no second run.
  const heard: Progress[] = [];
  const start = { workflow: 'flows/says', input: 'hello', id: 'says-1', waitSeconds: WAIT };
  const followed = { ...PATIENT, onprogress: (progress: Progress) => void heard.push(progress) };
  const first = await client.callTool({ name: 'start_run', arguments: start }, followed);
  expect(answerOf(first)).toMatchObject({ runId: 'says-1', status: 'completed', result: 'hello' });
  expect(heard.length).toBeGreaterThan(0);
  expect(heard[0]).toMatchObject({ total: WAIT, message: expect.stringContaining('$0.00') });
  expect(await call(client, 'start_run', start)).toMatchObject({ runId: 'says-1', repeated: true, result: 'hello' });
  expect(await call(client, 'start_run', { ...start, input: 'other' })).toEqual({
    error: expect.stringContaining('says-1'),
  });
  expect(await call(client, 'read_logs', { run: 'says-1' })).toMatchObject({
    ended: [{ agentId: 'main', turn: 1, state: 'START.sh', text: expect.stringContaining('said') }],
    inProgress: [],
  });

  // A question and its answer.
  const asking = await call(client, 'start_run', { workflow: 'flows~asks', id: 'asks-1', waitSeconds: WAIT });
  expect(asking).toMatchObject({ status: 'asking', asks: [{ prompt: 'Which colour?' }] });
  expect(await call(client, 'answer_question', { run: 'asks-1', text: 'blue' })).toMatchObject({ runId: 'asks-1' });
  expect(await call(client, 'run_result', { run: 'asks-1', waitSeconds: WAIT })).toMatchObject({
    status: 'completed',
    result: 'blue',
  });
  expect(await call(client, 'answer_question', { run: 'asks-1', text: 'red' })).toEqual({
    error: expect.stringContaining('asks-1'),
  });

  // A failure, and a resumption.
  expect(await call(client, 'start_run', { workflow: 'flows/fails', id: 'fails-1', waitSeconds: WAIT })).toMatchObject({
    status: 'failed',
  });
  await place.write('good');
  expect(await call(client, 'resume_run', { run: 'fails-1' })).toMatchObject({ restarted: true, resumed: ['main'] });
  expect(await call(client, 'run_result', { run: 'fails-1', waitSeconds: WAIT })).toMatchObject({ result: 'good' });

  // Orders to a run in progress, each under the name of its operator.
  await call(client, 'start_run', { workflow: 'flows/waits', id: 'waits-1' });
  expect(await call(client, 'tell_agent', { run: 'waits-1', agent: 'main', text: 'Hurry.' })).toMatchObject({
    by: expect.stringMatching(/@.* \(MCP\)$/),
  });
  expect(await call(client, 'pause_run', { run: 'waits-1' })).toMatchObject({ runId: 'waits-1', served: true });
  await place.write('go');
  expect(await call(client, 'run_result', { run: 'waits-1', waitSeconds: WAIT })).toMatchObject({ status: 'paused' });
  expect(await call(client, 'cancel_run', { run: 'waits-1' })).toMatchObject({ runId: 'waits-1' });
  expect(await call(client, 'run_result', { run: 'waits-1', waitSeconds: WAIT })).toMatchObject({
    status: 'cancelled',
    open: false,
  });
  expect(await call(client, 'retry_agent', { run: 'waits-1', agent: 'nobody' })).toEqual({
    error: expect.stringContaining('nobody'),
  });

  expect(await call(client, 'list_runs', { status: ['completed'] })).toMatchObject({
    runs: [{ runId: 'fails-1' }, { runId: 'asks-1' }, { runId: 'says-1' }],
  });
}, 300_000);

test('refuses wrong arguments and workflows from outside the project, and writes no line but messages', async () => {
  const client = await connected();
  expect(await call(client, 'run_status', { runn: 'says-1' })).toEqual({ error: expect.stringContaining('runn') });
  for (const workflow of ['https://example.com/flow.zip', '/', '../other'])
    expect(await call(client, 'start_run', { workflow })).toEqual({
      error: expect.stringContaining(`there is no workflow "${workflow}" in the project ${place.cwd}`),
    });
  const hello = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } };
  const server = place.begin(['mcp']);
  const lines: string[] = [];
  const answered = new Promise<void>((resolve) => {
    server.stdout?.on('data', (chunk: Buffer) => {
      lines.push(
        ...String(chunk)
          .split('\n')
          .filter((line) => line !== ''),
      );
      if (lines.length >= 2) resolve();
    });
  });
  const messages = [
    { method: 'initialize', id: 1, params: hello },
    { method: 'notifications/initialized' },
    { method: 'tools/call', id: 2, params: { name: 'list_workflows', arguments: {} } },
  ];
  server.stdin?.write(messages.map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`).join(''));
  await answered;
  server.stdin?.end();
  expect(await server).toMatchObject({ exitCode: 0, stderr: '' });
  const ids = lines.map((line) => (JSON.parse(line) as { readonly id?: number }).id);
  expect(ids.sort()).toEqual([1, 2]);
}, 120_000);

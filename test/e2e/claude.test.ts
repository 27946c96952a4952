// The truth: the real Claude Code CLI against a loopback model API, whose requests tell the exact conversation of every turn.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { Place } from '../support/cli.js';
import { expectConversation, startModelApi, type ModelApi, type ModelRequest } from '../support/model-api.js';
import { realClaude, type RealClaude } from '../support/real-claude.js';
import { until } from '../support/until.js';

/** What the model answers to the newest prompt that it was given. */
const ANSWERS: readonly (readonly [prompt: string, answer: string])[] = [
  ['Remember APPLE.', 'Noted. <goto>PLAN</goto>'],
  ['Plan it.', '<call return="USE">RESEARCH</call>'],
  ['Look it up.', 'noise, noise <result>  the facts  </result>'],
  ['Use the facts.', '<function return="SHIP" input="good?">JUDGE</function>'],
  ['Judge: good?', '<result>yes</result>'],
  ['Ship it, the verdict is yes.', '<fork next="END" item="docs">WORKER</fork>'],
  ['Work on docs as main_worker1.', '<result>worked</result>'],
  ['The end.', 'All <result>shipped</result>'],
];

const FLOW = {
  'flow/START.md': 'Remember APPLE.\n',
  'flow/PLAN.md': '---\nunused: true\n---\nPlan it.\n',
  'flow/RESEARCH.md': 'Look it up.\n',
  'flow/USE.md': 'Use {{result}}.\n',
  'flow/JUDGE.md': 'Judge: {{input}}\n',
  'flow/SHIP.md': 'Ship it, the verdict is {{result}}.\n',
  'flow/WORKER.md': 'Work on {{item}} as {{agent_id}}.\n',
  'flow/END.md': 'The end.\n',
};

let api: ModelApi;
let claude: RealClaude;
let place: Place;
let hold: Promise<void> = Promise.resolve();

beforeAll(async () => {
  api = await startModelApi({
    reply: async (request) => {
      await hold;
      const answer = ANSWERS.find(([prompt]) => newest(request).startsWith(prompt));
      return answer === undefined ? { status: 400, message: `nobody wrote: ${newest(request)}` } : { text: answer[1] };
    },
  });
  claude = await realClaude({ apiUrl: api.url });
  place = await Place.sharing(FLOW, claude.env);
});
afterAll(async () => {
  await claude.close();
  await api.close();
});

/** What the user said last, without the newline that every prompt begins with. */
function newest({ conversation }: ModelRequest): string {
  return conversation.at(-1)?.text.trim() ?? '';
}

function conversationOf(prompt: string): ModelRequest | undefined {
  return api.requests.find((request) => newest(request).startsWith(prompt));
}

test('every turn receives exactly its conversation through goto, call, function, fork and result', async () => {
  const { stdout, stderr, exitCode } = await place.raymond(['start', 'flow', '--json', '--model', 'haiku']);
  expect({ exitCode, stderr: exitCode === 0 ? '' : stderr }).toEqual({ exitCode: 0, stderr: '' });
  const document = JSON.parse(stdout) as { costUsd: number; agents: unknown[] };
  expect(document).toMatchObject({
    status: 'completed',
    result: 'shipped',
    agents: [
      { id: 'main', status: 'completed', state: 'END.md' },
      { id: 'main_worker1', status: 'completed', state: 'WORKER.md', result: 'worked' },
    ],
  });
  expect(document.costUsd).toBeGreaterThan(0);
  expect(api.requests).toHaveLength(8);

  const began = ['user: Remember APPLE.', 'assistant: Noted. <goto>PLAN</goto>'];
  const planned = [...began, 'user: Plan it.', 'assistant: <call return="USE">RESEARCH</call>'];
  const used = [
    ...planned,
    'user: Use the facts.',
    'assistant: <function return="SHIP" input="good?">JUDGE</function>',
  ];
  const shipped = [
    ...used,
    'user: Ship it, the verdict is yes.',
    'assistant: <fork next="END" item="docs">WORKER</fork>',
  ];
  const expected: readonly (readonly [prompt: string, lines: readonly string[]])[] = [
    ['Remember APPLE.', []],
    ['Plan it.', began],
    ['Look it up.', planned],
    ['Use the facts.', planned],
    ['Judge: good?', []],
    ['Ship it, the verdict is yes.', used],
    ['Work on docs as main_worker1.', []],
    ['The end.', shipped],
  ];
  for (const [prompt, lines] of expected) expectTrimmed(conversationOf(prompt), [...lines, `user: ${prompt}`]);
});

test('kill -9 in the middle of a prompt turn: resume sends the same conversation again and repeats no recorded turn', async () => {
  const before = api.requests.length;
  let release: () => void = () => undefined;
  const killed = place.begin(['start', 'flow', '--id', 'killed']);
  await until(() => api.requests.length > before, { what: 'the first request' });
  await until(() => api.requests.some((request, n) => n >= before && newest(request) === 'Plan it.'), {
    what: 'the second turn',
  });
  hold = new Promise((resolve) => (release = resolve));
  await until(() => api.requests.slice(before).some((request) => newest(request) === 'Look it up.'), {
    what: 'the third turn',
  });
  killed.kill('SIGKILL');
  await killed;
  release();
  hold = Promise.resolve();
  const { stdout, exitCode } = await place.raymond(['resume', 'killed']);
  expect({ stdout, exitCode }).toEqual({ stdout: 'shipped', exitCode: 0 });
  const asked = api.requests.slice(before).map(newest);
  const repeated = asked.filter((prompt, index) => asked.indexOf(prompt) !== index);
  // Only the turn that was not recorded may have been asked twice.
  expect(repeated.every((prompt) => ['Look it up.', 'Plan it.'].includes(prompt))).toBe(true);
  expect(repeated.length).toBeLessThanOrEqual(1);
});

test('a run from a recorded turn sends the conversations that the old one had, through call and result', async () => {
  const before = api.requests.length;
  const { stdout, exitCode } = await place.raymond(['fork', 'killed', '--at', '3', '--id', 'forked']);
  expect({ stdout, exitCode }).toEqual({ stdout: 'shipped', exitCode: 0 });
  const asked = api.requests.slice(before);
  expect(asked.slice(0, 2).map(newest)).toEqual(['Look it up.', 'Use the facts.']);
  const planned = [
    'user: Remember APPLE.',
    'assistant: Noted. <goto>PLAN</goto>',
    'user: Plan it.',
    'assistant: <call return="USE">RESEARCH</call>',
  ];
  expectTrimmed(asked[0], [...planned, 'user: Look it up.']);
  expectTrimmed(asked[1], [...planned, 'user: Use the facts.']);
});

test('the command that opens a conversation by hand opens it, and leaves that of the run as it is', async () => {
  const before = (await place.raymond(['transcript', 'killed', 'main'])).stdout;
  const { stdout } = await place.raymond(['session', 'killed', 'main']);
  const opening = { env: claude.env, extendEnv: false, input: 'The end.', reject: false, timeout: 60_000 } as const;
  const { exitCode } = await execa('bash', ['-c', `${stdout} -p --model haiku`], opening);
  expect(exitCode).toBe(0);
  const { conversation } = api.requests.at(-1) as ModelRequest;
  expect(conversation[0]?.text.trim()).toBe('Remember APPLE.');
  expect(conversation.at(-1)?.text.trim()).toBe('The end.');
  expect(before).toMatch(/^> Remember APPLE\.[^]*The end\.[^]*All <result>shipped<\/result>$/);
  expect((await place.raymond(['transcript', 'killed', 'main'])).stdout).toBe(before);
});

test('a prompt that begins with a slash is no command, and a value with @ reads no file', async () => {
  await writeFile(join(place.cwd, 'secret.txt'), 'TOP SECRET');
  const other = await Place.sharing({ 'flow/START.md': '/clear {{input}}\n', 'secret.txt': 'TOP SECRET' }, claude.env);
  const before = api.requests.length;
  await other.raymond(['start', 'flow', '--input', 'see @secret.txt']);
  const asked = api.requests.slice(before);
  expect(asked.length).toBeGreaterThan(0);
  expect(newest(asked[0]!)).toBe('/clear see @secret.txt');
  expect(JSON.stringify(asked.map(({ raw }) => raw))).not.toContain('TOP SECRET');
});

function expectTrimmed(request: ModelRequest | undefined, lines: readonly string[]): void {
  const trimmed = request && {
    ...request,
    conversation: request.conversation.map((said) => ({ ...said, text: said.text.trim() })),
  };
  expectConversation(trimmed, lines);
}

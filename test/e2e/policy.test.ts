// Policies by the real Claude Code CLI against a loopback model API: reminders go into the conversation of the mistake, models come and go.
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { Place } from '../support/cli.js';
import { startModelApi, type ModelApi, type ModelRequest } from '../support/model-api.js';
import { realClaude, type RealClaude } from '../support/real-claude.js';

const PROMPT = 'Write the plan.';
const FLOW = {
  'flow/START.md': `---\nmodel: haiku\nallowed_transitions:\n  - { tag: goto, target: NEXT.md }\n  - { tag: result }\n---\n${PROMPT}\n`,
  'flow/NEXT.md': 'Carry it out.\n',
  'plain/START.md': 'Carry it out.\n',
  'wrong/START.md': '---\nallowed_transitions:\n  - { tag: goto, target: NEXT }\n---\nGo.\n',
  'wrong/NEXT.md': '---\ntimeout: soon\n---\nGo.\n',
};

let api: ModelApi;
let claude: RealClaude;
let place: Place;
let before = 0;

beforeAll(async () => {
  api = await startModelApi({
    reply: (request) => {
      const said = lastWords(request);
      if (said.startsWith('Carry it out.')) return { text: '<result>done</result>' };
      return { text: said.includes('could not be used') ? 'Sorry. <goto>NEXT.md</goto>' : 'The plan stands.' };
    },
  });
  claude = await realClaude({ apiUrl: api.url });
  place = await Place.at(FLOW, claude.env);
});
beforeEach(() => {
  before = api.requests.length;
});
afterAll(async () => {
  await claude.close();
  await api.close();
});

function lastWords({ conversation }: ModelRequest): string {
  return conversation.at(-1)?.text.trim() ?? '';
}

const asked = (): readonly ModelRequest[] => api.requests.slice(before);

async function run(workflow: string): Promise<readonly ModelRequest[]> {
  const { stdout, stderr, exitCode } = await place.raymond(['start', workflow]);
  expect({ stdout, exitCode, stderr: exitCode === 0 ? '' : stderr }).toEqual({
    stdout: 'done',
    exitCode: 0,
    stderr: '',
  });
  return asked();
}

test('a reminder reaches the model at the end of the conversation in which the tag was forgotten', async () => {
  const requests = await run('flow');
  expect(requests).toHaveLength(3);
  const [first, reminder, next] = requests.map(({ conversation }) =>
    conversation.map(({ role, text }) => `${role}: ${text.trim()}`),
  );
  expect(first).toEqual([`user: ${PROMPT}`]);
  expect(reminder).toEqual([
    `user: ${PROMPT}`,
    'assistant: The plan stands.',
    expect.stringMatching(/^user: Write the plan\.\n\n---\nYour last reply .* it has no transition tag\./),
  ]);
  expect(reminder?.at(-1)).toContain('\n- <goto>NEXT.md</goto>\n- <result>…</result>\n');
  expect(next).toEqual([...(reminder ?? []), 'assistant: Sorry. <goto>NEXT.md</goto>', 'user: Carry it out.']);
});

test('the model of a state ends with it: the next state has the one that a fresh conversation has', async () => {
  const [plain] = (await run('plain')).map(({ model }) => model);
  before = api.requests.length;
  const models = (await run('flow')).map(({ model }) => model);
  expect(models).toEqual([expect.stringContaining('haiku'), expect.stringContaining('haiku'), plain]);
  expect(plain).not.toContain('haiku');
});

test("the user's own choice of a model is what the next state has", async () => {
  const settings = join(claude.home, '.claude', 'settings.json');
  await mkdir(dirname(settings), { recursive: true });
  await writeFile(settings, JSON.stringify({ model: 'sonnet' }));
  try {
    expect((await run('flow')).at(-1)?.model).toContain('sonnet');
  } finally {
    await rm(settings);
  }
});

test('a wrong frontmatter is refused before anything is started', async () => {
  const { stdout, stderr, exitCode } = await place.raymond(['start', 'wrong', '--id', 'never']);
  expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 64 });
  expect(stderr).toContain(`${join(place.cwd, 'wrong/NEXT.md')}:2: timeout: expected a duration`);
  expect((await place.raymond(['status', 'never'])).stderr).toContain('there is no run never');
  expect(asked()).toEqual([]);
});

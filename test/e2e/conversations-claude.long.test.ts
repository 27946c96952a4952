// The real Claude Code CLI and conversations: the user's latest one goes on in a run, its forked agents and after a resumption, a forked agent
// begins with that of its parent, and results with a schema come back over every path. The model is scripted.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { execa } from 'execa';
import { Place } from '../support/cli.js';
import { startModelApi, type ModelApi, type ModelRequest, type Reply } from '../support/model-api.js';
import { realClaude, type RealClaude } from '../support/real-claude.js';

const SCORE = 'result: { schema: { type: object, properties: { score: { type: integer } }, required: [score] } }';
const scored = (score: number): Reply => ({ tool: { name: 'StructuredOutput', input: { score } } });

/** By a word of the newest prompt that has one. */
const REPLIES: Readonly<Record<string, Reply>> = {
  DELTA: { text: 'noted' },
  ALPHA: {
    text: '<fork next="SECOND" context="branch" topic="docs">REVIEW</fork>',
    usage: { input_tokens: 10, output_tokens: 5, cache_read_input_tokens: 700 },
  },
  BETA: { text: '<result>reviewed</result>' },
  GAMMA: { text: '<goto>CHECK</goto>' },
  OMEGA: { text: '<result>the end</result>' },
  FORKED: scored(3),
  CALLED: scored(4),
};

let api: ModelApi;
let claude: RealClaude;
let place: Place;
let env: Readonly<Record<string, string>>;

function wordsOf({ conversation }: ModelRequest): readonly string[] {
  const text = conversation.map((said) => said.text).join('\n');
  return Object.keys(REPLIES).filter((word) => text.includes(word));
}

function reply(request: ModelRequest): Reply {
  if (request.conversation.some(({ kind }) => kind === 'tool-result')) return { text: 'done' };
  const words = wordsOf(request);
  return REPLIES[words.at(-1) ?? ''] ?? { text: 'nothing to say' };
}

beforeAll(async () => {
  api = await startModelApi({ reply });
  claude = await realClaude({ apiUrl: api.url });
  place = await Place.at({
    'flow/START.md': 'ALPHA: begin.',
    'flow/REVIEW.md': 'BETA: review {{topic}}.',
    'flow/SECOND.md': 'GAMMA: go on.',
    'flow/CHECK.sh': '[ -f ready ] || exit 1\necho "<goto>END</goto>"\n',
    'flow/END.md': 'OMEGA: end.',
    'scores/START.sh': 'echo \'<fork next="WAIT">FORKED</fork>\'\n',
    'scores/WAIT.sh': 'echo \'<await next="CALL"/>\'\n',
    'scores/CALL.sh': 'echo "$RAYMOND_INPUT" >awaited.json\necho \'<function return="END">CALLED</function>\'\n',
    'scores/END.sh': 'echo "<result>$(cat awaited.json) $RAYMOND_RESULT_score</result>"\n',
    'scores/FORKED.md': `---\n${SCORE}\n---\nFORKED: score it.`,
    'scores/CALLED.md': `---\n${SCORE}\n---\nCALLED: score it.`,
  });
  const cache = process.env['XDG_CACHE_HOME'] ?? join(process.env['HOME'] ?? '', '.cache');
  env = { ...claude.env, XDG_CACHE_HOME: cache };
});
afterAll(async () => {
  await claude.close();
  await api.close();
});

test('a conversation of the user goes on in main, in a branch of it, and after a resumption', async () => {
  const options = { cwd: place.cwd, env, extendEnv: false, input: 'DELTA: remember this.' } as const;
  await execa('claude', ['-p', '--model', 'haiku'], options);
  const started = await place.raymond(
    ['start', 'flow', '--id', 'talk', '--continue-session', '--model', 'haiku', '--no-check'],
    { env },
  );
  expect(started.exitCode).toBe(1);
  await writeFile(join(place.cwd, 'ready'), '');
  const resumed = await place.raymond(['resume', 'talk', '--follow'], { env });
  expect(resumed).toMatchObject({ exitCode: 0, stdout: 'the end' });
  expect(new Set(api.requests.map((request) => wordsOf(request).join(' ')))).toEqual(
    new Set(['DELTA', 'DELTA ALPHA', 'DELTA ALPHA BETA', 'DELTA ALPHA GAMMA', 'DELTA ALPHA GAMMA OMEGA']),
  );
  const history = await place.raymond(['history', 'talk', '--json'], { env });
  expect(history.stdout).toContain('"cacheRead":700');
});

test('a result with a schema comes back from a fork and from a function', async () => {
  const { stdout, exitCode } = await place.raymond(['start', 'scores', '--model', 'haiku'], { env });
  expect({ exitCode, stdout }).toEqual({
    exitCode: 0,
    stdout: expect.stringMatching(/"result":"\{\\"score\\":3\}".* 4$/u),
  });
});

// Prompts in the sandbox `process`: the real Claude Code against a scripted model, which asks for what it must not get.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { TestWorker, failureOf, type TurnOptions } from '../activities/test-worker.js';
import { folder } from '../support/folder.js';
import { script, startModelApi, type ModelApi, type Rule } from '../support/model-api.js';
import { realClaude, type RealClaude } from '../support/real-claude.js';
import { describeUnless, noNetworkList, noSandbox, testUnless } from '../support/unless.js';

/** In two parts: the conversation, which holds the attacks, must not be taken for a find. */
const KEY = ['sk-ant-secret', '-of-the-owner'] as const;
const FIND_KEY = `grep -rq '${KEY[0]}''${KEY[1]}'`;

/** Each prints `got NAME` if it succeeds. */
const ATTACKS = Object.entries({
  'a key of the home': 'cat "$HOME_OUTSIDE/.ssh/id"',
  'the credential in a variable': `env | ${FIND_KEY}`,
  'the credential in a process': `cat /proc/*/environ | ${FIND_KEY}`,
  'the credential in a file': `${FIND_KEY} "$CLAUDE_CONFIG_DIR"`,
  'the command that prints a key': 'grep -q the-helper "$CLAUDE_CONFIG_DIR/settings.json"',
  'the model without the relay': 'curl -s "$API_OUTSIDE/v1/messages"',
  'another part of the API': 'curl -sf --unix-socket "$ANTHROPIC_UNIX_SOCKET" http://x/v1/files',
  'a place outside': 'echo x > "$OUTSIDE/file"',
  'the instructions of the user': 'echo x >> "$CLAUDE_CONFIG_DIR/CLAUDE.md"',
})
  .map(([name, attack]) => `if ( ${attack} ) >/dev/null 2>&1; then echo "got ${name}"; fi`)
  .join('\n');

const bash = (command: string): { readonly tool: { readonly name: string; readonly input: object } } => ({
  tool: { name: 'Bash', input: { command } },
});

const RULES: readonly Rule[] = [
  { contains: 'attack', reply: [bash(ATTACKS), { text: '<goto>START.md</goto>' }] },
  { contains: 'work', reply: [bash('echo made > made.txt'), { text: '<goto>NEXT.md</goto>' }] },
  {
    contains: 'download',
    reply: [bash('curl -s http://localhost:1/; curl -s http://example.com/'), { text: '<result>ok</result>' }],
  },
  { contains: 'continue', reply: { text: '<result>continued</result>' } },
];

let api: ModelApi;
let claude: RealClaude;

beforeEach(async () => {
  api = await startModelApi({ reply: script(RULES) });
  claude = await realClaude({ apiUrl: api.url });
  await mkdir(join(claude.home, '.claude'));
  await mkdir(join(claude.home, '.ssh'));
  await writeFile(join(claude.home, '.ssh/id'), 'key');
});

afterEach(async () => {
  await claude.close();
  await api.close();
});

/** A worker whose config asks for the sandbox; `env` is added to its environment, and let into the sandbox. */
async function place(
  states: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string>> = {},
  network: readonly string[] = [],
): Promise<TestWorker> {
  const { ANTHROPIC_API_KEY: _dummy, ...base } = claude.env;
  return await TestWorker.with(states, {
    environment: { ...base, ANTHROPIC_API_KEY: KEY.join(''), ...env },
    settings: { sandbox: { kind: 'process', env: Object.keys(env), network } },
  });
}

const turn = (state: string, more: TurnOptions['agent'] = {}): TurnOptions => ({
  settings: { permissions: 'skip' },
  agent: { state, ...more },
});

/** The results of its tools, as the model got them. */
function toolResults(): readonly string[] {
  const conversation = api.requests.at(-1)?.conversation ?? [];
  return conversation.filter(({ kind }) => kind === 'tool-result').map(({ text }) => text);
}

describeUnless(noSandbox())('a prompt in the sandbox "process"', () => {
  test('gets neither the credential nor anything else from outside', async () => {
    const outside = await folder();
    await writeFile(join(claude.home, '.claude/CLAUDE.md'), 'be kind');
    await writeFile(join(claude.home, '.claude/settings.json'), JSON.stringify({ apiKeyHelper: 'the-helper' }));
    const worker = await place(
      { 'START.md': 'attack' },
      { OUTSIDE: outside, HOME_OUTSIDE: claude.home, API_OUTSIDE: api.url },
    );
    const report = await worker.turn(turn('START.md'));
    expect(toolResults().join('\n')).not.toContain('got ');
    expect(toolResults()).toHaveLength(1);
    expect(report).toMatchObject({
      outcome: { kind: 'transition' },
      sandbox: { kind: 'process', policy: expect.stringMatching(/^[0-9a-f]{12}$/) },
      warnings: ["network: GET /v1/files of the model's API"],
    });
    // What it may read of the user reaches the model, with the credential that only the relay has.
    expect(JSON.stringify(api.requests[0]?.raw)).toContain('be kind');
    expect(api.requests.map(({ credential }) => credential)).toEqual([KEY.join(''), KEY.join('')]);
    await expect(readFile(join(outside, 'file'))).rejects.toThrow('ENOENT');
  }, 120_000);

  test('works in its directory without asking, and its conversation is continued in the next turn', async () => {
    // A user who has turned on the sandbox of Claude Code itself can work as well.
    await writeFile(join(claude.home, '.claude/settings.json'), JSON.stringify({ sandbox: { enabled: true } }));
    const worker = await place({ 'START.md': 'work', 'NEXT.md': 'continue' });
    await mkdir(join(claude.home, '.claude/plugins'));
    // As in a project: the folder of Raymond, and in it what Claude Code has inside, is in the working directory.
    const cwd = dirname(worker.raymondDir);
    const report = await worker.turn(turn('START.md', { cwd }));
    expect(await readFile(join(cwd, 'made.txt'), 'utf8')).toBe('made\n');
    if (report.session === undefined) throw new Error('it left no conversation');
    const next = await worker.turn(
      turn('NEXT.md', { cwd, session: report.session, turn: 1, denied: ['write: .envrc'] }),
    );
    expect(next.outcome).toMatchObject({ transition: { payload: 'continued' } });
    expect(api.requests.at(-1)?.conversation[0]?.text).toContain('work');
    expect(JSON.stringify(api.requests.at(-1)?.conversation)).toContain('The sandbox refused: write: .envrc. It will');
    expect(await worker.processesOf('main')).toEqual([]);
  }, 120_000);

  testUnless(noNetworkList())(
    'reaches its model and the hosts of its network list side by side',
    async () => {
      const worker = await place(
        { 'START.md': '---\nsandbox: { kind: process, network: [localhost] }\n---\ndownload' },
        {},
        ['localhost'],
      );
      const report = await worker.turn(turn('START.md'));
      expect(report.warnings).toEqual(['network: example.com is not in the network list of the sandbox']);
      expect(report.denied).toEqual(report.warnings);
      expect(toolResults().join('')).toContain('example.com is not in the network list');
    },
    120_000,
  );

  test('is not started without a credential, and says what to do', async () => {
    const worker = await place({ 'START.md': 'work' }, { ANTHROPIC_API_KEY: '' });
    expect(await failureOf(worker.turn(turn('START.md')))).toMatchObject({
      type: 'NeedsPerson',
      message: expect.stringContaining('has no credential for the model; set ANTHROPIC_API_KEY'),
    });
    expect(api.requests).toEqual([]);
  });

  test('is not started when its backend or its cloud cannot be reached from inside', async () => {
    const cloud = await place({ 'START.md': 'work' }, { CLAUDE_CODE_USE_BEDROCK: '1' });
    expect((await failureOf(cloud.turn(turn('START.md')))).message).toContain('CLAUDE_CODE_USE_BEDROCK is set');
    const pi = await place({ 'START.md': '---\nbackend: pi\n---\nwork' });
    expect((await failureOf(pi.turn(turn('START.md')))).message).toContain('use the backend claude');
    expect(api.requests).toEqual([]);
  });
});

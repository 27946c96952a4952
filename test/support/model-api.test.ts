// Integration tests of the pair that other tests stand on: the real Claude Code CLI and the scripted model.
import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { execa } from 'execa';
import { expectConversation, script, startModelApi, type ModelApi, type Rule } from './model-api.js';
import { realClaude, type RealClaude } from './real-claude.js';
import { until } from './until.js';

const STREAM = ['-p', '--output-format', 'stream-json', '--verbose'];

async function post(url: string, text: string, stream = false): Promise<{ status: number; body: string }> {
  const response = await fetch(`${url}/v1/messages`, {
    method: 'POST',
    headers: { 'x-claude-code-session-id': 's1' },
    body: JSON.stringify({ model: 'm', stream, messages: [{ role: 'user', content: text }] }),
  });
  return { status: response.status, body: await response.text() };
}

describe('the scripted model', () => {
  test('answers by the first rule that fits, and a used-up rule no longer fits', async () => {
    const reply = script([
      { contains: 'ping', times: 1, reply: { text: 'once' } },
      { matches: /^p.ng$/, reply: { text: 'again' } },
    ]);
    const api = await startModelApi({ reply });
    expect((await post(api.url, 'ping')).body).toContain('"once"');
    expect((await post(api.url, 'ping')).body).toContain('"again"');
    await api.close();
  });

  test('a request that no rule fits is answered with 400 and fails the close', async () => {
    const api = await startModelApi({ reply: script([{ contains: 'expected', reply: { text: 'x' } }]) });
    expect((await post(api.url, 'surprise')).status).toBe(400);
    await expect(api.close()).rejects.toThrow('no rule of the scripted model fits "surprise"');
  });

  test('streams, fails and hangs as told; what hangs ends with the server', async () => {
    const replies: Rule[] = [
      { contains: 'stream', reply: { text: 'a stream' } },
      { contains: 'fail', reply: { status: 529, headers: { 'x-a': 'b' } } },
      { contains: 'hang', reply: { hang: true } },
    ];
    const api = await startModelApi({ reply: script(replies) });
    expect((await post(api.url, 'stream', true)).body).toMatch(/^event: message_start\n[\s\S]*event: message_stop\n/);
    expect(await post(api.url, 'fail')).toMatchObject({
      status: 529,
      body: expect.stringContaining('overloaded_error'),
    });
    const hanging = post(api.url, 'hang').catch(() => 'cut off');
    await until(() => api.requests.length === 3);
    await api.close();
    expect(await hanging).toBe('cut off');
  });

  test('runs as a process of its own, with rules from a file and a log', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'raymond-model-'));
    const [rules, log] = [join(folder, 'rules.json'), join(folder, 'log.jsonl')];
    await writeFile(rules, JSON.stringify([{ contains: 'hi', reply: { text: 'from the file' } }]));
    const main = fileURLToPath(new URL('./modelApiMain.mjs', import.meta.url));
    const child = execa(process.execPath, [main, '--rules', rules, '--log', log]);
    try {
      const line = await new Promise<string>((resolve) => child.stdout.once('data', (data) => resolve(String(data))));
      const { url } = JSON.parse(line) as { url: string };
      expect((await post(url, 'hi')).body).toContain('from the file');
      expect((await post(url, 'what?')).status).toBe(400);
      const lines = (await readFile(log, 'utf8')).trim().split('\n');
      expect(lines.map((entry) => JSON.parse(entry) as unknown)).toMatchObject([
        { sessionId: 's1', conversation: [{ role: 'user', text: 'hi' }], mismatch: false },
        { conversation: [{ role: 'user', text: 'what?' }], mismatch: true },
      ]);
      child.kill('SIGTERM');
      expect((await child).exitCode).toBe(0);
    } finally {
      child.kill('SIGKILL');
      await rm(folder, { recursive: true, force: true });
    }
  });
});

describe('the real CLI against the scripted model', () => {
  let api: ModelApi;
  let claude: RealClaude;

  beforeEach(async () => {
    const reply = script([
      { contains: 'first', reply: { text: 'answer one' } },
      { contains: 'second', reply: { text: 'answer two' } },
      {
        contains: 'touch',
        reply: [{ tool: { name: 'Bash', input: { command: 'echo hello > made' } } }, { text: 'made it' }],
      },
    ]);
    api = await startModelApi({ reply });
    claude = await realClaude({ apiUrl: api.url });
  });

  afterEach(async () => {
    await claude.close();
    await api.close();
  });

  test('a turn with a session id of our choice reaches the model as it was written', async () => {
    const id = randomUUID();
    const run = await claude.run([...STREAM, '--session-id', id], { prompt: '\nfirst question' });
    expect(run.events.at(-1)).toMatchObject({ type: 'result', is_error: false, result: 'answer one', session_id: id });
    expect(api.requests).toHaveLength(1);
    expect(api.requests[0]?.sessionId).toBe(id);
    expectConversation(api.requests[0], ['user: first question']);
  });

  test('a fork by path sends the parent and the prompt, and leaves the parent as it was', async () => {
    const [parent, fork] = [randomUUID(), randomUUID()];
    await claude.run([...STREAM, '--session-id', parent], { prompt: '\nfirst question' });
    const path = claude.transcriptPath(parent);
    const before = await readFile(path, 'utf8');
    const args = [...STREAM, '--session-id', fork, '--resume', path, '--fork-session'];
    const run = await claude.run(args, { prompt: '\nsecond question' });
    expect(run.events.at(-1)).toMatchObject({ result: 'answer two', session_id: fork });
    expectConversation(api.requests[1], ['user: first question', 'assistant: answer one', 'user: second question']);
    expect(await readFile(path, 'utf8')).toBe(before);
    expect(await readFile(claude.transcriptPath(fork), 'utf8')).toContain('answer two');
  });

  test('a session id that has a transcript is refused', async () => {
    const args = [...STREAM, '--session-id', randomUUID()];
    await claude.run(args, { prompt: '\nfirst question' });
    const again = await claude.run(args, { prompt: '\nfirst question' });
    expect(again).toMatchObject({ exitCode: 1, stdout: '', stderr: expect.stringContaining('is already in use') });
  });

  test('tools really run, and the whole exchange is seen', async () => {
    const run = await claude.run([...STREAM, '--permission-mode', 'acceptEdits'], { prompt: '\ntouch a file' });
    expect(run.events.at(-1)).toMatchObject({ result: 'made it', permission_denials: [] });
    expect(await readFile(join(claude.cwd, 'made'), 'utf8')).toBe('hello\n');
    expectConversation(api.requests[1], [
      'user: touch a file',
      'assistant: [Bash] {"command":"echo hello > made"}',
      'user: (Bash completed with no output)',
    ]);
  });
});

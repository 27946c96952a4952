// Integration tests of the pair that other tests stand on: the real Claude Code CLI and the scripted model.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { execa } from 'execa';
import { script, startModelApi, type Rule } from './model-api.js';
import { until } from './until.js';

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

  test('streams, fails and hangs as requested; what hangs ends with the server', async () => {
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

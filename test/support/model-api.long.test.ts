// The real Claude Code CLI against the scripted model.
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { expectConversation, script, startModelApi, type ModelApi } from './model-api.js';
import { realClaude, type RealClaude } from './real-claude.js';

const STREAM = ['-p', '--output-format', 'stream-json', '--verbose'];

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

// pi's output as pi 0.74.2 printed it against a loopback API, read to answers, costs and judgements; and the command lines of its turns.
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import type { BackendEnd, BackendRequest } from '../../../src/backends/backend.js';
import { OWN_PRICING } from '../../../src/backends/backends.js';
import { PiBackend, PiReader, overridingPiArg, reservedPiArg } from '../../../src/backends/pi/backend.js';
import type { PiOptions } from '../../../src/protocol/backend-options.js';
import { FolderStore } from '../../../src/store/folder.js';
import { folder } from '../../support/folder.js';

const recorded = async (name: string): Promise<Buffer> =>
  await readFile(new URL(`./recorded/${name}.jsonl`, import.meta.url));

async function read(name: string, size = Infinity): Promise<PiReader> {
  const reader = new PiReader();
  const bytes = await recorded(name);
  for (let at = 0; at < bytes.length; at += size) reader.push(bytes.subarray(at, at + size));
  reader.end();
  return reader;
}

function judged(
  reader: PiReader,
  { end = { kind: 'exited', code: 0 }, stderr = '' }: { end?: BackendEnd; stderr?: string } = {},
) {
  return reader.judge({ end, stderr, now: new Date(0), redact: (value) => value });
}

describe('a turn', () => {
  test.each([Infinity, 7])('is read to its answer and its cost, in chunks of %d bytes', async (size) => {
    const reader = await read('answered', size);
    // The answer has a line separator of Unicode in it, which ends no line here.
    expect(reader.text).toBe('Hello from the mock, message 1.\u2028\n<goto>NEXT</goto>');
    expect(reader.costUsd).toBeCloseTo(0.00105, 8);
    expect(reader.spending).toEqual([
      expect.objectContaining({ model: 'claude-sonnet-4-5', inputTokens: 100, outputTokens: 50 }),
    ]);
    expect(judged(reader)).toEqual({ kind: 'answered' });
  });

  test('that is killed in the middle is charged with what it had cost by then, and is no answer', async () => {
    const lines = (await recorded('answered')).toString().split('\n');
    const reader = new PiReader();
    reader.push(
      Buffer.from(`${lines.filter((line) => !/"type":"(message_end|turn_end|agent_end)"/.test(line)).join('\n')}\n`),
    );
    expect(reader.costUsd).toBeCloseTo(0.00105, 8);
    expect(judged(reader, { end: { kind: 'signalled', signal: 'SIGKILL' } })).toMatchObject({ type: 'ClaudeFailed' });
  });

  test('that the service refused is a failure, whatever the exit code says', async () => {
    expect(judged(await read('refused'))).toMatchObject({ kind: 'failed', type: 'NeedsPerson' });
    expect(judged(await read('limited'))).toMatchObject({ kind: 'failed', type: 'RateLimited' });
  });

  test.each([
    ['No API key found for anthropic.', 'NeedsPerson'],
    ['Error: Model "no-such" not found. Use --list-models', 'ClaudeRefused'],
    ['Error: Cannot fork: source session file is empty or invalid: x', 'ClaudeRefused'],
    ['TypeError: fetch failed', 'ApiTrouble'],
    ['Segmentation fault', 'ClaudeFailed'],
  ])('that printed no message and %j on stderr is a %s', (stderr, type) => {
    expect(judged(new PiReader(), { end: { kind: 'exited', code: 1 }, stderr })).toMatchObject({ type });
  });

  test('without pi on the host needs a person', () => {
    const end = { kind: 'unstartable', what: 'command', code: 'ENOENT', message: 'no pi' } as const;
    expect(judged(new PiReader(), { end })).toMatchObject({
      type: 'NeedsPerson',
      message: expect.stringContaining('install'),
    });
  });

  test('is charged by its worker without knowing what did it', async () => {
    const reader = OWN_PRICING.reader();
    reader.push(await recorded('answered'));
    reader.end();
    expect(reader.costUsd).toBeCloseTo(0.00105, 8);
  });
});

describe('the command line', () => {
  async function line(request: Partial<BackendRequest>, settings = {}): Promise<readonly string[]> {
    const asker = { runId: 'r', agentId: 'main', state: 'A.md', attributes: {} };
    const artifacts = new FolderStore(await folder());
    const given = { asker, artifacts, env: { HOME: '/home/me' }, cwd: '/', sessionId: 'new', prompt: 'Go.' };
    const backend = new PiBackend({ piArgs: [], allowedTools: [], ...settings });
    const temporaryFolder = async (): Promise<string> => await folder();
    const { args, command, stdin } = await backend.command({
      ...given,
      permissions: 'accept-edits',
      temporaryFolder,
      ...request,
    });
    expect([command, stdin]).toEqual(['pi', 'Go.']);
    return args;
  }

  test('has a folder for the conversation, and tools that change files but run nothing', async () => {
    const edits = 'read,grep,find,ls,edit,write';
    expect(await line({})).toEqual([
      '--mode',
      'json',
      '--session-dir',
      join('/home/me', '.pi/agent/raymond/new'),
      '--tools',
      `${edits},mcp__none`,
    ]);
    expect(await line({}, { allowedTools: ['Bash'] })).toContain(`${edits},bash,mcp__none`);
    expect(await line({ permissions: 'skip' })).not.toContain('--tools');
  });

  test('has model, effort and the arguments of the config', async () => {
    const args = await line({ model: 'openai/gpt-5', effort: 'max' }, { piArgs: ['--provider', 'openai'] });
    expect(args.join(' ')).toMatch(/--model openai\/gpt-5 --thinking max .*--provider openai$/);
    expect(reservedPiArg(['--provider', 'x', '--session-dir=y'])).toBe('--session-dir=y');
  });

  test('has the options of the manifest; its tools count whatever the permissions are', async () => {
    const options = { provider: 'openai', thinking: 'off', tools: ['read'], noExtensions: true, skills: ['a', 'b'] };
    const args = (await line({ options, permissions: 'skip' }, { allowedTools: ['Bash'] })).join(' ');
    expect(args).toMatch(
      /--thinking off --provider openai --tools read,mcp__none --no-extensions --skill a --skill b$/,
    );
    expect(await line({ options, effort: 'high' })).toContain('high');
    expect(await line({ options: { tools: ['read', 'mcp__docs__*'] } })).toContain('read,mcp__docs__*');
    expect((await line({ options: { noTools: true } })).slice(-1)).toEqual(['--no-tools']);
    expect((await line({ options: { noBuiltinTools: true } })).slice(-1)).toEqual(['--no-builtin-tools']);
  });

  test.each<[string, PiOptions, string | undefined]>([
    ['-t=read', { noTools: true }, '-t=read'],
    ['--tools', { tools: ['read'] }, '--tools'],
    ['--tools', { noTools: false, extensions: ['x'] }, undefined],
    ['--provider', { provider: 'openai' }, '--provider'],
    ['--model', { provider: 'openai' }, undefined],
  ])('in the config, %s with the options %j overrides: %j', (arg, options, expected) => {
    expect(overridingPiArg(['--verbose', arg], options)).toBe(expected);
  });
});

test('a conversation is left in the folder that the manifest names, too', async () => {
  const home = await folder({ 'raymond/a/1_x.jsonl': '{}\n' });
  const cwd = await folder();
  const context = { env: { PI_CODING_AGENT_DIR: home }, cwd, artifacts: new FolderStore(await folder()) };
  await new PiBackend({ piArgs: [], allowedTools: [] }).keep('a', { ...context, options: { sessionDir: 'kept' } });
  expect(await readdir(join(cwd, 'kept'))).toEqual(['1_x.jsonl']);
  expect(await readdir(join(home, 'raymond'))).toEqual([]);
});

// Turns whose states lie in a zip, a YAML file or a frozen folder: real files for their programs, and mistakes with their places.
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import type { Scope } from '../../../src/protocol/scope.js';
import { folder } from '../../support/folder.js';
import { fakeWith } from '../../support/fakes.js';
import { TestWorker, failureOf } from '../test-worker.js';
import { zipOf } from '../../packages/zip-file.js';

const SCRIPT = 'echo "<goto input=\\"$RAYMOND_STATE_DIR $RAYMOND_STATE_FILE $0 $GREETING\\">NEXT.md</goto>"\n';

async function scopeWith(kind: 'zip' | 'yaml', content: string | Buffer): Promise<Scope> {
  return { kind, path: join(await folder({ [`flow.${kind}`]: content }), `flow.${kind}`) };
}

const yaml = (state: string): string => `states:\n  START:\n${state}  NEXT:\n    sh: echo\n`;

describe('a script', () => {
  test.each([
    ['zip', zipOf({ 'START.sh': SCRIPT, 'NEXT.md': 'Hi' }), 'NEXT.md'],
    ['yaml', yaml(`    sh: |\n      ${SCRIPT}`), 'NEXT.sh'],
  ] as const)('of a %s runs in a private copy, and names are those of its package', async (kind, content, target) => {
    const worker = await TestWorker.with({});
    const { outcome, warnings } = await worker.turn({ agent: { scope: await scopeWith(kind, content) } });
    const input = (outcome as { readonly transition: { readonly input: string } }).transition.input;
    const [dir = '', file, program] = input.split(' ');
    expect(dirname(dir)).toBe(join(worker.raymondDir, 'unpacked'));
    expect([file, program]).toEqual([join(dir, 'START.sh'), join(dir, 'START.sh')]);
    expect(outcome).toMatchObject({ transition: { kind: 'goto', target } });
    expect(warnings).toBeUndefined();
  });

  test('has the environment of the manifest below fork attributes and above what the worker has', async () => {
    const environment = { GREETING: 'old', KEPT: 'kept', RAYMOND_X: 'no' };
    const script = 'echo "<result>$GREETING $KEPT $ITEM $RAYMOND_AGENT_ID</result>"\n';
    const worker = await TestWorker.with({ 'START.sh': script }, { environment });
    const { outcome } = await worker.turn({
      agent: { attributes: { ITEM: 'of the fork' } },
      settings: { permissions: 'accept-edits', environment: { GREETING: 'new', ITEM: 'x', RAYMOND_AGENT_ID: 'x' } },
    });
    expect(outcome).toMatchObject({ transition: { payload: 'new kept of the fork main' } });
  });

  test.each<[string, string, object]>([
    ['by its header', '# raymond: retries=2 timeout=60s\nexit 3\n', { type: 'ScriptFailed', retries: 2 }],
    ['not at all', 'exit 3\n', { type: 'ScriptFailed' }],
  ])('that fails says %s how often to try again', async (_how, text, failure) => {
    const worker = await TestWorker.with({ 'START.sh': text });
    const { message: _message, retryable: _retryable, ...details } = await failureOf(worker.turn());
    expect(details).toEqual({ costUsd: 0, ...failure });
  });

  test("follows its YAML's timeout and retries more than its header", async () => {
    const state =
      '    retries: 1\n    timeout: 0.2\n    sh: |\n      # raymond: retries=5 timeout=0\n      sleep 500\n';
    const worker = await TestWorker.with({});
    expect(await failureOf(worker.turn({ agent: { scope: await scopeWith('yaml', yaml(state)) } }))).toMatchObject({
      type: 'ScriptFailed',
      retries: 1,
      message: 'main, START.sh: stopped after 0.2 s without output (timeout)',
    });
  });

  test('with a header that is wrong does not run, and names its place', async () => {
    const worker = await TestWorker.with({});
    const scope = await scopeWith('yaml', yaml('    sh: |\n      # raymond: timeout=x\n      touch ran\n'));
    expect(await failureOf(worker.turn({ agent: { scope } }))).toMatchObject({
      type: 'InvalidState',
      message: expect.stringContaining(`main, START.sh: ${scope.path}:4: timeout: expected`),
    });
    expect(await readFile(join(worker.cwd, 'ran')).catch(() => undefined)).toBeUndefined();
  });
});

describe('a package that went bad during a run', () => {
  test.each([
    ['zip', 'no zip', 'StateUnreadable', /^main, START\.sh: on host \S+: cannot use \S+flow\.zip: it is damaged/],
    ['yaml', 'states:\n  START: x\n', 'InvalidState', /^main, START\.sh: \S+flow\.yaml:2: the state "START" needs/],
  ] as const)('as a %s fails the turn with its place', async (...[kind, content, type, message]) => {
    const worker = await TestWorker.with({});
    const failure = await failureOf(worker.turn({ agent: { scope: await scopeWith(kind, content) } }));
    expect(failure).toMatchObject({ type, retryable: false, message: expect.stringMatching(message) });
  });
});

describe('a prompt of a YAML file', () => {
  const prompt = (target: string): string =>
    yaml(`    allowed_transitions:\n      - { tag: goto, target: ${target} }\n    prompt: Go.\n`);

  test('may name a state with any extension, in its policy as in its answer', async () => {
    const fake = await fakeWith({ text: '<goto>NEXT.ps1</goto>' });
    const worker = await TestWorker.with({}, { environment: { ...fake.env } });
    const scope = await scopeWith('yaml', prompt('NEXT.md'));
    const settings = { permissions: 'accept-edits', environment: { GREETING: 'x', CLAUDECODE: '1' } } as const;
    expect(await worker.turn({ agent: { scope, state: 'START.md' }, settings })).toMatchObject({
      outcome: { kind: 'transition', transition: { kind: 'goto', target: 'NEXT.sh' } },
    });
    const [call] = await fake.calls();
    expect(call?.envNames).toContain('GREETING');
    expect(call?.envNames).not.toContain('CLAUDECODE');
    expect(await readFile(call?.env['RAYMOND_STATE_FILE'] ?? '', 'utf8')).toContain('Go.');
  });

  test('with a mistake in its policy names the line of the YAML', async () => {
    const worker = await TestWorker.with({});
    const scope = await scopeWith('yaml', prompt('NONE'));
    const failure = await failureOf(worker.turn({ agent: { scope, state: 'START.md' } }));
    expect(failure).toMatchObject({ type: 'InvalidState' });
    expect(failure.message).toContain(`main, START.md: ${scope.path}:4: allowed_transitions: `);
  });
});

test('an edit of a YAML file takes effect at the next turn', async () => {
  const worker = await TestWorker.with({});
  const scope = await scopeWith('yaml', yaml('    sh: echo "<result>one</result>"\n'));
  const payload = async (): Promise<unknown> => (await worker.turn({ agent: { scope } })).outcome;
  expect(await payload()).toMatchObject({ transition: { payload: 'one' } });
  await writeFile(scope.path, yaml('    sh: echo "<result>two</result>"\n'));
  expect(await payload()).toMatchObject({ transition: { payload: 'two' } });
});

// What a manifest asks of a start: its input, its directory, its environment, and what is refused before anything runs.
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import type { Manifest } from '../../../src/packages/manifest.js';
import { ClientError } from '../../../src/client/error.js';
import { checkInput, checkNoAsks, runEnvironment, startDirectory } from '../../../src/client/start/start.js';
import type { Scope } from '../../../src/protocol/scope.js';
import { folder } from '../../support/folder.js';

const SCOPE: Scope = { kind: 'directory', path: '/flows/demo' };
const MANIFEST: Manifest = { id: 'demo', input: { mode: 'optional' }, environment: {}, requiresHumanInput: 'auto' };
const wishing = (wishes: Partial<Manifest>, scope: Scope = SCOPE) => ({
  name: 'demo',
  scope,
  manifest: { ...MANIFEST, ...wishes },
});

/** `Code: message` of the refusal. */
async function refusalOf(work: () => unknown): Promise<string> {
  try {
    await work();
  } catch (error) {
    if (error instanceof ClientError) return `${error.code}: ${error.message}`;
    throw error;
  }
  throw new Error('not refused');
}

describe('an input', () => {
  test.each([
    ['required', 'x'],
    ['optional', undefined],
    ['optional', 'x'],
    ['none', undefined],
    ['none', ' '],
  ] as const)('that is %s may be %j', (mode, input) => {
    expect(() => checkInput(wishing({ input: { mode } }), input)).not.toThrow();
  });

  test('is not asked for without a manifest', () => {
    expect(() => checkInput({ name: 'demo', scope: SCOPE }, 'x')).not.toThrow();
  });

  test.each([
    [{ mode: 'required' }, undefined, 'InvalidUsage: demo needs an input; give it with --input TEXT'],
    [{ mode: 'required' }, '\n', 'InvalidUsage: demo needs an input; give it with --input TEXT'],
    [
      { mode: 'required', label: 'URL', description: 'of the issue' },
      undefined,
      'InvalidUsage: demo needs an input (URL: of the issue); give it with --input TEXT',
    ],
    [{ mode: 'none' }, 'x', 'InvalidUsage: demo takes no input; remove --input'],
  ] as const)('of a package that says %j may not be %j', async (input, given, message) => {
    expect(await refusalOf(() => checkInput(wishing({ input }), given))).toBe(message);
  });
});

describe('a run begins', () => {
  test('where it is started, in the directory of the manifest, or in the chosen one', async () => {
    const here = await folder({ 'flow/desk/.keep': '', 'mine/.keep': '' });
    const plain = wishing({}, { kind: 'zip', path: join(here, 'flow.zip') });
    const wished = wishing({ workingDirectory: 'desk' }, { kind: 'directory', path: join(here, 'flow') });
    expect(await startDirectory(plain, { here, local: true })).toBe(here);
    expect(await startDirectory(wished, { here, local: true })).toBe(join(here, 'flow/desk'));
    expect(await startDirectory(wished, { here, chosen: 'mine', local: true })).toBe(join(here, 'mine'));
  });

  test('beside the origin of a frozen package', async () => {
    const frozen: Scope = { kind: 'yaml', path: '/store/packages/x.yaml', origin: '/flows/demo.yaml' };
    expect(await startDirectory(wishing({ workingDirectory: 'desk' }, frozen), { here: '/', local: false })).toBe(
      '/flows/demo/desk',
    );
  });

  test('only in a directory that is there, unless that is for a worker to say', async () => {
    const here = await folder();
    const wished = wishing({ workingDirectory: '/no/where' });
    expect(await startDirectory(wished, { here, local: false })).toBe('/no/where');
    expect(await refusalOf(() => startDirectory(wished, { here, local: true }))).toMatch(
      /^InvalidWorkflow: the manifest of \/flows\/demo names the working_directory \/no\/where, .* or give --cwd$/,
    );
    expect(await refusalOf(() => startDirectory(wished, { here, chosen: 'none', local: true }))).toBe(
      `InvalidUsage: --cwd: there is no directory ${join(here, 'none')}; create it, or choose another one`,
    );
  });
});

describe('a run that rejects questions', () => {
  const asks = ['/flows/demo/A.md:3', '/flows/demo/B.md:9'];

  test.each([
    ['nothing may ask', undefined, []],
    ['nothing may ask, as the manifest finds out', { requiresHumanInput: 'auto' }, []],
    ['its manifest says that it goes without answers', { requiresHumanInput: 'false' }, asks],
  ] as const)('starts when %s', (_what, wishes, places) => {
    const workflow = wishes === undefined ? { name: 'demo', scope: SCOPE } : wishing(wishes);
    expect(() => checkNoAsks({ ...workflow, asks: places, checked: true })).not.toThrow();
  });

  test('starts without a check whatever its states may ask', () => {
    expect(() => checkNoAsks({ name: 'demo', scope: SCOPE, asks, checked: false })).not.toThrow();
  });

  test.each([
    ['with a manifest', wishing({ requiresHumanInput: 'auto' })],
    ['without one', { name: 'demo', scope: SCOPE }],
  ])('is refused %s where a state may ask, with every place', async (_what, workflow) => {
    const refusal = await refusalOf(() => checkNoAsks({ ...workflow, asks, checked: true }));
    expect(refusal).toMatch(/^InvalidUsage: \/flows\/demo\/A\.md:3: this state may ask a person, .*\n.*B\.md:9: /);
    // A manifest that says "false" beside such states would be refused, too: lint calls that an error.
    expect(refusal).toMatch(
      /\nstart it with --on-ask=wait or --on-ask=exit, remove <ask>, or start it anyway with --no-check$/,
    );
  });

  test('is refused when its manifest says that it needs answers', async () => {
    expect(
      await refusalOf(() => checkNoAsks({ ...wishing({ requiresHumanInput: 'true' }), asks: [], checked: true })),
    ).toBe(
      'InvalidUsage: demo needs answers from a person (requires_human_input in the manifest of /flows/demo), and --on-ask=reject allows none; start it with --on-ask=wait or --on-ask=exit',
    );
  });
});

describe('the environment of a run', () => {
  test('is absent without one in the manifest', () => {
    expect(runEnvironment(wishing({}), { A: 'x' })).toEqual({ warnings: [] });
  });

  test('is filled in, and what is not set is reported', () => {
    expect(runEnvironment(wishing({ environment: { A: '${HOME}/a', B: '${NONE}' } }), { HOME: '/h' })).toEqual({
      environment: { A: '/h/a', B: '' },
      warnings: ['/flows/demo: environment: B uses ${NONE}, which is not set; it becomes empty'],
    });
  });

  test.each([
    ['a NUL', { A: '\0' }, 'A contains a NUL character'],
    ['more than Temporal should carry', { A: '${LONG}' }, 'more than 32 KiB'],
  ])('may not have %s', async (_what, environment, message) => {
    const LONG = 'x'.repeat(33_000);
    expect(await refusalOf(() => runEnvironment(wishing({ environment }), { LONG }))).toContain(
      `InvalidWorkflow: the manifest of /flows/demo: environment: ${message}`,
    );
  });
});

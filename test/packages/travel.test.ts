// Packages that travel with their run: sent from where the run is started, opened where none of their folders is.
import { chmod, cp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { resolveWorkflow, type WorkflowAnswer } from '../../src/packages/locate.js';
import { openScope } from '../../src/packages/open.js';
import { loadState } from '../../src/packages/state.js';
import type { StoredScope } from '../../src/packages/stored.js';
import { sendPackage, type Sent } from '../../src/packages/travel.js';
import { scopeAt } from '../../src/protocol/scope.js';
import { FolderStore } from '../../src/store/folder.js';
import { folder } from '../support/folder.js';
import { zipFile } from './zip-file.js';

const FILES = {
  'flow/START.sh': 'echo "<call-workflow return=\\"NEXT\\">../other/CHECK</call-workflow>"\n',
  'flow/NEXT.md':
    'Or <fork-workflow next="NEXT">../packed.yaml</fork-workflow>, or <reset-workflow>$WHICH</reset-workflow>.\n',
  'flow/notes.txt': 'beside\n',
  'other/CHECK.md':
    'Back by <reset-workflow>../flow/</reset-workflow>, or <reset-workflow>../gone/</reset-workflow>.\n',
  'packed.yaml': 'states:\n  START:\n    prompt: Hi.\n',
};

let root: string;
let store: FolderStore;
beforeEach(async () => {
  root = await folder(FILES);
  store = new FolderStore(await folder());
});

const send = async (path = 'flow'): Promise<Sent> =>
  await sendPackage(scopeAt(join(root, path)), { store, platform: 'unix' });
const named = async (scope: StoredScope, specifier: string): Promise<WorkflowAnswer> => {
  const travelling = { store, cacheDir: '/nowhere' };
  return await resolveWorkflow({ specifier, scope, platform: 'unix', travelling });
};

describe('a folder that was sent', () => {
  test('is one file of the store, whose states, scripts and files are as they were, wherever the folder is', async () => {
    await chmod(join(root, 'flow', 'notes.txt'), 0o755);
    const { scope } = await send();
    await rm(root, { recursive: true });
    const reader = await openScope(scope, store);
    expect(await reader.list()).toEqual(['NEXT.md', 'START.sh', 'notes.txt']);
    expect((await loadState(scope, 'NEXT.md', store)).text).toBe(FILES['flow/NEXT.md']);
    expect(reader.positionOf('START.sh', 1)).toBe(`${root}/flow/START.sh:1`);
    const script = await reader.scriptPath('START.sh', await folder());
    expect(script).toMatch(/flow-[0-9a-f]{32}\/START\.sh$/);
  });

  test('has the same hash wherever and whenever it is sent, and another one when anything of it differs', async () => {
    const { stored } = (await send()).scope;
    const elsewhere = join(await folder(), 'flow');
    await cp(join(root, 'flow'), elsewhere, { recursive: true });
    const again = await sendPackage(scopeAt(elsewhere), { store: new FolderStore(await folder()), platform: 'unix' });
    expect(again.scope.stored.blob).toBe(stored.blob);
    await chmod(join(root, 'flow', 'notes.txt'), 0o755);
    expect((await send()).scope.stored.blob).not.toBe(stored.blob);
  });

  test('is run as it was when it was sent, whatever becomes of its files', async () => {
    const { scope } = await send();
    await writeFile(join(root, 'flow', 'NEXT.md'), 'edited');
    expect((await loadState(scope, 'NEXT.md', store)).text).toBe(FILES['flow/NEXT.md']);
  });
});

describe('a workflow that a state names literally', () => {
  test('comes along, with those that it names itself, and all of them find each other', async () => {
    const { scope } = await send();
    await rm(root, { recursive: true });
    const other = await named(scope, '../other/CHECK');
    expect(other).toMatchObject({ kind: 'workflow', entry: 'CHECK.md', scope: { path: join(root, 'other') } });
    const { scope: there } = other as { readonly scope: StoredScope };
    expect((await loadState(there, 'CHECK.md', store)).text).toBe(FILES['other/CHECK.md']);
    expect(await named(there, '../flow/')).toMatchObject({ entry: 'START.sh', scope });
    expect(await named(there, '../packed.yaml')).toMatchObject({ entry: 'START.md', scope: { kind: 'yaml' } });
  });

  test('is warned about when there is none, by the line of nobody but its state', async () => {
    expect((await send()).warnings).toEqual([
      expect.stringMatching(/other\/CHECK\.md: \.\.\/gone\/ cannot be uploaded with the run: there is no workflow at/),
    ]);
  });

  test.each(['../gone/', '../else/START', '../else.zip'])(
    'that did not come along, such as %s, is an error with host and remedy',
    async (specifier) => {
      const { scope } = await send();
      expect(await named(scope, specifier)).toMatchObject({
        kind: 'unusable',
        error: {
          code: 'Missing',
          message: expect.stringMatching(/was not uploaded with the run, so host \S+ does not have it; name it lit/),
        },
      });
    },
  );
});

test.each(['zip', 'yaml'])('a package in one %s file is sent as it is', async (kind) => {
  const content = kind === 'zip' ? zipFile([{ name: 'START.md', content: 'Hi.' }]) : Buffer.from(FILES['packed.yaml']);
  await writeFile(join(root, `one.${kind}`), content);
  const { scope } = await send(`one.${kind}`);
  expect(scope.stored.bundle).toBeUndefined();
  await rm(root, { recursive: true });
  expect((await loadState(scope, 'START.md', store)).text.trim()).toBe('Hi.');
  expect(await named(scope, `../one.${kind}`)).toMatchObject({ entry: 'START.md' });
});

test('a package of which the store has lost the file is missing, by its hash', async () => {
  // Nobody else's in the memory of this process.
  await writeFile(join(root, 'flow', 'notes.txt'), 'lost');
  const { scope } = await send();
  await rm(await store.locate(scope.stored.blob));
  await expect(openScope(scope, store)).rejects.toMatchObject({ name: 'ArtifactMissing', sha256: scope.stored.blob });
});

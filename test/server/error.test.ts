import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { explainingFolderErrors } from '../../src/server/error.js';
import { serverStatus, stopServer } from '../../src/server/index.js';
import { Project } from './project.js';

let project: Project;
beforeEach(() => void (project = new Project()));
afterEach(() => project.remove());

// Root may write everywhere: these places refuse it too.
const places: [string, () => string][] = [
  ['a file where the project should be', () => join(file('project'), '.raymond')],
  ['a file where .raymond should be', () => file('.raymond')],
  ['a file where .raymond/temporal should be', () => dirname(file('dot/temporal'))],
  ['a folder in /proc', () => '/proc/nowhere/.raymond'],
];

function file(name: string): string {
  const path = join(project.root, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, '');
  return path;
}

test.each(places)('%s is one clear error at a start, and no server anywhere else', async (_, place) => {
  const raymondDir = place();
  await expect(project.ensure({ raymondDir })).rejects.toMatchObject({
    name: 'ServerError',
    code: 'ReadOnly',
    message: expect.stringMatching(new RegExp(`${join(raymondDir, 'temporal')}.*writable.*--address`)),
  });
  expect(existsSync(project.recordFile)).toBe(false);
});

test.each(places)('%s has no server to show or to stop', async (_, place) => {
  const raymondDir = place();
  expect(await serverStatus({ raymondDir })).toEqual({ kind: 'stopped' });
  await stopServer({ raymondDir }).then(
    (result) => expect(result).toEqual({ kind: 'notRunning' }),
    (error: unknown) => expect(error).toMatchObject({ code: 'ReadOnly' }),
  );
});

test.each([
  ['EROFS', 'ReadOnly'],
  ['EACCES', 'ReadOnly'],
  ['ENOSPC', 'DiskFull'],
  ['EDQUOT', 'DiskFull'],
])('%s becomes %s', async (code, expected) => {
  const failing = explainingFolderErrors('/x', () => Promise.reject(Object.assign(new Error('no'), { code })));
  await expect(failing).rejects.toMatchObject({ code: expected, message: expect.stringContaining(code) });
});

test('an error that is not about the folder passes unchanged', async () => {
  const error = new TypeError('a mistake');
  await expect(explainingFolderErrors('/x', () => Promise.reject(error))).rejects.toBe(error);
});

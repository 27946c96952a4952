// A disk without room for the server: one clear error, whichever process meets the full disk first, and no server that nobody knows.
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { describeOnTinyDisk, onTinyDisk, type TinyDisk } from '../support/tiny-disk.js';
import { transpile } from '../support/transpile.js';
import { Project, script } from './project.js';

// Prints what becomes of a start, as JSON.
const STARTER = `
import { ensureServer } from './server/index.js';
const [raymondDir, cli] = process.argv.slice(2);
const { name, code, message } = await ensureServer({ raymondDir, cli, report: () => {} }).catch((error) => error);
console.log(JSON.stringify({ name, code, message }));
`;

let scripts: string;
let project: Project;
beforeAll(() => {
  scripts = transpile(['host', 'protocol', 'server']);
  writeFileSync(join(scripts, 'starter.js'), STARTER);
});
afterAll(() => rmSync(scripts, { recursive: true, force: true }));
beforeEach(() => {
  project = new Project();
  mkdirSync(project.temporalDir, { recursive: true });
});
afterEach(() => project.remove());

function start(size: TinyDisk['size'], ...cli: string[]): unknown {
  const command = [process.execPath, join(scripts, 'starter.js'), project.raymondDir, ...cli];
  return JSON.parse(onTinyDisk({ folder: project.temporalDir, size }, command));
}

describeOnTinyDisk('a start', () => {
  test.each([
    ['on a full disk', 'full'],
    ['when the disk has room for our files but not for the database', '16k'],
    ['when the server meets the end of the disk and says nothing', '400k'],
  ] as const)('%s says that there is no space, where, and what to do', (_, size) => {
    expect(start(size)).toEqual({
      name: 'ServerError',
      code: 'DiskFull',
      message: `no space left for the folder of the Temporal server, ${project.temporalDir} (ENOSPC): free some space and start again`,
    });
  });

  test('on a read-only disk says so', () => {
    expect(start('read-only')).toMatchObject({ code: 'ReadOnly', message: expect.stringContaining('EROFS') });
  });

  test('that cannot keep its record leaves no server behind', () => {
    const cli = script(project.root, 'temporal', [
      'if [ "$1" = --version ]; then echo "temporal version 9 (Server 1.99.0, UI 2)"; exit; fi',
      'while :; do sleep 0.1; done',
    ]);
    expect(start('8k', cli)).toMatchObject({ code: 'DiskFull' });
    const { stdout } = spawnSync('ps', ['axww', '-o', 'args='], { encoding: 'utf8' });
    expect(stdout.split('\n').filter((line) => line.includes(cli))).toEqual([]);
  });
});

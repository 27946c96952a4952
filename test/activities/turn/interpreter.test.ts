// Which program runs a script, on every platform: the Windows lines are only built here, not run.
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import { folder } from '../../support/folder.js';
import { interpreterOf, stripsTypes, whyUnrunnable } from '../../../src/activities/turn/interpreter.js';

const POWERSHELL = ['-NoProfile', '-ExecutionPolicy', 'Bypass', '-File'];

test.each<[string, string, readonly string[]]>([
  ['/flow/A.sh', 'bash', ['/flow/A.sh']],
  ['/flow/with space/A B.sh', 'bash', ['/flow/with space/A B.sh']],
  ['/flow/A.SH', 'bash', ['/flow/A.SH']],
  ['C:\\flow\\A.bat', 'cmd.exe', ['/d', '/c', 'C:\\flow\\A.bat']],
  ['C:\\my flow\\A.BAT', 'cmd.exe', ['/d', '/c', 'C:\\my flow\\A.BAT']],
  ['C:\\flow\\A.ps1', 'powershell.exe', [...POWERSHELL, 'C:\\flow\\A.ps1']],
  ['C:\\my flow\\A.v2.ps1', 'powershell.exe', [...POWERSHELL, 'C:\\my flow\\A.v2.ps1']],
  ['/flow/A.py', 'python3', ['-u', '/flow/A.py']],
  ['/flow/A.js', 'node', ['/flow/A.js']],
  ['/flow/A.ts', 'node', ['--experimental-strip-types', '/flow/A.ts']],
])('%s is run by %s %j', (path, command, args) => {
  expect(interpreterOf(path)).toEqual({ command, args });
});

test.each([
  ['v20.20.2', false],
  ['v22.5.1', false],
  ['v22.6.0', true],
  ['v24.0.0', true],
])('Node %s runs TypeScript: %s', (version, runs) => expect(stripsTypes(version)).toBe(runs));

test.each(['/flow/A.md', '/flow/A.txt', '/flow/A'])('%s is no script', (path) => {
  expect(() => interpreterOf(path)).toThrow(`${path} is a prompt, not a script`);
});

const PATH = process.env['PATH'];
afterEach(() => {
  process.env['PATH'] = PATH;
});

test('a node is asked for its version once, and again where PATH leads to another', async () => {
  const place = await folder();
  const asked = join(place, 'asked');
  const nodeOf = async (version: string): Promise<string> => {
    const bin = await folder();
    await writeFile(join(bin, 'node'), `#!/bin/sh\necho ${version} | tee -a ${asked}\n`);
    await chmod(join(bin, 'node'), 0o755);
    return `${bin}:${PATH ?? ''}`;
  };
  process.env['PATH'] = await nodeOf('v20.1.0');
  const answers = [await whyUnrunnable('/flow/A.ts'), await whyUnrunnable('/flow/B.ts')];
  expect(answers).toEqual(Array(2).fill(expect.stringMatching(/node is v20\.1\.0, which cannot run TypeScript/)));
  process.env['PATH'] = await nodeOf('v24.1.0');
  expect(await whyUnrunnable('/flow/A.ts')).toBeUndefined();
  expect(await whyUnrunnable('/flow/A.js')).toBeUndefined();
  expect(await readFile(asked, 'utf8')).toBe('v20.1.0\nv24.1.0\n');
});

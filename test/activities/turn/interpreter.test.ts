// Which program runs a script, on every platform: the Windows lines are only built here, not run.
import { expect, test } from '@jest/globals';
import { interpreterOf, stripsTypes } from '../../../src/activities/turn/interpreter.js';

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

// `raymond diagram` as people call it: a form for each kind of reader, files by their names, and a run laid over the package.
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { Place } from '../support/cli.js';

let place: Place;
beforeAll(async () => {
  place = await Place.at({
    'flow/START.sh': 'echo "<goto>END</goto>"\n',
    'flow/END.sh': 'echo "<result>done</result>"\n',
    'forks/START.sh': 'echo "<fork>END</fork><fork>END</fork><goto>NEXT</goto>"\n',
    'forks/NEXT.sh': 'next=END\necho "<goto>$next</goto>"\n',
    'forks/END.sh': 'echo "<result>done</result>"\n',
    'halves/START.sh': 'echo "<result>done</result>"\n',
    'halves/START.bat': '@echo off\r\necho ^<goto^>NEXT^</goto^>\r\n',
    'halves/NEXT.ps1': 'Write-Output "<result>done</result>"\r\n',
    'gap/START.sh': 'echo "<goto>NOWHERE</goto>"\n',
  });
});

test('what does not go to a terminal is Mermaid', async () => {
  const { stdout, exitCode } = await place.raymond(['diagram', 'flow']);
  expect(stdout.split('\n')[0]).toBe('flowchart TD');
  expect(stdout).toContain('-->|"goto"|');
  expect(exitCode).toBe(0);
});

test('the name of the output says which form it has', async () => {
  for (const [name, begins] of [
    ['flow.svg', '<svg'],
    ['flow.html', '<!doctype html>'],
    ['flow.dot', 'digraph'],
    ['flow.txt', '○'],
  ] as const) {
    expect(await place.raymond(['diagram', 'flow', '-o', name])).toEqual({ stdout: '', stderr: '', exitCode: 0 });
    expect((await readFile(join(place.cwd, name), 'utf8')).toLowerCase().startsWith(begins)).toBe(true);
    await writeFile(join(place.cwd, 'beside'), '');
    const modes = await Promise.all([name, 'beside'].map(async (file) => (await stat(join(place.cwd, file))).mode));
    expect(modes[0]).toBe(modes[1]);
  }
});

test('a state that is missing is drawn, and said', async () => {
  const { stdout, stderr, exitCode } = await place.raymond(['diagram', 'gap', '--format', 'text']);
  expect(stdout).toContain('NOWHERE');
  expect(stderr).toContain('warning: there is no state "NOWHERE"');
  expect(exitCode).toBe(0);
});

test('--win draws the states that Windows runs', async () => {
  const { stdout, exitCode } = await place.raymond(['diagram', 'halves', '--win', '--format', 'text']);
  expect(stdout.split('\n')).toEqual(['○ ⬡ START', '└─ goto → ⬡ NEXT', '   └─ result → ●']);
  expect(exitCode).toBe(0);
});

test('a run shows how often each way was taken', async () => {
  expect(await place.raymond(['start', 'flow', '--id', 'drawn', '--quiet'])).toMatchObject({ exitCode: 0 });
  const { stdout } = await place.raymond(['diagram', '--run', 'drawn', '--format', 'text']);
  expect(stdout.split('\n')).toEqual(['○ ⬡ START', '└─ goto ×1 → ⬡ END', '   └─ result ×1 → ●']);
});

test('a run shows the <goto> beside forks, and where a computed target led', async () => {
  expect(await place.raymond(['start', 'forks', '--id', 'forks', '--quiet'])).toMatchObject({ exitCode: 0 });
  const { stdout } = await place.raymond(['diagram', '--run', 'forks', '--format', 'text']);
  expect(stdout.split('\n')).toEqual([
    '○ ⬡ START',
    '├─ fork ×2 → ⬡ END',
    '│  └─ result ×3 → ●',
    '└─ goto ×1 → ⬡ NEXT',
    '   └─ goto ×1 → ⬡ END ↑',
  ]);
});

test('what is no workflow is refused', async () => {
  expect(await place.raymond(['diagram', 'nothing'])).toMatchObject({ stdout: '', exitCode: 64 });
});

test('an output in a folder that is not there is refused', async () => {
  const { stderr, exitCode } = await place.raymond(['diagram', 'flow', '-o', 'pictures/flow.svg']);
  expect({ stderr, exitCode }).toEqual({
    stderr: `raymond: there is no folder ${join(place.cwd, 'pictures')}; create it, or choose another file`,
    exitCode: 64,
  });
});

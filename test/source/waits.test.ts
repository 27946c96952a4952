// Every wait of the product has a bound: what waits for a program, a server or an answer does so in a few files, and each has its limit.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';

const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.c?tsx?$/.test(name) && !name.startsWith('page/'))
  .sort()
  .map((name) => ({ name, text: readFileSync(join('src', name), 'utf8') }));

const filesWith = (pattern: RegExp): readonly string[] =>
  files.filter(({ text }) => pattern.test(text)).map(({ name }) => name);

/** Files that wait for the end of a program, and what limits it there. */
const PROGRAMS: Readonly<Record<string, RegExp>> = {
  'analysis/script/checks.ts': /timeout: /,
  'cli/hooks/hooks.ts': /AbortSignal\.timeout\(seconds/,
  'host/ask.ts': /timeoutMs: timeout/,
  'host/process.ts': /timeout: /,
  'launcher/pipes.ts': /timeout: /,
  'launcher/process-list.ts': /timeout: /,
  'server/install.ts': /timeout: WAIT_MS/,
  'store/credentials.ts': /timeout: COMMAND_MS/,
  'testing/repository.ts': /timeout: /,
  'workspaces/git.ts': /await inTime\([^]*timeout: FLUSH_MS/,
};

test('a program whose end is waited for has a time limit', () => {
  expect(filesWith(/\b(?:execFile|execFileSync|spawnSync|execSync|execa|execaSync)\(/).filter(startsPrograms)).toEqual(
    Object.keys(PROGRAMS),
  );
  const unlimited = files.filter(({ name, text }) => PROGRAMS[name]?.test(text) === false);
  expect(unlimited.map(({ name }) => name)).toEqual([]);
});

/** Not the `exec` of regular expressions and databases. */
function startsPrograms(name: string): boolean {
  return /from '(?:node:child_process|execa)'|import\('execa'\)/.test(
    files.find((file) => file.name === name)?.text ?? '',
  );
}

test('only one file fetches, and its callers must give a signal', () => {
  expect(filesWith(/(?<![\w.])fetch\((?!\{)/).filter((name) => !['server/install.ts'].includes(name))).toEqual([
    'host/fetch.ts',
  ]);
});

test('only one file connects to Temporal, with a deadline for every call', () => {
  expect(filesWith(/(?<!Native)Connection\.(?:connect|lazy)\(/)).toEqual(['client/connect.ts']);
  expect(filesWith(/NativeConnection\.connect\(/)).toEqual(['client/connect.ts']);
});

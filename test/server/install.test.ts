// Building the CLI, with a stand-in for `go`; and what several installations at once do.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { identify } from '../../src/host/process.js';
import { buildCli } from '../../src/server/install.js';
import { BUILT_VERSION, installedCli, installFolder } from '../../src/server/temporal-cli.js';
import { installCli } from '../../src/server/install.js';
import { transpile } from '../support/transpile.js';
import { until } from '../support/until.js';
import { setEnvironment } from '../support/environment.js';
import { onlyTemporary, script } from './project.js';

let scripts: string;
let root: string;
let bin: string;
let lines: string[];
let restore: () => void;
let environment: Record<string, string>;
const children: ChildProcess[] = [];

beforeAll(() => {
  scripts = transpile(['host', 'protocol', 'server']);
  const code = `import { installCli } from './server/install.js';
console.log(JSON.stringify(await installCli({ report: (line) => console.error(line) })));`;
  writeFileSync(join(scripts, 'installer.js'), code);
});
afterAll(() => rmSync(scripts, { recursive: true, force: true }));
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'raymond-build-'));
  bin = join(root, 'bin');
  mkdirSync(bin);
  lines = [];
  environment = {
    PATH: bin,
    XDG_CACHE_HOME: join(root, 'cache'),
    RAYMOND_TEMPORAL_DOWNLOAD_URL: 'http://127.0.0.1:9',
    GOOS: 'plan9',
    GOARCH: 'mips',
  };
  restore = setEnvironment(environment);
  onlyTemporary(installFolder());
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  restore();
  rmSync(root, { recursive: true, force: true });
});

const report = (line: string): number => lines.push(line);
const temporal = 'echo "temporal version 1.5.1 (Server 1.29.1, UI 2.42.1)"';

/** A stand-in for go: notes its call, does `before`, and writes an executable that runs `program`. */
function fakeGo(before: string[] = [], program = temporal): void {
  script(bin, 'go', [
    `echo "$* GOBIN=$GOBIN GOOS=$GOOS GOARCH=$GOARCH" >> ${root}/calls`,
    ...before,
    `{ echo '#!/bin/sh'; echo '${program}'; } > $GOBIN/temporal`,
    '/bin/chmod 755 $GOBIN/temporal',
  ]);
}

const calls = (): string[] => readFileSync(join(root, 'calls'), 'utf8').trim().split('\n');

test('go builds the pinned module into a folder of its own, for this machine, and the result goes into the cache', async () => {
  fakeGo();
  expect(await installCli({ report })).toEqual({
    kind: 'installed',
    cli: { path: installedCli(BUILT_VERSION), serverVersion: '1.29.1' },
  });
  expect(calls()).toEqual([
    expect.stringMatching(
      new RegExp(
        `^install -v github.com/temporalio/cli/cmd/temporal@v1.5.1 GOBIN=${installFolder()}/install-\\w+ GOOS= GOARCH=$`,
      ),
    ),
  ]);
  expect(readdirSync(installFolder(BUILT_VERSION))).toEqual(['temporal']);
  expect(readdirSync(installFolder())).toEqual([]);
  expect(lines.join('\n')).toMatch(/download failed: .*\n.*three to four minutes, once\ninstalled the Temporal CLI/);
});

test('while go works, its progress is reported', async () => {
  fakeGo([
    'echo go.temporal.io/server/common >&2',
    `while [ -d ${root} -a ! -e ${root}/go-on ]; do /bin/sleep 0.02; done`,
  ]);
  const building = buildCli({ folder: root, report, everyMs: 20 });
  const line = await until(() => lines.find((text) => text.includes('common')));
  expect(line).toMatch(/^building the Temporal CLI: \d+ s, go: go\.temporal\.io\/server\/common$/);
  writeFileSync(join(root, 'go-on'), '');
  expect(await building).toEqual({ kind: 'fetched', path: join(root, 'temporal') });
});

test.each([
  [
    'fails',
    ['echo "one" >&2; echo "note: module requires Go 1.25" >&2; exit 1'],
    /exit 1[^]*note: module requires Go 1\.25/,
  ],
  ['is killed', ['kill -9 $$'], /SIGKILL/],
  ['builds nothing', ['exit 0'], /built no executable/],
])('a go that %s is a reason with its last words, and nothing is left behind', async (_, before, reason) => {
  fakeGo(before);
  expect(await installCli({ report })).toMatchObject({
    kind: 'failed',
    tried: [
      { location: 'official download' },
      { location: 'go install (v1.5.1)', reason: expect.stringMatching(reason) },
    ],
  });
  expect(readdirSync(installFolder())).toEqual([]);
});

test('an executable that does not run never gets into the cache', async () => {
  fakeGo([], 'exit 9');
  expect(await installCli({ report })).toMatchObject({
    kind: 'failed',
    tried: [{}, { reason: 'it does not run: exit 9' }],
  });
  expect(readdirSync(installFolder())).toEqual([]);
});

test('a broken executable in the cache is replaced, and what a killed installation left is removed', async () => {
  fakeGo();
  script(installFolder(BUILT_VERSION), 'temporal', ['exit 1']);
  mkdirSync(join(installFolder(), 'install-killed'), { recursive: true });
  expect(await installCli({ report })).toMatchObject({ kind: 'installed' });
  expect(readdirSync(installFolder(BUILT_VERSION))).toEqual(['temporal']);
  expect(readdirSync(installFolder())).toEqual([]);
});

test('a cache folder that cannot be written is a reason', async () => {
  writeFileSync(join(root, 'cache'), '');
  expect(await installCli({ report })).toEqual({
    kind: 'failed',
    tried: [{ location: installFolder(), reason: expect.stringMatching(/cannot write there \(\w+\)/) }],
  });
});

function install(): { answer: Promise<unknown>; progress: () => string; child: ChildProcess } {
  const child = spawn(process.execPath, [join(scripts, 'installer.js')], { env: { ...environment, HOME: root } });
  children.push(child);
  let progress = '';
  child.stderr.on('data', (chunk: Buffer) => (progress += chunk.toString()));
  const answer = once(child.stdout, 'data').then(([data]) => JSON.parse(String(data)) as unknown);
  return { answer, progress: () => progress, child };
}

test('two processes that need it at once build it once', async () => {
  fakeGo([`while [ -d ${root} -a ! -e ${root}/go-on ]; do /bin/sleep 0.02; done`]);
  const installations = [install(), install()];
  await until(() => installations.some(({ progress }) => progress().includes('is installing the Temporal CLI')));
  writeFileSync(join(root, 'go-on'), '');
  const installed = { kind: 'installed', cli: { path: installedCli(BUILT_VERSION), serverVersion: '1.29.1' } };
  expect(await Promise.all(installations.map(({ answer }) => answer))).toEqual([installed, installed]);
  expect(calls()).toHaveLength(1);
});

test('an installation that is killed is taken over by the one that waits for it', async () => {
  fakeGo([`echo $$ >> ${root}/go-pids`, `while [ -d ${root} -a ! -e ${root}/go-on ]; do /bin/sleep 0.02; done`]);
  const first = install();
  await until(() => existsSync(join(root, 'go-pids')));
  const second = install();
  await until(() => second.progress().includes(`process ${first.child.pid} is installing`));
  first.answer.catch(() => undefined);
  first.child.kill('SIGKILL');
  await until(() => calls().length === 2);
  writeFileSync(join(root, 'go-on'), '');
  expect(await second.answer).toMatchObject({ kind: 'installed' });
  // The go of the killed installation is nobody's child any more: it has to see the file too before the folder goes.
  const pids = readFileSync(join(root, 'go-pids'), 'utf8').trim().split('\n').map(Number);
  await until(() => pids.every((pid) => identify(pid) === undefined), { what: 'the end of each go' });
  expect(readdirSync(installFolder(BUILT_VERSION))).toEqual(['temporal']);
  expect(readdirSync(installFolder())).toEqual([]);
});

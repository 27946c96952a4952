// What systemd and launchd read about an engine, with paths as awkward as a disk allows.
import { expect, test } from '@jest/globals';
import { execa, execaSync } from 'execa';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { plistText, unitText, type ServiceFacts } from '../../../src/engine/service/file.js';
import { folder } from '../../support/folder.js';
import { testUnless } from '../../support/unless.js';

const ROOT = '/home/ada/100% "mine" & <yours> $HOME \\';
const FACTS: ServiceFacts = {
  name: 'raymond-x-1',
  root: ROOT,
  log: `${ROOT}/engine.log`,
  command: ['/usr/bin/node', `${ROOT}/raymond.js`, '__engine', '--service'],
  environment: { PATH: `${ROOT}:/usr/bin` },
  stopSeconds: 90,
};

test('a unit has every path as systemd wants it', () => {
  const unit = unitText(FACTS);
  const lines = unit.split('\n');
  expect(lines).toContain('WorkingDirectory=/home/ada/100%% "mine" & <yours> $HOME \\');
  expect(lines).toContain(
    'ExecStart=:"/usr/bin/node" "/home/ada/100%% \\"mine\\" & <yours> $HOME \\\\/raymond.js" "__engine" "--service"',
  );
  expect(lines).toContain('Environment="PATH=/home/ada/100%% \\"mine\\" & <yours> $HOME \\\\:/usr/bin"');
  expect(lines).toContain('StandardOutput=append:/home/ada/100%% "mine" & <yours> $HOME \\/engine.log');
  for (const line of ['Restart=on-failure', 'KillMode=process', 'TimeoutStopSec=90', 'WantedBy=default.target'])
    expect(lines).toContain(line);
});

const NO_PYTHON = execaSync('python3', ['--version'], { reject: false }).failed
  ? 'python3 is not installed'
  : undefined;

testUnless(NO_PYTHON)('a property list has every path, as another program reads it', async () => {
  const read = 'import json, plistlib, sys; print(json.dumps(plistlib.loads(sys.stdin.buffer.read())))';
  const { stdout } = await execa('python3', ['-c', read], { input: plistText(FACTS) });
  expect(JSON.parse(stdout)).toEqual({
    Label: FACTS.name,
    ProgramArguments: FACTS.command,
    WorkingDirectory: ROOT,
    EnvironmentVariables: FACTS.environment,
    StandardOutPath: FACTS.log,
    StandardErrorPath: FACTS.log,
    RunAtLoad: true,
    KeepAlive: { SuccessfulExit: false },
    ThrottleInterval: 30,
    ExitTimeOut: 90,
    AbandonProcessGroup: true,
  });
});

const NO_SYSTEMD = execaSync('systemd-analyze', ['--version'], { reject: false }).failed
  ? 'systemd-analyze is not installed'
  : undefined;

testUnless(NO_SYSTEMD)('systemd takes the unit without a word', async () => {
  const root = join(await folder(), '100% my "own" $HOME \'x');
  await mkdir(root);
  const command = [process.execPath, `${root}/raymond.js`, '__engine', '--service'];
  const facts = { ...FACTS, root, command, log: `${root}/engine.log`, environment: { PATH: `${root}:/usr/bin` } };
  const file = join(await folder(), 'raymond-x-1.service');
  await writeFile(file, unitText(facts));
  const { exitCode, stderr } = await execa('systemd-analyze', ['verify', '--user', '--man=no', file], {
    reject: false,
    env: { XDG_RUNTIME_DIR: await folder() },
  });
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
});

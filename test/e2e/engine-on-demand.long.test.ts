// Who starts the engine of a project: commands that need something done; never those that only read.
import { beforeAll, describe, expect, test } from '@jest/globals';
import { join } from 'node:path';
import { enginePid } from '../../dist/engine/record.js';
import { serverStatus } from '../../dist/server/index.js';
import { BACKGROUND, Place } from '../support/cli.js';
import { commandsBelow, program } from '../support/program.js';
import { until } from '../support/until.js';

const ASKS = `echo '<ask next="SAY">Which colour?</ask>'\n`;
const FLOWS = {
  'asks/START.sh': ASKS,
  'asks/SAY.sh': 'echo "<ask next=\\"SAY\\">And?</ask>"\n',
  'asks/FIX.sh': ASKS,
  'fails/START.sh': 'exit 1\n',
};

/** The commands that only read, as they are called. */
const QUESTIONS = {
  list: '',
  status: 'asked',
  watch: 'asked',
  logs: 'asked',
  result: 'asked',
  history: 'asked',
  transcript: 'asked main',
  session: 'asked main',
  costs: 'asked',
  decode: 'asked',
  diagram: '--run asked',
  doctor: '',
  'schedule list': '',
  'schedule show': 'nightly',
  'fleet hosts': '',
  ps: '',
  'service status': '',
  'server status': '',
  'server list': '',
  config: '',
  lint: 'asks',
  gc: '--dry-run',
  help: '',
  completion: 'bash',
} as const;

/** The commands that start the engine, as they are called: runs and agents are there when it is their turn. */
const ORDERS = {
  start: 'asks --id another --detach',
  answer: 'asked red',
  tell: 'asked main hello',
  budget: 'asked 20',
  resume: 'asked',
  retry: 'failed main',
  // The turn after the answer may be in progress: each engine lives only for one command.
  goto: 'asked main FIX --now',
  fork: 'asked --at 1 --id forked',
  'schedule create': 'nightly asks --cron 0_3_*_*_*',
  cancel: 'asked',
  up: '',
} as const;

/** The commands that record an order without it, stop it, are an engine themselves, or have nothing to do with it. */
const OTHERS = [
  'pause',
  ...['create', 'trigger', 'backfill', 'delete', 'pause', 'resume'].map((name) => `schedule ${name}`),
  ...['worker', 'rollout', 'setup', 'move'].map((name) => `fleet ${name}`),
  ...['down', 'serve', 'server start', 'server stop', 'service install', 'service remove'],
  ...['init', 'mcp', 'test', 'convert', 'skill install', 'package'],
];

const wordsOf = (name: string, line: string): readonly string[] =>
  `${name} ${line}`
    .trim()
    .split(' ')
    .map((word) => word.replaceAll('_', ' '));

describe('a stopped engine', () => {
  let place: Place;
  const raymondDir = (): string => join(place.cwd, '.raymond');
  beforeAll(async () => {
    place = await Place.at(FLOWS, BACKGROUND);
    expect(await place.raymond(['asks', '--id', 'asked', '--on-ask', 'exit'])).toMatchObject({ exitCode: 2 });
    expect(await place.raymond(['fails', '--id', 'failed'])).toMatchObject({ exitCode: 1 });
    expect(await place.raymond(['down'])).toMatchObject({ exitCode: 0 });
  }, 120_000);

  test('has all commands in the tables of this test', () => {
    const known = new Set([...Object.keys(QUESTIONS), ...Object.keys(ORDERS), ...OTHERS]);
    const groups = program.commands.filter(({ commands }) => commands.length > 0).map((group) => group.name());
    const all = commandsBelow(program).filter((name) => !groups.includes(name) && !name.endsWith(' help'));
    expect(all.filter((name) => !known.has(name))).toEqual([]);
  });

  test.each(Object.entries(QUESTIONS))('is not started by %s', async (name, line) => {
    await place.raymond(wordsOf(name, line));
    expect(enginePid(raymondDir())).toBeUndefined();
    expect((await serverStatus({ raymondDir: raymondDir() })).kind).toBe('stopped');
  });

  test.each(Object.entries(ORDERS))('is started by %s', async (name, line) => {
    const { exitCode, stderr } = await place.raymond(wordsOf(name, line));
    const pid = enginePid(raymondDir());
    expect({ exitCode, isUp: pid !== undefined, why: exitCode === 0 ? '' : stderr }).toEqual({
      exitCode: 0,
      isUp: true,
      why: '',
    });
    process.kill(pid ?? 0, 'SIGKILL');
    await until(() => enginePid(raymondDir()) === undefined, { what: 'the end of the engine' });
  });
});

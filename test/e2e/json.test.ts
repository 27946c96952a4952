// What every command prints with --json, against the schemas that the package exports: a new command without one fails here.
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Command } from 'commander';
import { DOCUMENTS, type DocumentName } from '../../src/client/documents/documents.js';
import { Place } from '../support/cli.js';
import { fakeWith } from '../support/fakes.js';
import { program } from '../support/program.js';

/** What these print is no document: docs/reference/json.md says what it is. */
const OTHERS = [
  'worker',
  'help',
  '__engine',
  'serve',
  'mcp',
  'decode',
  'diagram',
  'completion',
  '__complete',
  'service install',
  'service remove',
];

/** Commands that need a fleet; their documents are checked in schedules.test.ts, upgrades.test.ts, hosts.test.ts and workspaces.test.ts. */
const ON_CLUSTERS = ['schedule', 'hosts', 'rollout', 'move'];

/** One command after the other, on runs that earlier ones have left; `code` absent = 0. */
const CALLS: readonly (readonly [name: DocumentName, line: string, code?: number])[] = [
  ['init', 'init'],
  ['convert', 'convert chain chain.zip'],
  ['package', 'package chain'],
  ['skill install', 'skill install'],
  ['config', 'config'],
  ['doctor', 'doctor'],
  ['list', 'list'],
  ['server start', 'server start'],
  ['server status', 'server status'],
  ['server list', 'server list'],
  ['lint', 'lint fails', 1],
  ['start', 'start chain --id one'],
  ['start', 'start fails --no-check --id bad', 1],
  ['start --detach', 'start done --id two --detach'],
  ['start', 'start asks --id asks --on-ask exit', 2],
  ['list', 'list'],
  ['status', 'status one'],
  ['status', 'status asks --costs'],
  ['costs', 'costs asks'],
  ['status', 'status bad'],
  ['result', 'result one'],
  ['history', 'history one'],
  ['history', 'history bad'],
  ['logs', 'logs one --turn 1'],
  ['watch', 'watch one'],
  ['transcript', 'transcript one main'],
  ['session', 'session one main'],
  ['up', 'up'],
  ['ps', 'ps'],
  ['service status', 'service status', 1],
  ['fork', 'fork one --at 2 --pause --id held --follow', 3],
  ['retry', 'retry held main'],
  ['resume', 'resume held'],
  ['tell', 'tell asks main hello'],
  ['pause', 'pause asks'],
  ['budget', 'budget asks 5 --on-ask exit'],
  ['answer', 'answer asks blue'],
  ['goto', 'goto bad main END'],
  ['cancel', 'cancel asks'],
  ['setup', 'setup'],
  ['test', 'test done --coverage'],
  ['gc', 'gc --dry-run'],
  ['down', 'down'],
  ['server stop', 'server stop'],
];

let place: Place;
beforeAll(async () => {
  const fake = await fakeWith({ text: '<goto>END</goto>', costUsd: 0.01 });
  place = await Place.at(
    {
      'chain/START.sh': 'echo "<call return=\\"BACK\\">SUB</call>"\n',
      'chain/SUB.sh': 'echo "<result>sub</result>"\n',
      'chain/BACK.sh': 'echo "<fork item=\\"one\\" next=\\"SAY\\">END</fork>"\n',
      'chain/SAY.md': 'Say it.\n',
      'chain/END.sh': 'echo "<result>end</result>"\n',
      'done/START.sh': 'echo "<result>done</result>"\n',
      'done/done.test.yaml': 'expect: { result: done }\n',
      'fails/START.sh': 'echo "<goto>NOWHERE</goto>"\n',
      'fails/END.sh': 'echo "<result>end</result>"\n',
      'asks/START.sh': 'echo "<ask next=\\"END\\" timeout=\\"2h\\" timeout_next=\\"END\\">Which?</ask>"\n',
      'asks/END.sh': 'echo "<result>$RAYMOND_INPUT</result>"\n',
    },
    fake.env,
  );
});

/** The commands that do something, by their whole names. */
function actionsBelow(command: Command, above = ''): readonly (readonly [name: string, command: Command])[] {
  return command.commands.flatMap((below) => {
    const name = `${above}${below.name()}`;
    return below.commands.length > 0 ? actionsBelow(below, `${name} `) : [[name, below] as const];
  });
}

test.each(actionsBelow(program))('%s has --json, and its document is checked here', (path, command) => {
  const name = path.replace(/^fleet /, '');
  const has = command.options.some(({ long }) => long === '--json');
  expect(has).toBe(!OTHERS.includes(name));
  const [first = ''] = name.split(' ');
  if (has && !ON_CLUSTERS.includes(first)) expect(CALLS.map(([checked]) => checked)).toContain(name);
});

describe('the document of', () => {
  test.each(CALLS)('%s: raymond %s --json', async (name, line, code = 0) => {
    const { stdout, stderr, exitCode } = await place.raymond([...line.split(' '), '--json']);
    expect({ exitCode, stderr }).toEqual({ exitCode: name === 'doctor' ? exitCode : code, stderr });
    for (const text of stdout.split('\n')) {
      const { error } = DOCUMENTS[name].safeParse(JSON.parse(text));
      expect(error?.issues ?? []).toEqual([]);
    }
  });
});

// What an agent hears of the place of its workspace, in whichever order: an answer that comes late must not bring it back to where it was.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import type { AgentState } from '../../src/protocol/machine/agent.js';
import { Fleet } from '../support/fleet.js';
import { folder } from '../support/folder.js';
import { Repository } from '../support/repository.js';
import { until } from '../support/until.js';

let fleet: Fleet;
let repository: Repository;
beforeAll(async () => {
  repository = await Repository.of({ 'a.txt': 'a\n' });
  const root = await folder();
  fleet = await Fleet.open(
    {
      'goes/START.sh':
        'until [ -e "$RAYMOND_STATE_DIR/go" ]; do sleep 0.05; done; echo 1 > first; echo "<goto>END</goto>"\n',
      'goes/END.sh': 'echo "<result>$(cat first) on $ON_HOST</result>"\n',
    },
    { config: `workspace = "git"\nworkspace_root = ${JSON.stringify(root)}\n` },
  );
  for (const name of ['b', 'c']) await fleet.host(name);
}, 60_000);
afterAll(() => fleet.close());

test('an answer to what an agent asked before is not taken for where its workspace is', async () => {
  const words = [...fleet.startOf('goes', 'goes'), '--detach', '--repo', repository.url, '--ref', 'main'];
  expect(await fleet.call(words)).toMatchObject({ exitCode: 0 });
  const [, host = ''] = /files on (\w)/.exec(await fleet.shows('goes', /running[^]*files on \w/)) ?? [];
  const other = host === 'b' ? 'c' : 'b';
  const connection = await Connection.connect({ address: fleet.address });
  const agent = new Client({ connection }).workflow.getHandle('goes/main');
  const { workspace } = await agent.query<AgentState>('record');
  await agent.signal('placed', { kind: 'placed', workspace, askId: 'an earlier one' });
  await connection.close();
  expect(await fleet.call(['move', 'goes', 'main', '--to', other])).toMatchObject({ exitCode: 0 });
  await fleet.workshop.write('goes/go', '');
  await until(async () => (await fleet.call(['result', 'goes'])).exitCode === 0, { what: 'the result' });
  expect((await fleet.call(['result', 'goes'])).stdout).toBe(`1 on ${other}`);
}, 120_000);

// A fleet whose hosts do runs and are asked for, for the tests of `raymond fleet hosts` and of runs that are followed from another host.
import { expect } from '@jest/globals';
import { DOCUMENTS, type DocumentOf } from '../../src/client/documents/documents.js';
import { Fleet } from '../support/fleet.js';
import { folder } from '../support/folder.js';

export const QUEUE = ['--task-queue', 'fleet'];

/** A workflow of two turns that greets its input. */
export const HELLO = {
  'hello/START.sh': 'echo "<goto input=\\"$RAYMOND_INPUT\\">NEXT</goto>"\n',
  'hello/NEXT.sh': 'echo "<result>hello $RAYMOND_INPUT</result>"\n',
};

/** A fleet without workers at first, with a workflow that greets, one that asks and one that waits for the file `go`. */
export async function openFleet(): Promise<Fleet> {
  return await Fleet.open(
    {
      ...HELLO,
      'asks/START.sh': 'echo "<ask next=\\"END\\">Which?</ask>"\n',
      'asks/END.sh': 'echo "<result>x</result>"\n',
      'slow/START.sh': 'touch "started-$ON_HOST"; until [ -f go ]; do sleep 0.05; done; echo "<result>done</result>"\n',
    },
    { config: `workspace_root = ${JSON.stringify(await folder())}\n` },
  );
}

/** What `raymond fleet hosts` shows. */
export async function hostsOf(fleet: Fleet): Promise<DocumentOf<'hosts'>> {
  const { stdout, stderr, exitCode } = await fleet.call(['hosts', ...QUEUE, '--json']);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  return DOCUMENTS.hosts.parse(JSON.parse(stdout));
}

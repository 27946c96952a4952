// The check that closes every stage: it must tell a history that our code makes from one that it does not.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import proto from '@temporalio/proto';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { replays } from './replays.js';

const { History } = proto.temporal.api.history.v1;
const HISTORIES = fileURLToPath(new URL('../replay/histories/0.1.0', import.meta.url));

Runtime.install({ logger: new DefaultLogger('ERROR', () => undefined) });

function stored(name: string, workflowId: string, edit = (text: string): string => text) {
  const text = edit(readFileSync(join(HISTORIES, name), 'utf8'));
  return { workflowId, history: History.fromObject(JSON.parse(text) as Record<string, unknown>) };
}

test('a history that would be made otherwise today is named, others are not', async () => {
  const good = stored('goto.agent.json', 'goto/main');
  const bad = stored('goto.agent.json', 'other/main', (text) => text.replaceAll('"runScript"', '"runSomethingElse"'));
  const { workflowIds, differences } = await replays([good, bad]);
  expect(workflowIds).toEqual(['goto/main', 'other/main']);
  expect(differences).toEqual([expect.stringMatching(/^other\/main .*nondeterminism/)]);
});

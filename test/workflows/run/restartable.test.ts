// Which agents a resumed run starts again, when one of them reports its end while its record is looked for.
import { expect, test } from '@jest/globals';
import { Retries, type CallResult } from '../../../src/workflows/run/retries.js';
import { nextToRestart } from '../../../src/workflows/run/restartable.js';
import { entry, ledgerOf, STATUSES, WAYS_TO_END } from './ledgers.js';

test.each([
  ['its workflow is still open', true],
  ['nothing is known of it', false],
])('an agent that completed after the answer that %s stays completed', async (_what, open) => {
  const ledger = ledgerOf({ w: WAYS_TO_END.lost });
  ledger.resumable = 'page';
  const patient = new Retries(() => false);
  const answers: Record<string, unknown> = {
    'read which agents to start again': { agents: [entry('w', WAYS_TO_END.lost)] },
    'find the records of agents': [{ id: 'w', open }],
  };
  patient.attempt = <T>({ what }: { readonly what: string }): Promise<CallResult<T>> => {
    if (what === 'find the records of agents')
      ledger.apply({ agentId: 'w', state: 'A.md', costUsd: 0, status: STATUSES.completed });
    return Promise.resolve({ kind: 'done', value: answers[what] as T });
  };
  expect(await nextToRestart({ ledger, retries: patient }, 'r1')).toEqual({ kind: 'done', value: [] });
  expect(ledger.roster.get('w')?.status).toEqual(STATUSES.completed);
});

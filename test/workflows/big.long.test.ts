// Big values go by file, at every boundary: what is large is never in a history, and never twice in memory (invariant I5).
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { expect, test } from '@jest/globals';
import { agentWorkflowId } from '../../src/protocol/ids.js';
import { FolderStore } from '../../dist/store/folder.js';
import { flagOf, type FakeClaude } from '../support/fake-claude.js';
import { fakeWith } from '../support/fakes.js';
import { Stage } from '../support/stage.js';

const MB = 1_000_000;
/** The most that any history of these runs may weigh, in bytes. */
const SMALL = 100_000;

let fake: FakeClaude;
const stage = new Stage({
  env: async () => {
    fake = await fakeWith();
    return { ...fake.env };
  },
});

/** The weight of the histories of a run and its first agent. */
async function weights(runId: string): Promise<readonly number[]> {
  const ids = [runId, agentWorkflowId(runId, 'main')];
  const found = await Promise.all(ids.map((id) => stage.link.client.workflow.getHandle(id).describe()));
  return found.map(({ historySize = Infinity }) => historySize);
}

/** bash that prints so many bytes of text. */
const prints = (bytes: number, letter: string): string => `head -c ${bytes} /dev/zero | tr '\\0' ${letter}; echo`;

test('a script prints 10 MB, gives 3 MB to a script, that to a prompt, and that to a result', async () => {
  await fake.setRules([{ text: `<result>${'r'.repeat(3 * MB)}</result>` }]);
  const staged = await stage.start({
    'START.sh': `${prints(10 * MB, 'n')}\necho "<call return=\\"BACK\\">SUB</call>"\n`,
    'SUB.sh': `echo "<result>"; ${prints(3 * MB, 's')}; echo "</result>"\n`,
    'BACK.sh': `wc -c < "$RAYMOND_RESULT_FILE" > got; echo "\${RAYMOND_RESULT-unset}" >> got
printf '<goto input="'; tr -d '\\n' < "$RAYMOND_INPUT_FILE"; echo '">READ</goto>'\n`,
    'READ.md': 'Read {{input}}!',
  });
  const view = await staged.ended;
  expect(view.status).toBe('completed');
  expect(await readFile(join(staged.cwd, 'got'), 'utf8')).toBe(`${3 * MB}\nunset\n`);
  const [call] = await fake.calls();
  expect(call?.prompt).toBe(`\nRead ${'s'.repeat(3 * MB)}!`);
  const artifacts = new FolderStore(join(stage.raymondDir, 'artifacts'));
  expect(view.result).toMatchObject({ bytes: 3 * MB });
  expect(await artifacts.text(view.result ?? '')).toBe('r'.repeat(3 * MB));
  for (const weight of await weights(view.runId)) expect(weight).toBeLessThan(SMALL);
});

test('a prompt of 30 MB makes a conversation that is gone on from and come back to', async () => {
  await fake.setRules([
    { match: '^Begin', text: '<call return="END">LOOK</call>' },
    { match: '^Look', text: '<result>seen</result>', bigLine: 20 * MB },
    { match: '^End', text: '<result>ended</result>' },
  ]);
  const before = (await fake.calls()).length;
  const view = await stage.run({
    'START.md': `Begin. ${'x'.repeat(30 * MB)}\n`,
    'LOOK.md': 'Look.',
    'END.md': 'End with {{result}}.',
  });
  expect(view).toMatchObject({ status: 'completed', result: 'ended' });
  const [first, look, end] = (await fake.calls()).slice(before);
  expect(first?.prompt.length).toBeGreaterThan(30 * MB);
  // Both continue from the conversation of 30 MB.
  const parents = [look, end].map((call) => call && basename(flagOf(call, '--resume') ?? '', '.jsonl'));
  const session = first && flagOf(first, '--session-id');
  expect(parents).toEqual([session, session]);
  for (const weight of await weights(view.runId)) expect(weight).toBeLessThan(SMALL);
});

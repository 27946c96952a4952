// `resume --all` beside others who serve: whatever is served already is named, and the rest continues.
import { expect, test } from '@jest/globals';
import { Place } from '../support/cli.js';

test('two calls at once bring every stranded run to its end between them', async () => {
  const place = await Place.at({
    'flow/START.sh': 'touch "started-$RAYMOND_WORKFLOW_ID"; [ -f go ] || sleep 500; echo "<result>ok</result>"\n',
  });
  const ids = ['a', 'b', 'c'];
  const begun = ids.map((id) => place.begin(['flow', '--id', id]));
  for (const id of ids) await place.made(`started-${id}`);
  for (const one of begun) one.kill('SIGKILL');
  await Promise.all(begun);
  await place.write('go');

  const called = await Promise.all([place.raymond(['resume', '--all']), place.raymond(['resume', '--all'])]);
  expect(called.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
  const runs = JSON.parse((await place.raymond(['list', '--json'])).stdout) as readonly { readonly status: string }[];
  expect(runs.map(({ status }) => status)).toEqual(['completed', 'completed', 'completed']);
});

// The files of a question and of its answer, over HTTP: while it is open, and after it was answered.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Api } from '../support/api.js';
import { Place } from '../support/cli.js';
import { until } from '../support/until.js';

let place: Place;
let api: Api;
beforeAll(async () => {
  place = await Place.at({
    'asks/START.sh': [
      'echo "<b>shown</b>" > page.html',
      'echo \'<ask next="SAY" upload_bucket="true" display_files="page.html">Which colour?</ask>\'',
      '',
    ].join('\n'),
    'asks/SAY.sh': 'echo "<result>$RAYMOND_INPUT</result>"\n',
  });
  api = await Api.open(place.cwd);
});
afterAll(() => api.close());

test('are listed and can be read, of an answered question too', async () => {
  expect((await api.post('/runs', { workflow: 'asks', id: 'paint' })).status).toBe(201);
  await until(async () => (await api.get('inbox', '/inbox')).asks[0]);
  expect((await api.post('/runs', { workflow: 'asks', id: 'later' })).status).toBe(201);
  const asking = async (): Promise<readonly string[]> =>
    (await api.get('inbox', '/inbox')).asks.map(({ runId }) => runId);
  await until(async () => (await asking()).length === 2);
  // The one that has waited longest comes first.
  expect(await asking()).toEqual(['paint', 'later']);
  const ask = '/runs/paint/asks/ask_main_1';
  const read = async (name: string): Promise<unknown> => (await api.call('GET', `${ask}/files/${name}`)).body;
  const shown = [{ name: 'page.html', type: 'text/html', bytes: 13 }];
  expect(await api.get('askFiles', `${ask}/files`)).toEqual({ shown, sent: [] });

  const form = new FormData();
  form.append('text', 'blue');
  form.append('report.txt', new Blob(['fine']), 'report.txt');
  expect((await api.call('POST', ask, { body: form })).status).toBe(200);
  await until(async () => !(await api.get('run', '/runs/paint')).open);

  const sent = [{ name: 'report.txt', type: 'text/plain', bytes: 4 }];
  expect(await api.get('askFiles', `${ask}/files`)).toEqual({ shown, sent });
  expect([await read('page.html'), await read('report.txt')]).toEqual(['<b>shown</b>\n', 'fine']);
  expect((await api.get('orders', '/runs/paint/orders')).orders).toMatchObject([
    { kind: 'answer', askId: 'ask_main_1', text: 'blue', files: ['report.txt'] },
  ]);
  expect((await api.call('GET', `${ask}/files/other`)).status).toBe(404);
  expect((await api.call('GET', '/runs/paint/asks/ask_main_7/files')).status).toBe(404);
});

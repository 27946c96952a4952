// A crowd of readers of the event stream.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Api } from '../support/api.js';
import { Place } from '../support/cli.js';
import { readEvents, type EventReader } from '../support/event-reader.js';
import { until } from '../support/until.js';

let api: Api;
beforeAll(async () => {
  const place = await Place.at({
    'steps/START.sh': 'echo hello\necho "<goto>ASK</goto>"\n',
    'steps/ASK.sh': 'echo \'<ask next="END">Why?</ask>\'\n',
    'steps/END.sh': 'echo "<result>$RAYMOND_INPUT</result>"\n',
  });
  api = await Api.open(place.cwd);
});
afterAll(() => api.close());

type Wanted = Parameters<typeof readEvents>[1];
const listen = (wanted?: Wanted): Promise<EventReader> => readEvents(api, wanted);

const start = async (id: string): Promise<void> => {
  expect(await api.post('/runs', { workflow: 'steps', id })).toMatchObject({ status: 201 });
};

test('tells two hundred readers of a run, and refuses more than it can bear until some have left', async () => {
  const readers = await Promise.all(Array.from({ length: 200 }, () => listen()));
  await start('told');
  for (const { events } of readers)
    await until(() => events.some((one) => one.type === 'ask' && one.runId === 'told' && one.open));
  const more = await Promise.all(Array.from({ length: 57 }, () => listen()));
  expect(more.filter(({ status }) => status === 429)).toHaveLength(1);
  for (const { close } of [...readers, ...more]) close();
  const last = await until(async () => {
    const again = await listen();
    return again.status === 200 ? again : undefined;
  });
  last.close();
});

// The event stream over HTTP: many readers at once, and readers that come back.
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

test('tells of turns with what they say, of agents and of questions; a reader that comes back misses nothing', async () => {
  const reader = await listen({ query: '?runs=heard,other' });
  await start('heard');
  await start('unheard');
  const kinds = (): readonly string[] => reader.events.map(({ type }) => type);
  await until(() => kinds().includes('ask') && kinds().includes('agent'));
  expect(new Set(reader.events.map((one) => 'runId' in one && one.runId))).toEqual(new Set(['heard']));
  expect(reader.events.find(({ type }) => type === 'said')).toMatchObject({
    text: expect.stringContaining('hello'),
    turn: 1,
  });
  expect(reader.events.filter(({ type }) => type === 'turn.ended')).toMatchObject([
    { state: 'START.sh', how: 'transition' },
    { state: 'ASK.sh', how: 'transition' },
  ]);
  reader.close();
  const lastId = reader.events.at(-1)?.id ?? '';
  expect(await api.post('/runs/heard/asks/ask_main_2', { text: 'because' })).toMatchObject({ status: 200 });
  const again = await listen({ query: '?runs=heard', lastId });
  const end = await until(() => again.events.find((one) => one.type === 'run' && !one.open));
  expect(end).toMatchObject({ runId: 'heard', status: 'completed', asks: 0 });
  expect(again.events).toContainEqual(expect.objectContaining({ type: 'ask', askId: 'ask_main_2', open: false }));
  expect(again.events.map(({ type }) => type)).not.toContain('gap');
  again.close();
  const stranger = await listen({ lastId: 'elsewhere-7' });
  expect(await until(() => stranger.events[0])).toMatchObject({ type: 'gap' });
  stranger.close();
});

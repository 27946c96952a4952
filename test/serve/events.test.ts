// The event stream over HTTP: many readers at once, and readers that come back.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { event } from '../../dist/serve/event-types.js';
import type { ServeEvent } from '../../dist/serve/types.js';
import { Api } from '../support/api.js';
import { Place } from '../support/cli.js';
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

interface Stream {
  readonly status: number;
  readonly events: readonly (ServeEvent & { readonly id: string })[];
  readonly close: () => void;
}

async function listen({
  query = '',
  lastId,
}: { readonly query?: string; readonly lastId?: string } = {}): Promise<Stream> {
  const stop = new AbortController();
  const headers = {
    authorization: `Bearer ${api.server.token ?? ''}`,
    ...(lastId === undefined ? {} : { 'last-event-id': lastId }),
  };
  const response = await fetch(`${api.server.origin}/api/events${query}`, { headers, signal: stop.signal });
  const events: (ServeEvent & { readonly id: string })[] = [];
  const read = async (): Promise<void> => {
    let buffer = '';
    const decoder = new TextDecoder();
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      buffer += decoder.decode(chunk, { stream: true });
      const frames = buffer.split('\n\n');
      buffer = frames.pop() ?? '';
      for (const frame of frames) {
        const field = (name: string): string => new RegExp(`^${name}: (.*)$`, 'm').exec(frame)?.[1] ?? '';
        if (field('data') !== '') events.push({ id: field('id'), ...event.parse(JSON.parse(field('data'))) });
      }
    }
  };
  read().catch(() => undefined); // it was closed
  return { status: response.status, events, close: () => stop.abort() };
}

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

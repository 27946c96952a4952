// A crowd of readers of the event stream.
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

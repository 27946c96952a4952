// Events on their way to readers: those that come back miss nothing, or get a gap; those that do not read hold nobody up.
import { describe, expect, test } from '@jest/globals';
import { EventHub, type Listening } from '../../src/serve/events/hub.js';
import { LiveOutput } from '../../src/serve/events/live-output.js';
import type { ServeEvent } from '../../src/serve/types.js';

const agent = (runId: string, n: number): ServeEvent => ({
  type: 'agent',
  runId,
  agentId: `a${n}`,
  state: 'S.sh',
  status: 'running',
  costUsd: 0,
});

interface Heard {
  readonly id: string | undefined;
  readonly type: string | undefined;
  readonly data: unknown;
}

/** A reader that reads when it is asked to. */
function reader(
  hub: EventHub,
  listening: Partial<Listening> = {},
): { next: (type?: string) => Promise<Heard>; cancel: () => Promise<void> } {
  const stream = hub.listen({ dropped: () => undefined, ...listening }).getReader();
  const decoder = new TextDecoder();
  let buffer = '';
  const next = async (type?: string): Promise<Heard> => {
    for (;;) {
      const end = buffer.indexOf('\n\n');
      if (end < 0) {
        const { value, done } = await stream.read();
        if (done) return { id: undefined, type: 'end', data: undefined };
        buffer += decoder.decode(value, { stream: true });
        continue;
      }
      const frame = buffer.slice(0, end);
      buffer = buffer.slice(end + 2);
      const field = (name: string): string | undefined => new RegExp(`^${name}: (.*)$`, 'm').exec(frame)?.[1];
      const heard = { id: field('id'), type: field('event'), data: JSON.parse(field('data') ?? 'null') as unknown };
      if (heard.type !== undefined && (type ?? heard.type) === heard.type) return heard;
    }
  };
  return { next, cancel: () => stream.cancel() };
}

describe('a stream of events', () => {
  test('has those of the runs that it was opened for', async () => {
    const hub = new EventHub();
    const [all, some] = [reader(hub), reader(hub, { runs: new Set(['b']) })];
    hub.publish(agent('a', 1));
    hub.publish(agent('b', 2));
    expect(await all.next()).toMatchObject({ data: { runId: 'a' } });
    expect(await all.next()).toMatchObject({ data: { runId: 'b' } });
    expect(await some.next()).toMatchObject({ data: { runId: 'b' } });
    expect(hub.named).toEqual(new Set(['b']));
    hub.close();
    expect(await some.next()).toMatchObject({ type: 'end' });
  });

  test('continues behind the last event that its reader has', async () => {
    const hub = new EventHub();
    const first = reader(hub);
    for (const n of [1, 2, 3, 4]) hub.publish(agent(n % 2 === 0 ? 'even' : 'odd', n));
    const { id } = await first.next();
    await first.cancel();
    expect(hub.listeners).toBe(0);
    const again = reader(hub, { lastId: id, runs: new Set(['even']) });
    expect(await again.next()).toMatchObject({ data: { agentId: 'a2' } });
    expect(await again.next()).toMatchObject({ data: { agentId: 'a4' } });
    hub.close();
  });

  test.each(['other-1', 'nonsense', ''])(
    'begins with a gap after "%s", which is no event of this process',
    async (lastId) => {
      const hub = new EventHub();
      hub.publish(agent('a', 1));
      const late = reader(hub, { lastId });
      hub.publish(agent('a', 2));
      expect(await late.next()).toMatchObject({ type: 'gap', data: { type: 'gap' } });
      expect(await late.next()).toMatchObject({ data: { agentId: 'a2' } });
      hub.close();
    },
  );

  test('begins with a gap when what its reader has missed is kept no more', async () => {
    const hub = new EventHub();
    const first = reader(hub);
    hub.publish(agent('a', 0));
    const { id } = await first.next();
    await first.cancel();
    for (let n = 1; n <= 30_000; n += 1) hub.publish(agent('a', n));
    expect(await reader(hub, { lastId: id }).next()).toMatchObject({ type: 'gap' });
    hub.close();
  });

  test('ends with a gap for a reader that does not read, and nobody else notices', async () => {
    const hub = new EventHub();
    let dropped = 0;
    const slow = reader(hub, { dropped: () => (dropped += 1) });
    const quick = reader(hub);
    for (let n = 1; n <= 20_000; n += 1) {
      hub.publish(agent('a', n));
      if (n % 100 === 0) for (let read = 0; read < 100; read += 1) await quick.next();
    }
    expect({ dropped, listeners: hub.listeners }).toEqual({ dropped: 1, listeners: 1 });
    expect(await slow.next('gap')).toMatchObject({ data: { type: 'gap' } });
    expect(await slow.next()).toMatchObject({ type: 'end' });
    hub.close();
  });
});

describe('the output of a turn that runs', () => {
  const of = { runId: 'r', agentId: 'main', state: 'S.sh', turn: 1, attempt: 1 };

  test('is read from where a reader has left off, and its lines are reported together', async () => {
    const hub = new EventHub();
    const listener = reader(hub);
    const output = new LiveOutput(hub);
    expect(output.read(of, 0)).toBeUndefined();
    output.publish({ ...of, kind: 'started' });
    for (const text of ['one', 'two', 'three']) output.publish({ ...of, kind: 'said', text });
    expect(output.read(of, 0)).toEqual({ text: 'one\ntwo\nthree\n', offset: 0, next: 14, done: false });
    expect(output.read(of, 8)).toMatchObject({ text: 'three\n', offset: 8, next: 14 });
    output.publish({ ...of, kind: 'failed', message: 'no' });
    expect(await listener.next()).toMatchObject({ type: 'turn.started' });
    expect(await listener.next()).toMatchObject({ type: 'said', data: { text: 'one\ntwo\nthree\n' } });
    expect(await listener.next()).toMatchObject({ type: 'turn.ended', data: { how: 'failed', message: 'no' } });
    hub.close();
  });

  test('is kept up to a limit: what was first is gone, and a reader of it gets a gap', () => {
    const hub = new EventHub();
    const output = new LiveOutput(hub);
    output.publish({ ...of, kind: 'started' });
    for (let n = 0; n < 300; n += 1) output.publish({ ...of, kind: 'said', text: 'x'.repeat(1023) });
    const read = output.read(of, 0);
    expect(read).toMatchObject({ cut: true, offset: 300 * 1024 - 256 * 1024, next: 300 * 1024 });
    hub.close();
  });
});

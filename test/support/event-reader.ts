// A reader of the event stream over HTTP, for tests.
import { event } from '../../dist/serve/event-types.js';
import type { ServeEvent } from '../../dist/serve/types.js';
import type { Api } from './api.js';

type ReadEvent = ServeEvent & { readonly id: string };

/** A stream that is being read. */
export interface EventReader {
  readonly status: number;
  readonly events: readonly ReadEvent[];
  readonly close: () => void;
}

/** Reads the event stream until it is closed. */
export async function readEvents(
  { server }: Api,
  { query = '', lastId }: { readonly query?: string; readonly lastId?: string } = {},
): Promise<EventReader> {
  const stop = new AbortController();
  const headers = {
    authorization: `Bearer ${server.token ?? ''}`,
    ...(lastId === undefined ? {} : { 'last-event-id': lastId }),
  };
  const response = await fetch(`${server.origin}/api/events${query}`, { headers, signal: stop.signal });
  const events: ReadEvent[] = [];
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

// Event streams: their clients, and how many there may be. hub.ts has the events.
import type { ServerResponse } from 'node:http';
import { defined } from '../../protocol/text.js';
import type { Call, Handlers } from '../handlers.js';
import { Refusal } from '../problems.js';

/** The most streams at once. */
const MOST_STREAMS = 256;

/** The route of this file. */
export const eventHandlers: Handlers<'events'> = {
  events: ({ hub }, call) => {
    if (hub.listeners >= MOST_STREAMS)
      throw new Refusal('TooManyStreams', `${MOST_STREAMS} event streams are open, and no more may be; close one`);
    const { request, query } = call;
    const headers = { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' };
    // A client that requests only the head would never read it.
    if (request.method === 'HEAD') return Promise.resolve(new Response(null, { headers }));
    const { outgoing } = call as Call<'events'> & { readonly outgoing?: ServerResponse };
    const runs = query.runs === undefined ? undefined : new Set(query.runs.split(',').filter((id) => id !== ''));
    const lastId = request.headers.get('last-event-id') ?? undefined;
    const stream = hub.listen({ ...defined({ runs, lastId }), dropped: () => hangUp(outgoing) });
    return Promise.resolve(new Response(stream, { headers }));
  },
};

/** Time for the last events to arrive; after that, a reader that accepts nothing counts as disconnected. */
const LAST_WORDS_MS = 5000;

function hangUp(outgoing: ServerResponse | undefined): void {
  setTimeout(() => {
    if (outgoing?.writableFinished === false) outgoing.destroy();
  }, LAST_WORDS_MS).unref();
}

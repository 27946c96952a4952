// Reading a history page by page, of which the caller's signal must keep nothing.
import { getEventListeners } from 'node:events';
import type { Client } from '@temporalio/client';
import { expect, test } from '@jest/globals';
import { eventsOf } from '../../src/history/events.js';

const PAGES = 30;

/** A connection that leaves a listener on the signal of every call, as gRPC does. */
function clientOf(page: (number: number) => Promise<object>): Client {
  let [number, current] = [0, new AbortController().signal];
  const connection = {
    withAbortSignal: (signal: AbortSignal, call: () => unknown) => {
      current = signal;
      return call();
    },
    workflowService: {
      getWorkflowExecutionHistory: () => {
        current.addEventListener('abort', () => undefined);
        return page(++number);
      },
    },
  };
  return { connection, options: { namespace: 'default' } } as unknown as Client;
}

test('a history of many pages leaves no listener on the signal', async () => {
  const pages = (number: number): Promise<object> =>
    Promise.resolve({ history: { events: [{ number }] }, nextPageToken: new Uint8Array(number < PAGES ? 1 : 0) });
  const { signal } = new AbortController();
  let read = 0;
  for await (const _event of eventsOf(clientOf(pages), { workflowId: 'w', signal })) read += 1;
  expect({ read, listeners: getEventListeners(signal, 'abort').length }).toEqual({ read: PAGES, listeners: 0 });
});

test('an abort ends a call that waits', async () => {
  const stop = new AbortController();
  const waits = (): Promise<never> => {
    stop.abort(new Error('enough'));
    return new Promise(() => undefined);
  };
  const events = eventsOf(clientOf(waits), { workflowId: 'w', follow: true, signal: stop.signal });
  await expect(events.next()).rejects.toThrow('enough');
});

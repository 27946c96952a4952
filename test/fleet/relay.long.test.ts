// The relay of the fleet trials: what it passes on, loses and resets.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { freePort } from '../support/free-port.js';
import { until } from '../support/until.js';
import { Relay, type Roughness } from './relay.js';

const TEXT = 'x'.repeat(300_000);
let server: Server;
let relay: Relay;
let url: string;

beforeAll(async () => {
  server = createServer((_request, response) => response.end(TEXT));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const port = await freePort();
  relay = await Relay.open(`127.0.0.1:${port}`, `127.0.0.1:${(server.address() as AddressInfo).port}`);
  url = `http://127.0.0.1:${port}`;
});
afterAll(async () => {
  await relay.close();
  server.close();
});
beforeEach(() => relay.smooth());

const rough = (more: Partial<Roughness>): Roughness => ({ delays: [0, 1], loss: 0, resets: 0, ...more });
const answer = async (): Promise<string> => await (await fetch(url)).text();

test('a smooth way passes everything on', async () => {
  expect(await answer()).toBe(TEXT);
  expect(relay.counts).toEqual({ lost: 0, resets: 0 });
});

test('what a rough way loses arrives nevertheless, and later', async () => {
  relay.roughen(rough({ loss: 0.5 }));
  expect(await answer()).toBe(TEXT);
  await until(() => relay.counts.lost > 0);
});

test('a way that resets connections lets no answer through, and does again when it is smooth', async () => {
  relay.roughen(rough({ resets: 1 }));
  await expect(answer()).rejects.toThrow('fetch failed');
  await until(() => relay.counts.resets > 0);
  relay.smooth();
  expect(await answer()).toBe(TEXT);
});

// The page with more than a real run of a test would have: 200 agents, 2,000 turns; and what it weighs. The server is stood in for by answers of the
// API's types: what is tested is what the browser does with them.
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readdir, readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { fileURLToPath } from 'node:url';
import { extname, join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { SAFE_HEADERS } from '../../src/serve/people/access.js';
import { expectAccessible, expectFitting, openBrowser, openContext, openTab } from '../support/browser.js';
import { beforeRemoval } from '../support/folder.js';
import { until } from '../support/until.js';
import type { Run, Runs, Session, Turns } from '../../src/serve/types.js';

const built = fileURLToPath(new URL('../../dist/page', import.meta.url));
const START = Date.now() - 2_100_000;
const LONG = 'w'.repeat(60);
const at = (seconds: number): string => new Date(START + seconds * 1000).toISOString();

const SESSION: Session = {
  by: 'anna',
  role: 'operate',
  project: 'crowd',
  root: '/crowd',
  version: '1',
  cluster: false,
};
const RUN: Run = {
  runId: 'crowd-1',
  workflow: `crowd ${LONG}`,
  scope: '/crowd',
  status: 'running',
  open: true,
  served: true,
  costUsd: 3,
  budgetUsd: 10,
  startedAt: at(0),
  asks: [],
  agentsBefore: 0,
  next: '',
  agents: Array.from({ length: 200 }, (_one, index) => ({
    id: index === 0 ? 'main' : `main_work${index}`,
    status: index === 7 ? 'failed' : 'running',
    state: 'WORK.md',
    costUsd: 0.01,
    about: `item=${LONG}`,
    ...(index === 0 ? {} : { parent: 'main' }),
    ...(index === 7 ? { error: `no ${LONG}` } : { since: at(2000), phase: 'running' as const, turn: 11 }),
  })),
};
const TURNS: Turns = {
  next: '1-0',
  turns: Array.from({ length: 2000 }, (_one, index) => {
    const from = Math.floor(index / 200) * 190 + (index % 200) / 4;
    return {
      agentId: index % 200 === 0 ? 'main' : `main_work${index % 200}`,
      number: Math.floor(index / 200) + 1,
      state: 'WORK.md',
      startedAt: at(from),
      endedAt: at(from + 100),
      attempts: index % 50 === 0 ? 2 : 1,
      end: { kind: 'transition' as const, transition: { kind: 'goto' as const, target: 'WORK.md' } },
      costUsd: 0.001,
      durationMs: 100_000,
      warnings: [],
    };
  }),
};

/** 700 runs, as the API gives them: at most 500 at once. */
function listed(asked: URLSearchParams): Runs {
  const [from, limit] = [Number(asked.get('cursor') ?? 0), Number(asked.get('limit'))];
  if (limit > 500) throw new RangeError('no more than 500 at once');
  const numbers = Array.from({ length: Math.min(limit, 700 - from) }, (_one, index) => from + index);
  const runs = numbers.map((number) => {
    return { runId: `run-${number}`, status: 'completed', open: false, startedAt: at(-number) } as const;
  });
  return { runs, ...(from + runs.length < 700 ? { next: String(from + runs.length) } : {}) };
}

/** So many of them, by repeating these under other names. */
function many<Item extends { readonly id: string } | { readonly agentId: string; readonly number: number }>(
  items: readonly Item[],
  count: number,
): readonly Item[] {
  return Array.from({ length: count }, (_one, index) => {
    const item = items[index % items.length] as Item;
    const round = Math.floor(index / items.length);
    if (round === 0) return item;
    return 'id' in item
      ? { ...item, id: `main_more${index}`, status: 'running' }
      : { ...item, number: item.number + 10 * round };
  });
}

const MANY_AGENTS = many(RUN.agents, 1000);
const MANY_TURNS = many(TURNS.turns, 20_000);

let origin: string;
let page: Page;
let errors: readonly string[];
beforeAll(async () => {
  const tab = await openTab(await openContext(await openBrowser()));
  ({ page, errors } = tab);
  origin = await served({
    '/api/session': () => SESSION,
    '/api/inbox': () => ({ asks: [] }),
    '/api/runs': listed,
    '/api/runs/crowd-1': () => RUN,
    '/api/runs/crowd-1/turns': (asked) => turnsOf(TURNS.turns, asked),
    '/api/runs/crowd-2': () => ({ ...RUN, runId: 'crowd-2', agents: MANY_AGENTS }),
    '/api/runs/crowd-2/turns': (asked) => turnsOf(MANY_TURNS, asked),
  });
});

/** A page of turns, as the API gives it. */
function turnsOf(all: Turns['turns'], asked: URLSearchParams): Turns {
  const from = Number((asked.get('after') ?? '0').split('-')[0]);
  const turns = all.slice(from, from + Number(asked.get('limit') ?? all.length));
  return { turns, next: `${from + turns.length}-0` };
}

/** Serves the built page and these answers by their paths; returns the origin. */
async function served(answers: Readonly<Record<string, (asked: URLSearchParams) => unknown>>): Promise<string> {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
    const send = (status: number, type: string, body: string | Buffer): void =>
      void response.writeHead(status, { ...SAFE_HEADERS, 'content-type': type }).end(body);
    const answer = answers[pathname];
    if (pathname === '/api/events') return void streams.add(response.writeHead(200, STREAM)).forEach(greet);
    if (answer !== undefined) return send(200, 'application/json', JSON.stringify(answer(searchParams)));
    if (pathname.startsWith('/api/'))
      return send(404, 'application/json', JSON.stringify({ type: '/problems/NoSuchTurn', detail: 'not here' }));
    const path = pathname === '/' ? '/index.html' : pathname;
    void readFile(join(built, path)).then((body) => send(200, TYPES[extname(path)] ?? 'text/plain', body));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  beforeRemoval(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The event streams that were opened. */
const streams = new Set<ServerResponse>();

function greet(stream: ServerResponse): void {
  stream.write(': \n\n');
}

/** Sends events about turns of all agents, at this rate, until the returned function is called. */
function sendEvents(perSecond: number): () => void {
  let sent = 0;
  const timer = setInterval(() => {
    const { id: agentId = 'main', state = '' } = MANY_AGENTS[sent++ % MANY_AGENTS.length] ?? {};
    const event = { type: 'turn.ended', runId: 'crowd-2', agentId, state, turn: 11, attempt: 1, how: 'transition' };
    const data = JSON.stringify({ ...event, at: at(2001), costUsd: 0.001, durationMs: 1000 });
    for (const stream of streams) stream.write(`event: turn.ended\ndata: ${data}\n\n`);
  }, 1000 / perSecond);
  return () => clearInterval(timer);
}

const STREAM = { 'content-type': 'text/event-stream' };
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
};

test('weighs at most 90 KB, packed, in all', async () => {
  const names = (await readdir(built, { recursive: true })).filter((name) => /\.(?:html|js|css|svg)$/.test(name));
  const sizes = await Promise.all(names.map(async (name) => gzipSync(await readFile(join(built, name))).length));
  expect(names.length).toBeGreaterThan(3);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(90_000);
});

test('has nothing inline, which its policy would forbid', async () => {
  const html = await readFile(join(built, 'index.html'), 'utf8');
  expect(html).not.toMatch(/<style|style=|<script(?![^>]*\bsrc=)|\son\w+=/);
});

describe('200 agents', () => {
  test('are a table in which one is found, and the failed one is reported above it', async () => {
    await page.goto(`${origin}/#/runs/crowd-1`);
    await page.getByText('1 agent failed').waitFor();
    await page.getByLabel('Find agents').fill('work199');
    await page.getByText('1 agent', { exact: true }).waitFor();
    expect(await page.locator('.agents tbody tr').count()).toBe(1);
    await page.getByLabel('Find agents').fill('');
    await expectAccessible(page);
  });

  test('with words of 60 letters fit on a phone', async () => {
    await page.setViewportSize({ width: 320, height: 640 });
    await expectFitting(page);
    await page.setViewportSize({ width: 1280, height: 800 });
  });
});

test('700 runs are listed to the last one', async () => {
  await page.goto(`${origin}/#/runs`);
  for (let shown = 50; shown < 700; shown = Math.min(shown + 200, 700)) {
    await until(async () => (await page.locator('main tbody tr').count()) === shown, { what: `${shown} runs` });
    await page.getByRole('button', { name: 'Show older runs' }).click();
  }
  await page.getByRole('link', { name: 'run-699' }).waitFor();
  expect(await page.getByRole('button', { name: 'Show older runs' }).count()).toBe(0);
});

test('2,000 turns are drawn without an element for each; scrolling and looking closer draws again', async () => {
  await page.goto(`${origin}/#/runs/crowd-1?tab=timeline`);
  await page.getByText('2000 recorded turns').waitFor();
  const before = await drawn();
  expect(await page.evaluate('document.querySelectorAll("*").length')).toBeLessThan(1500);
  await page.evaluate('document.querySelector(".lanes").scrollTop = 3000');
  await redrawn(before);
  const scrolled = await drawn();
  await page.getByRole('button', { name: 'Zoom in' }).click();
  await redrawn(scrolled);
  await expectAccessible(page);
});

test('a click on a bar opens its turn', async () => {
  const box = await page.locator('.lanes').boundingBox();
  await page.getByRole('button', { name: 'Zoom out' }).click();
  await page.evaluate('document.querySelector(".lanes").scrollTop = 0');
  await page.mouse.click((box?.x ?? 0) + 170, (box?.y ?? 0) + 24 + 13);
  await page.getByRole('heading', { name: 'Turn 1' }).waitFor();
  expect(errors).toEqual([]);
});

test('1,000 agents and 20,000 turns open; how long that takes is printed', async () => {
  const figures: string[] = [];
  for (const [hash, content] of [
    ['#/runs/crowd-2', '.agents tbody tr'],
    ['#/runs/crowd-2?tab=timeline', 'canvas'],
  ] as const) {
    await page.goto('about:blank');
    await page.goto(`${origin}/${hash}`);
    await page.locator(content).first().waitFor();
    figures.push(`${hash}: first content after ${Math.round(await page.evaluate<number>('performance.now()'))} ms`);
  }
  process.stderr.write(`${figures.join('\n')}\n`);
  await page.getByText('20000 recorded turns').waitFor();
  expect(errors).toEqual([]);
});

test('1,000 agents with 20 events a second: how many frames are drawn, also while one scrolls, is printed', async () => {
  const figures: string[] = [];
  const stop = sendEvents(20);
  for (const [hash, content, scrolled] of [
    ['#/runs/crowd-2', '.agents tbody tr', 'document.scrollingElement'],
    ['#/runs/crowd-2?tab=timeline', 'canvas', 'document.querySelector(".lanes")'],
  ] as const) {
    await page.goto(`${origin}/${hash}`);
    await page.locator(content).first().waitFor();
    const { frames, longest, moved } = await page.evaluate<Frames>(`(${COUNT_FRAMES})(${scrolled})`);
    expect(moved).toBeGreaterThan(0);
    figures.push(`${hash}: ${(frames / 5).toFixed(1)} frames a second, the longest took ${Math.round(longest)} ms`);
  }
  stop();
  process.stderr.write(`${figures.join('\n')}\n`);
  expect(errors).toEqual([]);
});

interface Frames {
  readonly frames: number;
  /** The longest time between two frames, in ms. */
  readonly longest: number;
  /** How far it was scrolled, in pixels. */
  readonly moved: number;
}

/** Runs in the page: scrolls for five seconds, and counts the frames. */
const COUNT_FRAMES = `async (scrolled) => {
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  const start = await frame();
  let [last, frames, longest] = [start, 0, 0];
  while (last - start < 5000) {
    scrolled.scrollTop += 8;
    const now = await frame();
    [longest, last, frames] = [Math.max(longest, now - last), now, frames + 1];
  }
  return { frames, longest, moved: scrolled.scrollTop };
}`;

async function drawn(): Promise<string> {
  const picture = await page.evaluate<string>('document.querySelector("canvas").toDataURL()');
  expect(picture.length).toBeGreaterThan(5000);
  return picture;
}

async function redrawn(before: string): Promise<void> {
  await until(async () => (await drawn()) !== before, { what: 'another picture' });
}

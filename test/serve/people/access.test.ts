// Who is let in: pages elsewhere are not, whatever name they use; tokens may what their role says; and paths lead nowhere.
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from '@temporalio/client';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { ClientLink } from '../../../dist/client/connect.js';
import { allowedOrigins } from '../../../dist/serve/people/access.js';
import { createApp } from '../../../dist/serve/app.js';
import { NO_ENGINE } from '../../../dist/client/open.js';
import { Catalogue } from '../../../dist/serve/catalogue.js';
import { EventHub } from '../../../dist/serve/events/hub.js';
import { LiveOutput } from '../../../dist/serve/events/live-output.js';
import { readPage } from '../../../dist/serve/page.js';
import { ViewLinks } from '../../../dist/serve/people/links.js';
import { readTokens, Tokens } from '../../../dist/serve/people/tokens.js';
import { Uploads } from '../../../dist/serve/uploads.js';
import { FolderStore } from '../../../dist/store/folder.js';
import { folder } from '../../support/folder.js';

const TOKENS = { view: 'v'.repeat(32), answer: 'a'.repeat(32), operate: 'o'.repeat(32) };
const HOST = '127.0.0.1:8234';

type App = ReturnType<typeof createApp>;
let app: App;
let root: string;
beforeAll(async () => {
  root = await folder({
    'secret.txt': 'secret',
    'page/index.html': '<!doctype html><title>Raymond</title>',
    'page/assets/app-1a2b.js': 'console.log(1)',
    'flow/START.sh': 'echo "<result>x</result>"\n',
    tokens: `# people\nvera view ${TOKENS.view}\nanna answer ${TOKENS.answer}\noda operate ${TOKENS.operate}\n`,
  });
  await chmod(join(root, 'tokens'), 0o600);
  const project = { root, raymondDir: join(root, '.raymond'), config: {}, configFiles: [] };
  const artifacts = new FolderStore(join(root, '.raymond/artifacts'));
  // Nothing here comes to Temporal: what is let in is all that counts.
  const link = {
    client: new Client(),
    namespace: 'default',
    address: '',
    dataConverter: {},
    close: () => Promise.resolve(),
  };
  const raymond = {
    caller: { cwd: root, env: {} },
    project,
    link: link as ClientLink,
    artifacts,
    mode: { kind: 'local', taskQueue: 'none' } as const,
    engine: NO_ENGINE,
    close: link.close,
  };
  const hub = new EventHub();
  const uploads = new Uploads(join(root, '.raymond/serve/uploads'), artifacts);
  const serving = {
    raymond,
    catalogue: new Catalogue(project),
    hub,
    output: new LiveOutput(hub),
    uploads,
    links: new ViewLinks(join(root, 'links.json'), () => undefined),
    version: 'test',
  };
  app = createApp({
    serving,
    tokens: new Tokens(await readTokens(join(root, 'tokens'))),
    origins: allowedOrigins({ host: '127.0.0.1', port: 8234, named: ['https://raymond.example'] }),
    page: await readPage(join(root, 'page')),
    report: () => undefined,
    bodyMs: 1000,
  });
});

const ask = async (
  path: string,
  {
    method = 'GET',
    headers = {},
    body,
  }: { readonly method?: string; readonly headers?: Record<string, string>; readonly body?: string } = {},
): Promise<Response> =>
  await app.request(`http://${HOST}${path}`, { method, headers: { host: HOST, ...headers }, body: body ?? null }, {});
const bearer = (role: keyof typeof TOKENS): Record<string, string> => ({ authorization: `Bearer ${TOKENS[role]}` });
const json = { 'content-type': 'application/json' };

async function cookieOf(role: keyof typeof TOKENS): Promise<string> {
  const response = await ask('/api/session', { method: 'POST', headers: bearer(role) });
  expect(response.status).toBe(200);
  const cookie = response.headers.get('set-cookie') ?? '';
  expect(cookie).toMatch(/^raymond_8234=[\w-]+; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Strict$/);
  expect(cookie).not.toContain(TOKENS[role]);
  return cookie.replace(/;.*$/, '');
}

describe('without a token', () => {
  test.each(['/api/session', '/api/workflows', '/api/openapi.json', '/api/events', '/api/inbox'])(
    'nothing of %s is told',
    async (path) => {
      const response = await ask(path);
      expect(response.status).toBe(401);
      expect(response.headers.get('content-type')).toBe('application/problem+json');
      expect(response.headers.get('www-authenticate')).toBe('Bearer');
      expect(await response.json()).toMatchObject({ type: '/problems/Unauthorized', status: 401 });
    },
  );

  test.each([
    ['another token', { authorization: `Bearer ${'x'.repeat(32)}` }],
    ['a token as a cookie', { cookie: `raymond_8234=${TOKENS.operate}` }],
    ['another scheme', { authorization: `Basic ${TOKENS.operate}` }],
  ])('%s opens nothing', async (_what, headers) => {
    expect((await ask('/api/workflows', { headers })).status).toBe(401);
  });
});

describe('a request under another name', () => {
  test.each([
    'evil.example',
    'evil.example:8234',
    '127.0.0.1',
    '127.0.0.1:80',
    'localhost:9999',
    '127.0.0.1:8234.evil.example',
  ])('such as %s is refused, with a token, too', async (host) => {
    const response = await ask('/api/workflows', { headers: { ...bearer('operate'), host } });
    expect({ host, status: response.status }).toEqual({ host, status: 421 });
    expect((await ask('/', { headers: { host } })).status).toBe(421);
  });

  test.each(['127.0.0.1:8234', 'localhost:8234', '[::1]:8234', 'raymond.example', 'LOCALHOST:8234'])(
    'but %s is its own',
    async (host) => {
      expect((await ask('/api/workflows', { headers: { ...bearer('view'), host } })).status).toBe(200);
    },
  );
});

describe('a page elsewhere', () => {
  test.each([
    undefined,
    'null',
    'http://evil.example',
    'http://127.0.0.1:9999',
    'https://127.0.0.1:8234',
    'https://raymond.example',
  ])('whose origin is %s changes nothing with the cookie of a browser', async (origin) => {
    const headers = { ...json, cookie: await cookieOf('operate'), ...(origin === undefined ? {} : { origin }) };
    const response = await ask('/api/runs', { method: 'POST', headers, body: '{}' });
    expect({ origin, status: response.status }).toEqual({ origin, status: 403 });
    expect(await response.json()).toMatchObject({ type: '/problems/WrongOrigin' });
  });

  test('changes nothing with a token either; its own page does, with JSON that says so', async () => {
    const run = { method: 'POST', body: '{"workflow":"none"}' };
    const evil = { origin: 'http://evil.example' };
    expect((await ask('/api/runs', { ...run, headers: { ...json, ...bearer('operate'), ...evil } })).status).toBe(403);
    const own = { cookie: await cookieOf('operate'), origin: `http://${HOST}` };
    expect((await ask('/api/runs', { ...run, headers: { ...own, ...json } })).status).toBe(404);
    expect((await ask('/api/runs', { ...run, headers: { ...own, 'content-type': 'text/plain' } })).status).toBe(415);
  });

  test('hears nothing from elsewhere: no answer allows it to read', async () => {
    const response = await ask('/api/workflows', { headers: { ...bearer('view'), origin: 'http://evil.example' } });
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
    const asked = await ask('/api/runs', { method: 'OPTIONS', headers: { origin: 'http://evil.example' } });
    expect(asked.headers.get('access-control-allow-origin')).toBeNull();
  });
});

describe('a role', () => {
  test.each([
    ['view', 'POST /api/runs', 403],
    ['view', 'POST /api/runs/r/asks/ask_main_1', 403],
    ['view', 'PUT /api/runs/r/asks/ask_main_1/files/x', 403],
    ['answer', 'POST /api/runs/r/cancel', 403],
    ['answer', 'PUT /api/runs/r/budget', 403],
    ['operate', 'POST /api/runs', 422],
  ] as const)('%s that calls %s gets %d', async (role, called, status) => {
    const [method = '', path = ''] = called.split(' ');
    expect((await ask(path, { method, headers: { ...bearer(role), ...json }, body: '{}' })).status).toBe(status);
  });

  test('is shown with the name to whom the token belongs, by token and by cookie', async () => {
    const told = { by: 'anna', role: 'answer' };
    expect(await (await ask('/api/session', { headers: bearer('answer') })).json()).toMatchObject(told);
    const cookie = await cookieOf('answer');
    expect(await (await ask('/api/session', { headers: { cookie } })).json()).toMatchObject(told);
    const gone = await ask('/api/session', { method: 'DELETE', headers: { cookie, origin: `http://${HOST}` } });
    expect(gone.headers.get('set-cookie')).toContain('Max-Age=0');
  });
});

describe('what is served', () => {
  test.each(['/', '/runs/some-run', '/api/workflows', '/api/none', '/assets/app-1a2b.js'])(
    'at %s is safe by its headers',
    async (path) => {
      const { headers } = await ask(path, { headers: bearer('view') });
      expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'/);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('x-frame-options')).toBe('DENY');
    },
  );

  test('is the page at every address that is none of its files', async () => {
    expect(await (await ask('/runs/some-run?tab=turns')).text()).toContain('<title>Raymond</title>');
    const asset = await ask('/assets/app-1a2b.js');
    expect(asset.headers.get('cache-control')).toContain('immutable');
    expect((await ask('/assets/none.js')).status).toBe(404);
  });

  test.each([
    '/../secret.txt',
    '/..%2fsecret.txt',
    '/%2e%2e/secret.txt',
    '/assets/..%5c..%5csecret.txt',
    '/assets//../../secret.txt',
    '/secret.txt',
  ])('does not leave the page by %s', async (path) => {
    expect(await (await ask(path)).text()).not.toContain('secret');
  });

  test.each(['..%2Fflow', '%2Fetc', '..~flow', '%00'])('is no workflow by the id %s', async (id) => {
    expect((await ask(`/api/workflows/${id}`, { headers: bearer('view') })).status).toBe(404);
  });

  test('is refused with a word on what is wrong with the body', async () => {
    const post = async (body: string): Promise<unknown> =>
      await (await ask('/api/runs', { method: 'POST', headers: { ...bearer('operate'), ...json }, body })).json();
    expect(await post('{')).toMatchObject({ status: 422, detail: 'the body is not JSON' });
    expect(await post('{"workflow":"flow","budgit":1}')).toMatchObject({ detail: expect.stringContaining('budgit') });
    expect(await post('{"workflow":"flow","budget":-1}')).toMatchObject({ detail: expect.stringContaining('budget') });
    expect(await post('{"workflow":"flow","cwd":"../.."}')).toMatchObject({
      detail: expect.stringContaining('not in the project'),
    });
    expect(await post(`{"workflow":"${'x'.repeat(17 * 2 ** 20)}"}`)).toMatchObject({ status: 413 });
  });
});

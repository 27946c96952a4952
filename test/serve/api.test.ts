// A run from its start to its end over HTTP alone: started, watched, asked, answered with a file, steered and forked; and a server that ends and
// begins again in between.
import { createHash } from 'node:crypto';
import { rm, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Api } from '../support/api.js';
import { Place } from '../support/cli.js';
import { until } from '../support/until.js';

const SAY = 'echo "<result>$RAYMOND_INPUT</result>"\n';

let place: Place;
let api: Api;
beforeAll(async () => {
  place = await Place.at({
    'flows/asks/workflow.yaml':
      'id: asks\nname: Asking\ndescription: Asks once.\ninput:\n  mode: required\n  label: Topic\n',
    'flows/asks/START.sh': [
      'echo "<b>shown</b>" > page.html',
      'echo "about $RAYMOND_INPUT"',
      'echo \'<ask next="SAY" upload_slots="report:text/plain" display_files="page.html">Which **colour**?</ask>\'',
      '',
    ].join('\n'),
    'flows/asks/SAY.sh':
      'echo "<result>$RAYMOND_INPUT and $(cat "$RAYMOND_TASK_FOLDER/asks/$RAYMOND_ASK_ID/report")${SHADE:+ in $SHADE}</result>"\n',
    'flows/steps/START.sh': 'echo one\necho "<goto input=\'two\'>NEXT</goto>"\n',
    'flows/steps/NEXT.sh': SAY,
    'flows/long/START.sh':
      'echo begun > begun\necho heard\nwhile [ ! -f go ]; do sleep 0.05; done\necho "<result>gone</result>"\n',
    'flows/loud/START.sh': 'seq 20000\necho "<goto>NEXT</goto>"\n',
    'flows/loud/NEXT.sh': 'echo quiet\necho "<result>heard</result>"\n',
    'flows/chain/START.sh': 'echo "<goto>QUICK</goto>"\n',
    'flows/chain/QUICK.sh': 'echo quick\necho "<goto>SLOW</goto>"\n',
    'flows/chain/SLOW.sh': 'while [ ! -f chained ]; do sleep 0.05; done\necho "<result>slow</result>"\n',
    'broken/START.md': '---\nmodel: [\n---\nSay.\n',
  });
  api = await Api.open(place.cwd);
});
afterAll(() => api.close());

const begin = async (workflow: string, more: object = {}): Promise<string> => {
  const { status, body } = await api.post('/runs', { workflow, ...more });
  expect({ status, body }).toMatchObject({ status: 201 });
  return (body as { readonly runId: string }).runId;
};
const ended = async (runId: string): Promise<unknown> =>
  await until(async () => {
    const run = await api.get('run', `/runs/${runId}`);
    return run.open ? undefined : run;
  });

describe('workflows', () => {
  test('are those of the project with their manifests; one that cannot be read says why', async () => {
    const { workflows } = await api.get('workflows', '/workflows');
    expect(workflows.map(({ id }) => id)).toEqual([
      'broken',
      'flows~asks',
      'flows~chain',
      'flows~long',
      'flows~loud',
      'flows~steps',
    ]);
    expect(workflows[1]).toEqual({
      id: 'flows~asks',
      path: 'flows/asks',
      kind: 'directory',
      defaultBudgetUsd: 10,
      name: 'Asking',
      description: 'Asks once.',
      input: { mode: 'required', label: 'Topic' },
      asks: true,
    });
    await place.write('late/START.sh', SAY);
    expect((await api.get('workflows', '/workflows?rescan=true')).workflows.map(({ id }) => id)).toContain('late');
    expect(await api.call('GET', '/workflows/flows~steps')).toMatchObject({
      body: {
        entry: 'START.sh',
        states: [
          { file: 'NEXT.sh', kind: 'script' },
          { file: 'START.sh', kind: 'script' },
        ],
      },
    });
    expect(await api.call('GET', '/workflows/none')).toMatchObject({
      status: 404,
      body: { type: '/problems/NoSuchWorkflow' },
    });
  });

  test('are drawn as pictures in which nothing runs, and linted', async () => {
    const { status, headers, body } = await api.call('GET', '/workflows/flows~steps/diagram.svg');
    expect({ status, type: headers.get('content-type') }).toEqual({ status: 200, type: 'image/svg+xml' });
    expect(headers.get('content-security-policy')).toContain('sandbox');
    expect(body).toContain('NEXT');
    expect(await api.call('GET', '/workflows/broken/lint')).toMatchObject({ body: { errors: 1 } });
  });
});

describe('a run', () => {
  test('is started once however often the same call comes, and says with its turns what it did', async () => {
    const headers = { 'idempotency-key': 'twice' };
    const body = { workflow: 'flows~steps' };
    expect(await api.call('POST', '/runs', { body, headers })).toMatchObject({ status: 201, body: { runId: 'twice' } });
    expect(await api.call('POST', '/runs', { body, headers })).toMatchObject({ status: 201, body: { runId: 'twice' } });
    for (const other of [{ ...body, input: 'x' }, { ...body, budget: 1 }, { workflow: 'late' }])
      expect(await api.call('POST', '/runs', { body: other, headers })).toMatchObject({
        status: 409,
        body: { type: '/problems/RunExists' },
      });
    expect(await ended('twice')).toMatchObject({ status: 'completed', result: 'two', workflowId: 'flows~steps' });
    const { turns, next } = await api.get('turns', '/runs/twice/turns?agent=main');
    expect(turns.map(({ state }) => state)).toEqual(['START.sh', 'NEXT.sh']);
    const one = await api.get('turns', '/runs/twice/turns?limit=1');
    expect(one.turns).toHaveLength(1);
    const rest = await api.get('turns', `/runs/twice/turns?after=${one.next}`);
    expect(rest.turns.map(({ state }) => state)).toEqual(['NEXT.sh']);
    expect(next).toMatch(/^\d+-0$/);
    expect(await api.get('turnDetail', '/runs/twice/agents/main/turns/2')).toMatchObject({
      input: 'two',
      via: 'goto',
      kind: 'script',
    });
    expect(await api.get('output', '/runs/twice/agents/main/turns/1/output')).toMatchObject({ done: true });
    expect((await api.call('GET', '/runs/twice/diagram.svg')).status).toBe(200);
    expect(await api.post('/runs', { ...body, id: 'twice' })).toMatchObject({
      status: 409,
      body: { type: '/problems/RunExists' },
    });
  });

  test('shows all its output, and of what cannot be read the reason', async () => {
    const runId = await begin('flows~loud');
    expect(await ended(runId)).toMatchObject({ result: 'heard' });
    const shown = async (): Promise<readonly string[]> =>
      (await api.get('outputs', `/runs/${runId}/output`)).turns.map(({ text }) => text);
    expect(await shown()).toEqual([expect.stringMatching(/19999\n20000\n/), expect.stringContaining('quiet')]);
    const { text: whole } = await api.get('output', `/runs/${runId}/agents/main/turns/1/output`);
    const sha256 = createHash('sha256').update(whole).digest('hex');
    const file = join(place.cwd, '.raymond/artifacts', sha256.slice(0, 2), sha256);
    await truncate(file, 100);
    const damaged = `(cannot be read: ${file} is damaged: its SHA-256 is not ${sha256};`;
    expect(await shown()).toEqual([expect.stringContaining(damaged), expect.stringContaining('quiet')]);
    await rm(file);
    const missing = `(cannot be read: the artifact ${sha256} is not at ${file};`;
    expect(await shown()).toEqual([expect.stringContaining(missing), expect.stringContaining('quiet')]);
  });

  test('asks, is answered once with a file, and keeps who did it', async () => {
    expect(await api.post('/runs', { workflow: 'flows~asks' })).toMatchObject({ status: 422 });
    const runId = await begin('flows~asks', { input: 'paint' });
    const ask = await until(async () => (await api.get('inbox', '/inbox')).asks.find((one) => one.runId === runId));
    expect(ask).toMatchObject({ askId: 'ask_main_1', workflow: 'asks', prompt: 'Which **colour**?', sent: [] });
    expect(ask.files).toMatchObject([{ name: 'page.html' }]);
    const at = `/runs/${runId}/asks/ask_main_1`;
    const shown = await api.call('GET', `${at}/files/page.html`);
    expect(shown.body).toBe('<b>shown</b>\n');
    expect(shown.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(shown.headers.get('content-disposition')).toContain('attachment');
    expect(await api.call('GET', `${at}/files/..%2F..%2FSTART.sh`)).toMatchObject({ status: 404 });
    const put = async (name: string, text: string): Promise<number> =>
      (await api.call('PUT', `${at}/files/${name}`, { body: new TextEncoder().encode(text) })).status;
    expect(await put('other', 'x')).toBe(422);
    expect(await api.call('PUT', `${at}/files/shown`, { body: new Uint8Array() })).toMatchObject({
      status: 422,
      body: { detail: expect.stringContaining('"shown" is reserved for the files that a question shows') },
    });
    expect(await put('report', 'x'.repeat(11 * 2 ** 20))).toBe(413);
    expect(await api.post(at, { text: 'blue' })).toMatchObject({
      status: 422,
      body: { type: '/problems/AnswerRefused' },
    });
    expect(await put('report', 'fine')).toBe(200);
    const both = await Promise.all([api.post(at, { text: 'blue' }), api.post(at, { text: 'red' })]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(await ended(runId)).toMatchObject({ status: 'completed' });
    expect(await api.post(at, { text: 'green' })).toMatchObject({ status: 409 });
    expect((await api.get('orders', `/runs/${runId}/orders`)).orders).toMatchObject([
      { kind: 'answer', askId: 'ask_main_1' },
    ]);
  });

  test('is answered with its files in one request, and deleted when it has ended', async () => {
    const runId = await begin('flows~asks', { input: 'form', environment: { SHADE: 'dark' } });
    const at = `/runs/${runId}/asks/ask_main_1`;
    await until(async () => (await api.get('inbox', '/inbox')).asks.find((one) => one.runId === runId));
    expect(await api.call('DELETE', `/runs/${runId}`)).toMatchObject({
      status: 409,
      body: { type: '/problems/RunOpen' },
    });
    const form = (files: Readonly<Record<string, string>>): FormData => {
      const made = new FormData();
      made.append('text', 'blue');
      for (const [name, text] of Object.entries(files)) made.append(name, new Blob([text]), `${name}.txt`);
      return made;
    };
    expect(await api.call('POST', at, { body: form({ other: 'x' }) })).toMatchObject({ status: 422 });
    const origin = { origin: 'https://else.example' };
    expect(await api.call('POST', at, { body: form({ report: 'x' }), headers: origin })).toMatchObject({ status: 403 });
    expect(await api.call('POST', at, { body: form({ report: 'fine' }) })).toMatchObject({ status: 200 });
    expect(await ended(runId)).toMatchObject({ result: 'blue and fine in dark' });
    expect(await api.call('DELETE', `/runs/${runId}`)).toMatchObject({ status: 204 });
    // At once, although Temporal deletes in the background.
    expect(await api.call('GET', `/runs/${runId}`)).toMatchObject({ status: 404 });
    expect((await api.get('runs', '/runs?limit=500')).runs.map((run) => run.runId)).not.toContain(runId);
    expect((await place.raymond(['list'])).stdout).not.toContain(runId);
    expect((await place.raymond(['status', runId])).stderr).toContain(`there is no run ${runId}`);
    expect(await api.call('DELETE', `/runs/${runId}`)).toMatchObject({ status: 404 });
  });

  test('has no variables that are Raymond’s own', async () => {
    const environment = { RAYMOND_TURN_ID: 'x' };
    expect(await api.post('/runs', { workflow: 'flows~steps', environment })).toMatchObject({ status: 422 });
  });

  test('shows what a turn prints while it runs, continues after the server has started again, and is steered and forked', async () => {
    const runId = await begin('flows~long', { id: 'long' });
    await place.made('begun');
    const output = `/runs/${runId}/agents/main/turns/1/output`;
    await until(async () => (await api.call('GET', output)).status === 200);
    expect(await until(async () => (await api.get('output', output)).text)).toBe('heard\n');
    expect((await place.raymond(['resume', runId])).stderr).toBe('nothing to resume in long: no agent is paused');
    const { token, origin } = api.server;
    await api.close();
    api = await Api.open(place.cwd, { port: Number(new URL(origin ?? '').port) });
    expect(api.server.token).toBe(token);
    await place.write('go');
    expect(await ended(runId)).toMatchObject({ status: 'completed', result: 'gone' });
    const fork = await api.post(`/runs/${runId}/forks`, { at: 1, id: 'again' });
    expect(fork).toMatchObject({ status: 201, body: { runId: 'again' } });
    expect(await ended('again')).toMatchObject({ result: 'gone', forkedFrom: { runId, agentId: 'main', turn: 1 } });
  });

  test('shows each turn of a chain of scripts while a later one runs: on the page, in history and in logs -f', async () => {
    const runId = await begin('flows~chain');
    const following = place.begin(['logs', runId, '-f']);
    let logged = '';
    following.stdout?.on('data', (chunk: Buffer | string) => (logged += String(chunk)));
    const states = async (): Promise<readonly string[]> =>
      (await api.get('turns', `/runs/${runId}/turns`)).turns.map(({ state }) => state);
    await until(async () => (await states()).length === 2, { what: 'the turn within the chain' });
    expect((await api.get('outputs', `/runs/${runId}/output`)).turns.map(({ text }) => text)).toEqual([
      '<goto>QUICK</goto>\n',
      'quick\n<goto>SLOW</goto>\n',
    ]);
    expect((await place.raymond(['history', runId])).stdout).toMatch(/ QUICK\.sh .* SLOW\.sh \(goto\)/);
    await until(() => logged.includes('main QUICK.sh | quick'), { what: 'the line of the turn within the chain' });
    await place.write('chained');
    expect(String((await following).stdout).split('\n')).toEqual([
      'main START.sh | <goto>QUICK</goto>',
      'main QUICK.sh | quick',
      'main QUICK.sh | <goto>SLOW</goto>',
      'main SLOW.sh | <result>slow</result>',
    ]);
    expect(await states()).toEqual(['START.sh', 'QUICK.sh', 'SLOW.sh']);
  });

  test('pauses, continues and is cancelled in the name of the user who asks; runs that others start are executed, too', async () => {
    await place.raymond(['start', 'flows/asks', '--id', 'left', '--input', 'x', '--on-ask', 'exit', '--quiet']);
    expect(await api.post('/runs/left/pause')).toMatchObject({ status: 200, body: { runId: 'left' } });
    expect(await api.post('/runs/left/resume')).toMatchObject({ status: 200 });
    expect((await api.get('run', '/runs/left')).served).toBe(true);
    expect(await api.call('PUT', '/runs/left/budget', { body: { budget: 3 } })).toMatchObject({ status: 200 });
    expect(await api.post('/runs/left/cancel')).toMatchObject({ status: 200 });
    expect(await ended('left')).toMatchObject({ status: 'cancelled', budgetUsd: 3 });
    const { orders } = await api.get('orders', '/runs/left/orders');
    expect(orders.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['pause', 'resume', 'budget', 'cancel']));
    expect(await api.post('/runs/left/resume')).toMatchObject({ status: 200 });
    await until(async () => (await api.get('run', '/runs/left')).status === 'asking');
    expect(await api.post('/runs/left/agents/main/goto', { state: 'SAY' })).toMatchObject({ status: 200 });
    expect(await ended('left')).toMatchObject({ status: 'completed' });
  });

  test('is found in the list by its status and its name, page by page', async () => {
    const all = await api.found('limit=500');
    const ids: string[] = [];
    let page = await api.get('runs', '/runs?limit=2');
    for (; page.next !== undefined; page = await api.get('runs', `/runs?limit=2&cursor=${page.next}`)) {
      expect(page.runs).toHaveLength(2);
      ids.push(...page.runs.map(({ runId }) => runId));
    }
    ids.push(...page.runs.map(({ runId }) => runId));
    expect(ids.length).toBeGreaterThan(4);
    expect(ids).toEqual(all);
    const [newest] = (await api.get('runs', '/runs?limit=1')).runs;
    expect([await api.found('q=TWI'), await api.found('status=completed&q=left')]).toEqual([['twice'], ['left']]);
    expect(await api.found(`since=${encodeURIComponent(newest?.startedAt ?? '')}`)).toEqual([newest?.runId]);
    expect(await api.call('GET', '/runs?status=odd')).toMatchObject({ status: 422 });
    expect(await api.call('GET', '/runs/none')).toMatchObject({ status: 404, body: { type: '/problems/RunNotFound' } });
  });

  test('is hidden from the list once it is archived, and shown again', async () => {
    const archive = async (archived: boolean): Promise<number> =>
      (await api.call('PUT', '/runs/twice/archive', { body: { archived } })).status;
    expect(await archive(true)).toBe(200);
    expect([await api.found('q=twice'), await api.found('q=twice&archived=true')]).toEqual([[], ['twice']]);
    expect(await archive(false)).toBe(200);
    expect([await api.found('q=twice'), await api.found('q=twice&archived=true')]).toEqual([['twice'], []]);
  });

  test('counts in the figures of its workflow and of the day; its forks are listed; nothing of it failed', async () => {
    expect(await api.call('GET', '/workflows/flows~steps/statistics')).toMatchObject({
      body: { runs: 1, completed: 1, failed: 0, medianCostUsd: 0, medianMs: expect.any(Number) },
    });
    const all = (await api.get('runs', '/runs?limit=500')).runs.length;
    const spending = { body: { runs: all, costUsd: 0 } };
    expect(await api.call('GET', '/spending?since=2020-01-01T00:00:00Z')).toMatchObject(spending);
    expect(await api.call('GET', '/spending')).toMatchObject({ status: 422 });
    expect([await api.found('q=twice&minCostUsd=0'), await api.found('minCostUsd=0.01')]).toEqual([['twice'], []]);
    const forks = await api.get('runs', '/runs?forkOf=long');
    expect(forks.runs.map(({ runId }) => runId)).toEqual(['again']);
    const refused = { status: 409, body: { type: '/problems/NotResumable' } };
    expect(await api.post('/runs/twice/retry')).toMatchObject(refused);
  });
});

describe('links, schedules and hosts', () => {
  test('a link opens the API to look, until it is revoked', async () => {
    const made = await api.post('/links', { name: 'team', hours: 2 });
    expect(made).toMatchObject({ status: 201, body: { link: { name: 'team' } } });
    const { link, token } = made.body as { readonly link: { readonly id: string }; readonly token: string };
    const status = async (method: string, path: string): Promise<number> =>
      (await api.call(method, path, { token, ...(method === 'GET' ? {} : { body: {} }) })).status;
    expect([
      await status('GET', '/runs'),
      await status('POST', '/runs/twice/pause'),
      await status('GET', '/links'),
    ]).toEqual([200, 403, 403]);
    expect(await api.call('GET', '/links')).toMatchObject({ body: { links: [{ id: link.id, name: 'team' }] } });
    expect(await api.call('DELETE', `/links/${link.id}`)).toMatchObject({ status: 204 });
    expect(await status('GET', '/runs')).toBe(401);
    expect(await api.call('DELETE', `/links/${link.id}`)).toMatchObject({ status: 404 });
    expect(await api.post('/links', { name: ' ', hours: 2 })).toMatchObject({ status: 422 });
  });

  test('a schedule is paused, resumed and triggered; without a cluster there are no hosts', async () => {
    const { exitCode } = await place.raymond(['schedule', 'create', 'nightly', 'flows/steps', '--cron', '0 2 * * *']);
    expect(exitCode).toBe(0);
    const read = async (): Promise<unknown> => (await api.call('GET', '/schedules')).body;
    await until(async () => ((await read()) as { readonly schedules: readonly unknown[] }).schedules.length === 1);
    expect(await api.post('/schedules/nightly/pause')).toMatchObject({ status: 200, body: { name: 'nightly' } });
    expect(await read()).toMatchObject({ schedules: [{ paused: true, note: expect.stringMatching(/^paused by /) }] });
    expect(await api.post('/schedules/nightly/resume')).toMatchObject({ status: 200 });
    const triggered = await api.post('/schedules/nightly/trigger');
    expect(triggered).toMatchObject({ status: 200, body: { runId: expect.stringMatching(/^nightly-/) } });
    expect(await ended((triggered.body as { readonly runId: string }).runId)).toMatchObject({ status: 'completed' });
    expect(await api.post('/schedules/none/pause')).toMatchObject({ status: 404 });
    expect(await api.call('GET', '/hosts')).toMatchObject({ status: 422 });
  });
});

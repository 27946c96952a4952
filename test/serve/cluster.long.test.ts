// The API where others do the work: runs of a fleet are started, heard, answered, steered and read from a desk that does no turn itself; with a
// bucket as the store, all that it reads of them comes from there.
import { afterEach, expect, test } from '@jest/globals';
import { Api } from '../support/api.js';
import { Apart, HostWorker } from '../support/apart.js';
import { fakeWith } from '../support/fakes.js';
import { Fleet } from '../support/fleet.js';
import { until } from '../support/until.js';
import { describeOnBucket } from '../support/versitygw.js';

const STORY = {
  'story/1_START.md': 'Begin the story.\n',
  'story/WHO.sh': `echo '<ask next="READ" upload_slots="notes:text/plain" display_files="cast.txt">Who is in it?</ask>'\n`,
  'story/READ.sh': 'echo "<result>$(cat "$RAYMOND_TASK_FOLDER/asks/$RAYMOND_ASK_ID/notes") is in it</result>"\n',
};
const LONG = 'once upon a time '.repeat(3000);

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

const ended = async (api: Api, runId: string): Promise<unknown> =>
  await until(async () => {
    const run = await api.get('run', `/runs/${runId}`);
    return run.open ? undefined : run;
  });
const asked = async (api: Api, runId: string): Promise<void> => {
  await until(async () => (await api.get('inbox', '/inbox')).asks.some((one) => one.runId === runId));
};

/** The types of the events of a run, as they come. */
async function heard(api: Api, runId: string): Promise<readonly string[]> {
  const types: string[] = [];
  const stop = new AbortController();
  closing.push(() => Promise.resolve(stop.abort()));
  const headers = { authorization: `Bearer ${api.server.token ?? ''}` };
  const { body } = await fetch(`${api.server.origin}/api/events?runs=${runId}`, { headers, signal: stop.signal });
  const read = async (): Promise<void> => {
    const decoder = new TextDecoder();
    for await (const chunk of body as unknown as AsyncIterable<Uint8Array>)
      types.push(...[...decoder.decode(chunk).matchAll(/^event: (.+)$/gm)].map(([, type = '']) => type));
  };
  read().catch(() => undefined); // it was closed
  return types;
}

test('runs of a fleet are started, heard, paused, moved, answered and cancelled', async () => {
  const fleet = await Fleet.open({});
  closing.push(() => fleet.close());
  await fleet.work();
  await fleet.desk.write('asks/START.sh', `echo printed\necho '<ask next="END">Which colour?</ask>'\n`);
  await fleet.desk.write('asks/END.sh', 'echo "<result>$RAYMOND_INPUT</result>"\n');
  const api = await Api.open(fleet.desk.cwd, { choice: { address: fleet.address, taskQueue: 'fleet' } });
  closing.push(() => api.close());
  const types = await heard(api, 'one');
  for (const id of ['one', 'two', 'three'])
    expect(await api.post('/runs', { workflow: 'asks', id })).toMatchObject({ status: 201, body: { runId: id } });
  await asked(api, 'one');
  await until(() => types.includes('turn.ended') && types.includes('ask'), {
    what: 'events of the turn and its question',
  });
  expect(await api.get('output', '/runs/one/agents/main/turns/1/output')).toMatchObject({
    text: expect.stringContaining('printed'),
    done: true,
  });
  const run = await api.get('run', '/runs/one');
  expect(run).toMatchObject({ status: 'asking', workflowId: 'asks' });
  expect(run.served).toBeUndefined();
  expect(await api.post('/runs/one/asks/ask_main_1', { text: 'blue' })).toMatchObject({ status: 200 });
  expect(await ended(api, 'one')).toMatchObject({ status: 'completed', result: 'blue' });
  await asked(api, 'two');
  expect(await api.post('/runs/two/pause')).toMatchObject({ status: 200 });
  expect(await api.post('/runs/two/resume')).toMatchObject({ status: 200 });
  expect(await api.post('/runs/two/agents/main/goto', { state: 'END', input: 'sent' })).toMatchObject({ status: 200 });
  expect(await ended(api, 'two')).toMatchObject({ status: 'completed', result: 'sent' });
  expect(await api.post('/runs/three/cancel')).toMatchObject({ status: 200 });
  expect(await ended(api, 'three')).toMatchObject({ status: 'cancelled' });
  expect(await api.post('/runs/three/resume')).toMatchObject({ status: 200 });
  await asked(api, 'three');
  expect(await api.post('/runs/one/forks', { after: 1, id: 'again' })).toMatchObject({ status: 201 });
  await asked(api, 'again');
  expect((await api.get('runs', '/runs')).runs.map(({ runId }) => runId).sort()).toEqual([
    'again',
    'one',
    'three',
    'two',
  ]);
}, 120_000);

describeOnBucket('with a bucket', () => {
  test('a run is started, its files go back and forth, and its turns are read, without a common disk', async () => {
    const fake = await fakeWith({
      text: `${LONG}<goto>WHO</goto>`,
      costUsd: 0.25,
      write: { path: 'cast.txt', text: 'a dragon' },
    });
    const apart = await Apart.open();
    const desk = await apart.host(STORY);
    const worker = await HostWorker.on(await apart.host({}, fake.env));
    closing.push(() => worker.end('SIGKILL'));
    const api = await Api.open(desk.cwd, { env: apart.bucket.env });
    closing.push(() => api.close());
    expect(await api.post('/runs', { workflow: 'story', id: 'story' })).toMatchObject({ status: 201 });
    await asked(api, 'story');
    const [ask] = (await api.get('inbox', '/inbox')).asks;
    expect(ask).toMatchObject({ prompt: 'Who is in it?', files: [{ name: 'cast.txt' }] });
    const notes = new TextEncoder().encode('a dragon');
    expect(await api.call('PUT', '/runs/story/asks/ask_main_1/files/notes', { body: notes })).toMatchObject({
      status: 409,
    });
    const at = '/runs/story/asks/ask_main_2';
    expect(await api.call('PUT', `${at}/files/notes`, { body: notes })).toMatchObject({ status: 200 });
    expect(await api.post(at, { text: 'see the notes' })).toMatchObject({ status: 200 });
    expect(await ended(api, 'story')).toMatchObject({
      status: 'completed',
      result: 'a dragon is in it',
      costUsd: 0.25,
    });
    const { turns } = await api.get('turns', '/runs/story/turns');
    expect(turns.map(({ state, tokens }) => [state, tokens?.input])).toEqual([
      ['1_START.md', 10],
      ['WHO.sh', undefined],
      ['READ.sh', undefined],
    ]);
    const turn = '/runs/story/agents/main/turns/1';
    expect((await api.get('output', `${turn}/output`)).text).toContain('once upon a time');
    expect((await api.call('GET', `${turn}/prompt`)).body).toMatchObject({
      text: expect.stringContaining('Begin the story.'),
    });
    expect(JSON.stringify((await api.call('GET', `${turn}/transcript`)).body)).toContain('once upon a time');
    expect((await api.call('GET', '/runs/story/diagram.svg')).body).toContain('data-file="WHO.sh"');
    expect((await api.call('GET', `${at}/files/cast.txt`)).status).toBe(200);
  }, 120_000);
});

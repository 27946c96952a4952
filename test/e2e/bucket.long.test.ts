// Runs of hosts that share nothing but a Temporal server and a bucket.
import { mkdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeAll, expect, test } from '@jest/globals';
import { Apart, EVERYWHERE, HostWorker, shows } from '../support/apart.js';
import type { Place } from '../support/cli.js';
import { flagOf } from '../support/fake-claude.js';
import { fakeWith } from '../support/fakes.js';
import { folder } from '../support/folder.js';
import { until } from '../support/until.js';
import { describeOnBucket } from '../support/versitygw.js';

const STORY = {
  'story/1_START.md': 'Begin the story.\n',
  'story/WHO.sh': `echo '<ask next="READ" upload_slots="notes:text/plain">Who is in it?</ask>'\n`,
  'story/READ.sh': 'echo "<goto input=\\"$(cat "$RAYMOND_TASK_FOLDER/asks/$RAYMOND_ASK_ID/notes")\\">GO_ON</goto>"\n',
  'story/GO_ON.md': 'Go on with {{input}}.\n',
};
const LONG = 'once upon a time '.repeat(3000);

let fleet: Apart;
let desk: Place;
const workers: HostWorker[] = [];
const begin = async (host: Place): Promise<HostWorker> => {
  const worker = await HostWorker.on(host);
  workers.push(worker);
  return worker;
};
afterEach(async () => {
  await fleet.bucket.start();
  await Promise.all(workers.splice(0).map((worker) => worker.end('SIGKILL')));
});

describeOnBucket('a fleet without a shared disk', () => {
  beforeAll(async () => {
    fleet = await Apart.open();
    desk = await fleet.host({ ...STORY, 'tell/START.md': 'Tell me.\n' });
  }, 60_000);
  const start = async (workflow: string, runId: string): Promise<void> => {
    const started = await desk.raymond(['start', workflow, '--id', runId, '--cwd', EVERYWHERE, '--detach', '--quiet']);
    expect(started).toMatchObject({ stdout: runId, exitCode: 0 });
  };

  test('a conversation continues on another host, with the file of an answer from a third one', async () => {
    const [one, two] = [
      await fakeWith({ match: 'Begin', text: `${LONG}<goto>WHO</goto>`, costUsd: 0.25 }),
      await fakeWith({ match: 'Go on', text: `<result>${LONG}the end</result>`, costUsd: 0.5 }),
    ];
    const first = await begin(await fleet.host({}, one.env));
    await start('story', 'story');
    // What is run is what was sent: nobody sees the folder any more.
    await rm(join(desk.cwd, 'story'), { recursive: true });
    await shows(desk, ['status', 'story'], /Who is in it/);
    await first.end();
    await begin(await fleet.host({}, two.env));
    const third = await fleet.host({ 'notes.txt': 'a dragon' });
    expect(await third.raymond(['answer', 'story', 'see the notes', '--file', 'notes=notes.txt'])).toMatchObject({
      exitCode: 0,
    });
    await shows(third, ['result', 'story'], /the end$/m);
    const [call] = await two.calls();
    expect(call?.prompt).toContain('Go on with a dragon');
    const conversation = await two.conversation(flagOf(call, '--session-id') ?? '');
    expect(conversation.join('\n')).toMatch(/Begin the story[^]*once upon a time[^]*Go on with a dragon/);
    expect((await third.raymond(['transcript', 'story', 'main'])).stdout).toMatch(/Begin the story[^]*the end/);
    expect((await third.raymond(['logs', 'story'])).stdout).toContain('once upon a time');
    expect((await third.raymond(['status', 'story'])).stdout).toContain('$0.75');
  }, 60_000);

  test('workflows that a state names come along; one that is not there is named with its host', async () => {
    await begin(await fleet.host());
    const from = await fleet.host({
      'flow/START.sh': 'echo "<call-workflow return=\\"BACK\\">../other/SAY</call-workflow>"\n',
      'flow/BACK.sh': 'where=gone; echo "<call-workflow return=\\"BACK\\">../$where/SAY</call-workflow>"\n',
      'other/SAY.sh': 'echo "<result>$(cat "$RAYMOND_STATE_DIR/words")</result>"\n',
      'other/words': 'said elsewhere',
    });
    const words = ['start', 'flow', '--id', 'along', '--cwd', EVERYWHERE];
    expect(await from.raymond([...words, '--detach', '--quiet'])).toMatchObject({ exitCode: 0 });
    await rm(join(from.cwd, 'flow'), { recursive: true });
    await rm(join(from.cwd, 'other'), { recursive: true });
    const shown = await shows(desk, ['status', 'along'], /was not uploaded/);
    expect(shown).toMatch(/gone(\/SAY)? was not uploaded with the run, so host \S+ does not have it/);
    expect((await desk.raymond(['history', 'along'])).stdout).toContain('said elsewhere');
  }, 60_000);

  test('with --live the folder stays where it is, and edits count', async () => {
    await begin(await fleet.host());
    const from = await fleet.host({
      'flow/START.sh': 'until [ -f "$RAYMOND_STATE_DIR/go" ]; do sleep 0.05; done; echo "<goto>END</goto>"\n',
    });
    await from.write('flow/END.sh', 'echo "<result>before</result>"\n');
    const words = ['start', 'flow', '--id', 'live', '--cwd', EVERYWHERE, '--detach', '--quiet', '--live'];
    expect(await from.raymond(words)).toMatchObject({ exitCode: 0 });
    await from.write('flow/END.sh', 'echo "<result>edited</result>"\n');
    await from.write('flow/go');
    await shows(desk, ['result', 'live'], /^edited$/m);
    expect(await from.raymond(['start', 'flow', '--live', '--pin'])).toMatchObject({
      exitCode: 64,
      stderr: expect.stringContaining('give --pin or --live, not both'),
    });
  }, 60_000);

  test('what a turn came to is kept when the store comes again, and the agent shows that it waits', async () => {
    const go = join(await folder(), 'go');
    const fake = await fakeWith({ text: `<result>${LONG}told</result>`, costUsd: 0.25, waitFor: go });
    await begin(await fleet.host({}, fake.env));
    await start('tell', 'told');
    await until(async () => (await fake.calls()).length === 1, { what: 'the prompt' });
    await fleet.bucket.kill();
    await writeFile(go, '');
    await shows(desk, ['status', 'told'], /waits for the store: host \S+ the store s3:\/\/raymond\/tests/);
    await fleet.bucket.start();
    await shows(desk, ['status', 'told'], /^told: completed/m);
    expect(await fake.calls()).toHaveLength(1);
    expect((await desk.raymond(['status', 'told'])).stdout).toContain('$0.25');
  }, 60_000);

  test('a turn that waits for the store can be cancelled, and its dollars are booked', async () => {
    const go = join(await folder(), 'go');
    const fake = await fakeWith({ text: `<result>${LONG}told</result>`, costUsd: 0.25, waitFor: go });
    await begin(await fleet.host({}, fake.env));
    await start('tell', 'cancelled');
    await until(async () => (await fake.calls()).length === 1, { what: 'the prompt' });
    await fleet.bucket.kill();
    await writeFile(go, '');
    await shows(desk, ['status', 'cancelled'], /waits for the store/);
    await desk.raymond(['cancel', 'cancelled']);
    await shows(desk, ['status', 'cancelled'], /cost \$0\.25/);
    await fleet.bucket.start();
    await shows(desk, ['status', 'cancelled'], /^cancelled: cancelled/m);
  }, 60_000);

  test('doctor tries the bucket, and says what is wrong with it', async () => {
    expect((await desk.raymond(['doctor'])).stdout).toMatch(
      /ok +artifacts +s3:\/\/raymond\/tests is writable and readable/,
    );
    const stranger = await fleet.host({}, { AWS_SECRET_ACCESS_KEY: 'wrong' });
    const { stdout, exitCode } = await stranger.raymond(['doctor']);
    expect(stdout).toMatch(
      /failed +artifacts +host \S+ the store s3:\/\/raymond\/tests .* rejects the request: SignatureDoesNotMatch/,
    );
    expect(exitCode).toBe(69);
  });

  test('gc removes from the bucket what no run needs, and only counts with --dry-run', async () => {
    const forgotten = join(fleet.bucket.dir, 'raymond', 'tests', 'cd', `cd${'0'.repeat(62)}`);
    await mkdir(dirname(forgotten), { recursive: true });
    await writeFile(forgotten, 'x');
    await utimes(forgotten, new Date(0), new Date(0));
    const gc = async (...more: readonly string[]): Promise<unknown> =>
      JSON.parse((await desk.raymond(['gc', '--json', ...more])).stdout);
    const gone = { artifacts: { files: 1, bytes: 1 }, chapters: { files: 0 } };
    expect(await gc('--dry-run')).toMatchObject(gone);
    expect(await readFile(forgotten, 'utf8')).toBe('x');
    expect(await gc()).toMatchObject(gone);
    await expect(readFile(forgotten)).rejects.toMatchObject({ code: 'ENOENT' });
    expect((await desk.raymond(['result', 'story'])).stdout).toContain('the end');
  });
});

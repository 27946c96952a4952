// The journal: what a process printed is on disk before it is reported, whichever process dies then.
import { expect, test } from '@jest/globals';
import { appendFileSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Journal } from '../../src/launcher/journal.js';
import { until } from '../support/until.js';
import { Kit, lives } from './kit.js';
import { TestWorker } from './test-worker.js';

const kit = new Kit();

let count = 0;
const newPath = (): string => join(kit.folder, `journals-${++count}`, 'deep', 'journal');
const linesOf = (path: string): string[] => readFileSync(path, 'utf8').split('\n').slice(0, -1);

const RESULT = '{"type":"result","total_cost_usd":0.5}';

test('what a process prints is in its journal when it is forwarded, and only its owner can read it', async () => {
  const journal = newPath();
  const seen: boolean[] = [];
  const script = `printf '%s' '${RESULT.slice(0, 9)}'; sleep 0.05; printf '%s\\n' '${RESULT.slice(9)}'; sleep 0.05; echo more`;
  let text = '';
  const running = kit.launcher.run(kit.bash(script, { journal }), (_stream, chunk) => {
    text += chunk.toString();
    seen.push(readFileSync(journal, 'utf8').startsWith(text));
  });
  expect(await running.ended).toMatchObject({ kind: 'exited', code: 0 });
  expect(seen.length).toBeGreaterThan(1);
  expect(seen).not.toContain(false);
  expect(text).toBe(`${RESULT}\nmore\n`);
  expect(linesOf(journal)).toEqual([RESULT, 'more']);
  expect(statSync(journal).mode & 0o777).toBe(0o600);
  expect(statSync(join(journal, '..')).mode & 0o777).toBe(0o700);
});

test('20 MB come through a journal whole and in order', async () => {
  const { process, stdout } = kit.play(kit.bash('seq 2500000', { journal: newPath() }));
  expect(await process.ended).toMatchObject({ kind: 'exited', code: 0 });
  const lines = stdout().split('\n');
  expect([lines.length, lines[0], lines.at(-2)]).toEqual([2_500_001, '1', '2500000']);
});

test('stderr does not go into the journal', async () => {
  const journal = newPath();
  const { process, stderr } = kit.play(kit.bash('echo out; echo err >&2', { journal }));
  await process.ended;
  expect([linesOf(journal), stderr()]).toEqual([['out'], 'err\n']);
});

test('what was in the file before is not read again', async () => {
  const path = join(kit.folder, 'before');
  writeFileSync(path, 'old\n');
  const journal = new Journal(path);
  const chunks: string[] = [];
  journal.on('data', (chunk: Buffer) => chunks.push(chunk.toString()));
  appendFileSync(path, 'new\n');
  await journal.finish();
  expect(chunks.join('')).toBe('new\n');
});

test('what children print while the attempt is swept is in the journal, and forwarded', async () => {
  const [journal, up] = [newPath(), join(kit.folder, 'trapped')];
  const child = `(trap 'echo last; exit' TERM; touch ${up}; while :; do sleep 0.02; done) &`;
  const script = `${child} until [ -e ${up} ]; do sleep 0.01; done; echo first`;
  const { process, stdout } = kit.play(kit.bash(script, { journal, children: 'sweep' }));
  expect(await process.ended).toMatchObject({ kind: 'exited', code: 0 });
  expect(stdout()).toBe('first\nlast\n');
  expect(linesOf(journal)).toEqual(['first', 'last']);
});

test('a result that the launcher did not read before it was killed is in the journal', async () => {
  const [journal, go, written] = [newPath(), join(kit.folder, 'print'), join(kit.folder, 'printed')];
  const own = new Kit();
  const script = `echo $$; until [ -e ${go} ]; do sleep 0.01; done; echo '${RESULT}'; touch ${written}; exec sleep 300`;
  const { process: running, stdout } = own.play(own.bash(script, { journal }));
  const pid = await until(() => Number(stdout()) || undefined, { what: 'the pid' });
  process.kill(own.launcher.pid!, 'SIGSTOP');
  writeFileSync(go, '');
  await until(() => existsSync(written), { what: 'the result' });
  process.kill(own.launcher.pid!, 'SIGKILL');
  expect(await running.ended).toEqual({ kind: 'lost' });
  expect(linesOf(journal)).toEqual([String(pid), RESULT]);
  expect(stdout()).toBe(`${pid}\n`);
});

test('a result that the dying worker did not read is in the journal', async () => {
  const [journal, written] = [newPath(), join(kit.folder, 'written')];
  // More than may be in progress unread; the rest waits when the worker is killed.
  const script = `read -r go; printf '%1060000s\\n' x; echo '${RESULT}'; touch ${written}; exec sleep 300`;
  const fifo = join(kit.folder, 'go');
  const worker = new TestWorker([kit.bash(`mkfifo ${fifo}; echo $$; exec <${fifo}; ${script}`, { journal })]);
  const [, launcher] = await worker.running({ turns: [0], pids: 1 });
  worker.kill('SIGSTOP');
  await kit.play(kit.bash(`until [ -p ${fifo} ]; do sleep 0.01; done; echo go >${fifo}`)).process.ended;
  await until(() => existsSync(written), { what: 'the result' });
  worker.kill('SIGKILL');
  await until(() => !lives(launcher), { what: 'the end of the launcher' });
  expect(linesOf(journal).at(-1)).toBe(RESULT);
});

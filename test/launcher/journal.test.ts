// The journal: what was spent is on disk before the worker hears of it, whatever happens to the worker then.
import { describe, expect, test } from '@jest/globals';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Journal, tellsSpending } from '../../src/launcher/journal.js';
import { until } from '../support/until.js';
import { Kit, lives } from './kit.js';
import { TestWorker } from './testWorker.js';

const kit = new Kit();

let count = 0;
const newPath = (): string => join(kit.folder, `journals-${++count}`, 'deep', 'journal');
const linesOf = (path: string): string[] => readFileSync(path, 'utf8').split('\n').slice(0, -1);

const RESULT = '{"type":"result","total_cost_usd":0.5}';
const USAGE = '{"type":"stream_event","event":{"type":"message_delta","usage":{"output_tokens":3}}}';
const START = '{"type":"stream_event","event":{"type":"message_start","message":{"usage":{"input_tokens":9}}}}';

describe('which lines it keeps', () => {
  test.each([
    ['a result', RESULT, true],
    ['a result with space around', ` { "type" : "result" } `, true],
    ['usage of a message that begins', START, true],
    ['usage of a message that goes on', USAGE, true],
    [
      'text of a message',
      '{"type":"stream_event","event":{"type":"content_block_delta","delta":{"text":"usage"}}}',
      false,
    ],
    ['an answer, whose usage is partial', '{"type":"assistant","message":{"usage":{"output_tokens":1}}}', false],
    ['a tool that prints a result', '{"type":"user","message":{"content":"{\\"type\\":\\"result\\"}"}}', false],
    ['a cut-off result', '{"type":"result","total', false],
    ['plain text', 'the "result" is in', false],
    ['JSON that is no object', '["result"]', false],
    ['null', 'null "usage"', false],
  ])('%s: %s → %s', (_name, line, kept) => {
    expect(tellsSpending(Buffer.from(line))).toBe(kept);
  });
});

describe('how it reads a stream', () => {
  const TEXT = `noise\n{"type":"system"}\n${USAGE}\n\n${RESULT}\n\xff\xfe{\n${RESULT}`;

  test.each([1, 2, 7, 1000])('pieces of %d bytes make the same journal', (size) => {
    const path = newPath();
    const journal = new Journal(path);
    const bytes = Buffer.from(TEXT, 'latin1');
    for (let at = 0; at < bytes.length; at += size) journal.feed(bytes.subarray(at, at + size));
    expect(linesOf(path)).toEqual([USAGE, RESULT]);
    journal.close();
    expect(linesOf(path)).toEqual([USAGE, RESULT, RESULT]);
  });

  test('output without end does not pile up, and the next line counts again', () => {
    const path = newPath();
    const journal = new Journal(path);
    const before = process.memoryUsage().external;
    for (let count = 0; count < 64; count += 1) journal.feed(Buffer.alloc(1 << 20, '{'));
    expect(process.memoryUsage().external - before).toBeLessThan(48 << 20);
    journal.feed(Buffer.from(`\n${RESULT}\n`));
    expect(linesOf(path)).toEqual([RESULT]);
    journal.close();
  });

  test('a second process of the attempt is appended', () => {
    const path = newPath();
    for (const line of [RESULT, USAGE]) {
      const journal = new Journal(path);
      journal.feed(Buffer.from(line));
      journal.close();
    }
    expect(linesOf(path)).toEqual([RESULT, USAGE]);
  });
});

test('a result is in the journal when its line is forwarded, and only its owner can read it', async () => {
  const journal = newPath();
  const seen: boolean[] = [];
  const script = `printf '%s' '${RESULT.slice(0, 9)}'; sleep 0.05; printf '%s\\n' '${RESULT.slice(9)}'; sleep 0.05; echo more`;
  let text = '';
  const running = kit.launcher.run(kit.bash(script, { journal }), (_stream, chunk) => {
    text += chunk.toString();
    seen.push(!text.includes(`${RESULT}\n`) || linesOf(journal).includes(RESULT));
  });
  expect(await running.ended).toMatchObject({ kind: 'exited', code: 0 });
  expect(seen).not.toContain(false);
  expect(text).toBe(`${RESULT}\nmore\n`);
  expect(linesOf(journal)).toEqual([RESULT]);
  expect(statSync(journal).mode & 0o777).toBe(0o600);
  expect(statSync(join(journal, '..')).mode & 0o777).toBe(0o700);
});

test('a result that the dying worker did not read is in the journal', async () => {
  const [journal, written] = [newPath(), join(kit.folder, 'written')];
  // More than may be under way unread; the rest waits in the pipe when the worker is killed.
  const script = `read -r go; printf '%1060000s\\n' x; echo '${RESULT}'; touch ${written}; exec sleep 300`;
  const fifo = join(kit.folder, 'go');
  const worker = new TestWorker([kit.bash(`mkfifo ${fifo}; echo $$; exec <${fifo}; ${script}`, { journal })]);
  const [, launcher] = await worker.running({ turns: [0], pids: 1 });
  worker.kill('SIGSTOP');
  await kit.play(kit.bash(`until [ -p ${fifo} ]; do sleep 0.01; done; echo go >${fifo}`)).process.ended;
  await until(() => existsSync(written), { what: 'the result' });
  worker.kill('SIGKILL');
  await until(() => !lives(launcher), { what: 'the end of the launcher' });
  expect(linesOf(journal)).toEqual([RESULT]);
});

test('a journal that cannot be written any more is reported, and the turn goes on', async () => {
  const warnings: string[] = [];
  const own = new Kit({ onWarning: (text) => warnings.push(text) });
  const { process, stdout } = own.play(own.bash(`echo '${RESULT}'; echo more`, { journal: '/dev/full' }));
  expect(await process.ended).toEqual({ kind: 'exited', code: 0, strays: 0 });
  expect(stdout()).toBe(`${RESULT}\nmore\n`);
  expect(warnings).toEqual([expect.stringMatching('/dev/full .*ENOSPC')]);
});

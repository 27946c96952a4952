// What a script turn with an input, in a chain, asks the operating system for beyond the script itself, counted by strace: two
// chains of different length. Counts do not depend on how busy the machine is. A turn that needs more is slower for everybody.
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from '@jest/globals';
import { folder } from '../../support/folder.js';
import { testUnless } from '../../support/unless.js';

const PROGRAM = fileURLToPath(new URL('chain-of-turns.mjs', import.meta.url));
const CLASSES = 'trace=%file,execve,write';
const TURNS = 20;

/** It may be missing, and a container may forbid to trace. */
const traced = spawnSync('strace', ['-f', '-o', '/dev/null', 'true']);
const NO_STRACE = traced.status === 0 ? undefined : 'strace is not installed, or may not trace';

testUnless(NO_STRACE)('a script turn of a chain stays within its budgets', async () => {
  const path = await folder();
  const trace = join(path, 'trace');
  const options = ['-f', '-yy', '-e', CLASSES, '-o', trace, process.execPath, PROGRAM, path, String(TURNS)];
  execFileSync('strace', options, { stdio: ['ignore', 'ignore', 'inherit'], env: { PATH: process.env['PATH'] } });
  const counts = marginal(readFileSync(trace, 'utf8').split('\n'));
  expect(counts).toEqual({ files: 6, programs: 1, made: 0, messages: 3 });
});

interface Counts {
  readonly files: number;
  readonly programs: number;
  readonly made: number;
  readonly messages: number;
}

/** What the longer chain has more, for each turn that it has more; Node itself reads a file now and then. */
function marginal(lines: readonly string[]): Counts {
  const [begin = 0, middle = 0, end = 0] = lines.flatMap((line, index) => (line.includes('"/mark-') ? [index] : []));
  const [short, long] = [countsOf(lines.slice(begin + 1, middle)), countsOf(lines.slice(middle + 1, end))];
  const per = (name: keyof Counts): number => Math.round((long[name] - short[name]) / TURNS);
  return { files: per('files'), programs: per('programs'), made: per('made'), messages: per('messages') };
}

/** Lines of strace: `PID call("path", …) = result`; a call that another one interrupts has two lines. */
function countsOf(lines: readonly string[]): Counts {
  const scripts = new Set<string>();
  const counts = { files: 0, programs: 0, made: 0, messages: 0 };
  for (const line of lines) {
    const [, pid = '', call = ''] = /^(\d+) +(\w+)\(/.exec(line) ?? [];
    if (call === 'execve') counts.programs += line.includes('= -1') ? 0 : 1;
    if (call === 'execve' && line.includes('/states/')) scripts.add(pid);
    else if (call === 'write') counts.messages += isMessage(line) ? 1 : 0;
    else if (
      !['', 'fstat', 'chdir'].includes(call) &&
      !scripts.has(pid) &&
      !/\("?[^"]*"", .*AT_EMPTY_PATH/.test(line)
    ) {
      counts.files += 1;
      if (/^(mkdir|unlink|rmdir|rename|mknod)/.test(call) && !line.includes('= -1')) counts.made += 1;
      else if (line.includes('O_CREAT|O_EXCL') || line.includes('O_CREAT|O_TRUNC')) counts.made += 1;
    }
  }
  return counts;
}

/** Node begins a message of its `advanced` channel with its length and V8's version. */
const isMessage = (line: string): boolean => line.includes('<UNIX-STREAM:') && line.includes('\\377\\17o');

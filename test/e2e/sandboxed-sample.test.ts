// Samples as a whole in the sandbox `process`, with all permissions inside: the real Claude Code CLI against a scripted
// model. `coding` with git and the commit that comes out, `dispatch` with its forked agents.
import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { Place, SAMPLES } from '../support/cli.js';
import { beforeRemoval } from '../support/folder.js';
import { startModelApi, type ModelRequest, type Reply } from '../support/model-api.js';
import { realClaude } from '../support/real-claude.js';
import { describeUnless, noSandbox } from '../support/unless.js';

const bash = (command: string): Reply => ({ tool: { name: 'Bash', input: { command } } });

/** A command for each state, and its answer when that has run. */
const STATES: readonly (readonly [prompt: string, command: string, answer: string])[] = [
  ['Plan a change', 'echo "1. Goal" > coding-notes/plan.md', '<reset>IMPLEMENT.md</reset>'],
  [
    'Implement the change',
    'echo "console.log(2)" > app.js; cat ~/.netrc > stolen; rm -f stolen',
    '<goto>REVIEW.md</goto>',
  ],
  ['Now change sides', 'git diff', '<result>Print 2\n\nIt was asked for.</result>'],
];

function replyTo({ conversation, newest }: ModelRequest): Reply {
  const [, command, answer] = STATES.find(([prompt]) => newest.trim().startsWith(prompt)) ?? [];
  if (command === undefined || answer === undefined) return { status: 400, message: `no state asks: ${newest}` };
  return conversation.at(-1)?.kind === 'tool-result' ? { text: answer } : bash(command);
}

/** The sandboxes of all turns of the run. */
async function kindsOf(place: Place): Promise<readonly (string | undefined)[]> {
  const history = await place.raymond(['history', 'inside', '--json']);
  return [...history.stdout.matchAll(/"sandbox": ?\{\s*"kind": ?"(\w+)"/g)].map(([, kind]) => kind);
}

describeUnless(noSandbox())('the sample coding in the sandbox "process"', () => {
  test('plans, builds, reviews and commits', async () => {
    const api = await startModelApi({ reply: replyTo });
    const claude = await realClaude({ apiUrl: api.url });
    beforeRemoval(async () => {
      await claude.close();
      await api.close();
    });
    const place = await Place.at({ 'app.js': 'console.log(1)\n', '.gitignore': '.raymond\n' }, claude.env);
    const git = (...words: readonly string[]): string =>
      execFileSync('git', words, { cwd: place.cwd, env: { ...process.env, ...claude.env }, encoding: 'utf8' });
    git('init', '--quiet');
    git('config', '--global', 'user.name', 'Ann');
    git('config', '--global', 'user.email', 'ann@example.com');
    git('add', '--all');
    git('commit', '--quiet', '--message', 'Begin');
    const flags = ['--sandbox', 'process', '--dangerously-skip-permissions', '--id', 'inside'];
    const { stdout, stderr, exitCode } = await place.raymond([
      ...['start', join(SAMPLES, 'coding'), '--input', 'Print 2', ...flags],
    ]);
    expect({ stdout, exitCode, stderr: exitCode === 0 ? '' : stderr }).toEqual({
      stdout: expect.stringMatching(/^Committed [0-9a-f]+ Print 2$/),
      exitCode: 0,
      stderr: '',
    });
    expect(git('log', '-1', '--format=%an %s', '--', 'app.js').trim()).toBe('Ann Print 2');
    expect(git('status', '--porcelain')).toBe('');
    expect(await kindsOf(place)).toEqual(Array.from({ length: 5 }, () => 'process'));
  }, 180_000);
});

/** Each worker writes its file, and tries to read the list of all items in the home. */
function workerReply({ conversation, newest }: ModelRequest): Reply {
  if (conversation.at(-1)?.kind === 'tool-result') return { text: '<result>It is so.</result>' };
  const [, item = '', out = ''] = /Your item: (.*)\nYour output file: (.*)\n/.exec(newest) ?? [];
  return bash(`echo "${item}" > "${out}"; cat ~/secret >> "${out}"; true`);
}

describeUnless(noSandbox())('the sample dispatch in the sandbox "process"', () => {
  test('keeps its forked agents in it, too', async () => {
    const api = await startModelApi({ reply: workerReply });
    const claude = await realClaude({ apiUrl: api.url });
    beforeRemoval(async () => {
      await claude.close();
      await api.close();
    });
    await writeFile(join(claude.home, 'secret'), 'secret\n');
    const place = await Place.at({ 'items.txt': 'One?\nTwo?\n' }, claude.env);
    const flags = ['--sandbox', 'process', '--dangerously-skip-permissions', '--id', 'inside'];
    const { stdout, stderr, exitCode } = await place.raymond([
      ...['start', join(SAMPLES, 'dispatch'), '--input', 'items.txt', ...flags],
    ]);
    expect({ stdout, exitCode, stderr: exitCode === 0 ? '' : stderr }).toEqual({
      stdout: '2 items handed out; the answers are in dispatch-work/inside',
      exitCode: 0,
      stderr: '',
    });
    for (const [number, item] of ['One?', 'Two?'].entries())
      expect(await readFile(join(place.cwd, `dispatch-work/inside/${number + 1}.md`), 'utf8')).toBe(`${item}\n`);
    expect(await kindsOf(place)).toEqual(Array.from({ length: 6 }, () => 'process'));
  }, 180_000);
});

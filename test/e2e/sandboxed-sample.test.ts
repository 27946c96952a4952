// The sample `coding` as a whole in the sandbox `process`, with all permissions inside: the real Claude Code CLI against a
// scripted model, git, and the commit that comes out.
import { execFileSync } from 'node:child_process';
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
    const history = await place.raymond(['history', 'inside', '--json']);
    const kinds = [...history.stdout.matchAll(/"sandbox": ?\{\s*"kind": ?"(\w+)"/g)].map(([, kind]) => kind);
    expect(kinds).toEqual(Array.from({ length: 5 }, () => 'process'));
  }, 180_000);
});

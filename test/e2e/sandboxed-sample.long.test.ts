// Samples as a whole in the sandbox `process`, with all permissions inside: the real Claude Code CLI against a scripted
// model. `coding` with git and the commit that comes out, `review` with a second reviewer, `dispatch` with its forked agents.
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
  [
    'Review a change',
    'echo "## app.js:1" > review-notes/findings.md; cat ~/secret >> review-notes/findings.md; true',
    '<function return="REPORT.sh">VERIFY.md</function>',
  ],
  ['Somebody has reviewed', 'cp review-notes/findings.md review-notes/review.md', '<result>done</result>'],
];

function replyTo({ conversation, newest }: ModelRequest): Reply {
  const [, command, answer] = STATES.find(([prompt]) => newest.trim().startsWith(prompt)) ?? [];
  if (command === undefined || answer === undefined) return { status: 400, message: `no state asks: ${newest}` };
  return conversation.at(-1)?.kind === 'tool-result' ? { text: answer } : bash(command);
}

/** A place whose prompts the real CLI answers, with a secret in its home. */
async function placeWith(
  files: Readonly<Record<string, string>>,
  reply: (request: ModelRequest) => Reply,
): Promise<{ readonly place: Place; readonly env: Readonly<Record<string, string>> }> {
  const api = await startModelApi({ reply });
  const claude = await realClaude({ apiUrl: api.url });
  beforeRemoval(async () => {
    await claude.close();
    await api.close();
  });
  await writeFile(join(claude.home, 'secret'), 'secret\n');
  return { place: await Place.at(files, claude.env), env: claude.env };
}

/** Runs a sample inside; expects its result. */
async function runInside(
  place: Place,
  [sample, ...args]: readonly [string, ...string[]],
  result: RegExp,
): Promise<void> {
  const flags = ['--sandbox', 'process', '--dangerously-skip-permissions', '--id', 'inside'];
  const { stdout, stderr, exitCode } = await place.raymond(['start', join(SAMPLES, sample), ...args, ...flags]);
  expect({ stdout, exitCode, stderr: exitCode === 0 ? '' : stderr }).toEqual({
    stdout: expect.stringMatching(result),
    exitCode: 0,
    stderr: '',
  });
}

/** A git repository with one commit. */
async function repository(): Promise<{ readonly place: Place; readonly git: (...words: readonly string[]) => string }> {
  const { place, env } = await placeWith({ 'app.js': 'console.log(1)\n', '.gitignore': '.raymond\n' }, replyTo);
  const git = (...words: readonly string[]): string =>
    execFileSync('git', words, { cwd: place.cwd, env: { ...process.env, ...env }, encoding: 'utf8' });
  git('init', '--quiet');
  git('config', '--global', 'user.name', 'Ann');
  git('config', '--global', 'user.email', 'ann@example.com');
  git('add', '--all');
  git('commit', '--quiet', '--message', 'Begin');
  return { place, git };
}

/** The sandboxes of all turns of the run. */
async function kindsOf(place: Place): Promise<readonly (string | undefined)[]> {
  const history = await place.raymond(['history', 'inside', '--json']);
  return [...history.stdout.matchAll(/"sandbox": ?\{\s*"kind": ?"(\w+)"/g)].map(([, kind]) => kind);
}

describeUnless(noSandbox())('in the sandbox "process"', () => {
  test('the sample coding plans, builds, reviews and commits', async () => {
    const { place, git } = await repository();
    await runInside(place, ['coding', '--input', 'Print 2'], /^Committed [0-9a-f]+ Print 2$/);
    expect(git('log', '-1', '--format=%an %s', '--', 'app.js').trim()).toBe('Ann Print 2');
    expect(git('status', '--porcelain')).toBe('');
    expect(await kindsOf(place)).toEqual(Array.from({ length: 5 }, () => 'process'));
  }, 180_000);

  test('the sample review reviews what is not committed, and changes nothing', async () => {
    const { place, git } = await repository();
    await writeFile(join(place.cwd, 'app.js'), 'console.log(2)\n');
    await runInside(place, ['review'], /^Findings: 1; read review-notes\/review.md$/);
    expect(await readFile(join(place.cwd, 'review-notes/review.md'), 'utf8')).toBe('## app.js:1\n');
    expect(git('status', '--porcelain').trim()).toBe('M app.js');
    expect(await kindsOf(place)).toEqual(Array.from({ length: 4 }, () => 'process'));
  }, 180_000);

  test('the sample dispatch keeps its forked agents, too', async () => {
    const { place } = await placeWith({ 'items.txt': 'One?\nTwo?\n' }, workerReply);
    await runInside(
      place,
      ['dispatch', '--input', 'items.txt'],
      /^2 items handed out; the answers are in dispatch-work\/inside$/,
    );
    for (const [number, item] of ['One?', 'Two?'].entries())
      expect(await readFile(join(place.cwd, `dispatch-work/inside/${number + 1}.md`), 'utf8')).toBe(`${item}\n`);
    expect(await kindsOf(place)).toEqual(Array.from({ length: 6 }, () => 'process'));
  }, 180_000);
});

/** Each worker writes its file, and tries to read a secret in the home. */
function workerReply({ conversation, newest }: ModelRequest): Reply {
  if (conversation.at(-1)?.kind === 'tool-result') return { text: '<result>It is so.</result>' };
  const [, item = '', out = ''] = /Your item: (.*)\nYour output file: (.*)\n/.exec(newest) ?? [];
  return bash(`echo "${item}" > "${out}"; cat ~/secret >> "${out}"; true`);
}

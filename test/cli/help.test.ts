// What the command line says of itself: `raymond` alone, and the help of every command.
import { expect, test } from '@jest/globals';
import { Place } from '../support/cli.js';
import { commandsBelow, program } from '../support/program.js';

const names = commandsBelow(program);

test('raymond alone prints the help', async () => {
  const place = await Place.at();
  const alone = await place.raymond([]);
  expect(alone).toEqual(await place.raymond(['--help']));
  expect(alone).toMatchObject({ exitCode: 0, stderr: '', stdout: expect.stringContaining('Usage: raymond') });
});

test.each(names)('the help of "%s" ends with examples of it', async (name) => {
  const place = await Place.at();
  const { stdout, exitCode } = await place.raymond([...name.split(' '), '--help']);
  expect(exitCode).toBe(0);
  const [, examples = ''] = stdout.split('\nExamples:\n');
  const lines = examples.split('\n');
  expect(lines.length).toBeGreaterThan(0);
  expect(lines.every((line) => line.startsWith('  ') && line.includes(`raymond `))).toBe(true);
  expect(examples).toContain(`raymond ${name}`);
});

test('the help has its commands in groups, the everyday ones first, and names that moved are hidden', async () => {
  const place = await Place.at();
  const { stdout } = await place.raymond(['--help']);
  const headings = stdout.split('\n').filter((line) => /^[A-Z][a-z ]+:$/.test(line));
  expect(headings).toEqual([
    'Options:',
    'Run:',
    'Answer and steer:',
    'Write:',
    'Look inside:',
    'Fleet and schedules:',
    'Project:',
  ]);
  expect(stdout).not.toMatch(/^ {2}(worker|hosts|rollout|setup|move)\b/m);
});

test('the words of an answer have the same names in the list, in the usage and among the arguments', async () => {
  const place = await Place.at();
  expect((await place.raymond(['--help'])).stdout).toContain('answer [options] <run> [ask] <text> ');
  const { stdout } = await place.raymond(['answer', '--help']);
  expect(stdout).toMatch(/^Usage: raymond answer \[options\] <run> \[ask\] <text>$/m);
  expect(stdout).toMatch(/^ {2}\[ask\] <text> /m);
});

test.each(['worker', 'hosts', 'rollout', 'setup', 'move'])('"%s" is understood without "fleet"', async (name) => {
  const place = await Place.at();
  const [alone, below] = [await place.raymond([name, '--help']), await place.raymond(['fleet', name, '--help'])];
  expect(alone.exitCode).toBe(0);
  const options = (text: string): string | undefined => /^Options:\n[^]*?\n\n/m.exec(text)?.[0];
  expect(options(alone.stdout)).toBe(options(below.stdout));
});

test('what only shows a run has no seconds for its turns, and `--json` follows what a command is about', async () => {
  const place = await Place.at();
  expect((await place.raymond(['watch', '--help'])).stdout).not.toContain('--drain');
  const { stdout } = await place.raymond(['schedule', 'create', '--help']);
  expect(stdout.indexOf('--cron')).toBeLessThan(stdout.indexOf('--json'));
});

test('the connection flags come last', async () => {
  const place = await Place.at();
  const { stdout } = await place.raymond(['start', '--help']);
  const headings = stdout.split('\n').filter((line) => /^[A-Z][a-z ]+:$/.test(line));
  expect(headings.slice(0, -1).at(-1)).toBe('Connection:');
  expect(headings.at(-1)).toBe('Examples:');
});

test.each(['exit-codes', 'run-names', 'environment'])('raymond help %s explains the topic', async (topic) => {
  const place = await Place.at();
  expect(await place.raymond(['help', topic])).toMatchObject({ exitCode: 0, stderr: '' });
});

test.each([
  [['help', 'strat'], 'raymond: there is no command or help topic "strat"; did you mean start?'],
  [['strat', 'triage'], 'raymond: unknown command "strat"; did you mean "raymond start"?'],
  [['stat', 'triage'], 'raymond: unknown command "stat"; did you mean "raymond status" or "raymond start"?'],
])('a mistyped command is one line with the command that was meant: %j', async (words, line) => {
  const place = await Place.at();
  expect(await place.raymond(words)).toEqual({ exitCode: 64, stdout: '', stderr: line });
});

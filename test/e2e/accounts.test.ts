// Several accounts of Claude: whose variables a prompt gets, what happens at a usage limit, and what it has cost.
import { describe, expect, test } from '@jest/globals';
import { DOCUMENTS } from '../../src/client/documents/documents.js';
import { Place } from '../support/cli.js';
import { flagOf, type FakeCall } from '../support/fake-claude.js';
import { fakeWith } from '../support/fakes.js';

const A = 'secret-token-of-a';
const B = 'secret-token-of-b';
const TWO = `[raymond]
accounts = [{ name = "a", env = { CLAUDE_CODE_OAUTH_TOKEN = "${A}" } }, { name = "b", command = "echo CLAUDE_CODE_OAUTH_TOKEN=${B}" }]
`;
const config = (text: string): Readonly<Record<string, string>> => ({ '.raymond/config.toml': text });
const tokensOf = (calls: readonly FakeCall[]): readonly (string | undefined)[] =>
  calls.map(({ env }) => env['CLAUDE_CODE_OAUTH_TOKEN']);
const limitedUntil = (seconds: number): object => ({
  isError: true,
  assistantError: 'rate_limit',
  apiErrorStatus: 429,
  costUsd: 0,
  text: 'limit',
  rateLimit: { status: 'rejected', resetsAt: Math.ceil(Date.now() / 1000) + seconds },
});

describe('a prompt', () => {
  test('gets the variables of its account and no other credentials; scripts get none; no message shows them', async () => {
    const fake = await fakeWith({ text: `I am ${B}. <goto>END</goto>` });
    const files = {
      ...config(TWO),
      'flow/START.md': '---\naccount: b\n---\nDo it.\n',
      'flow/END.sh': 'echo "<result>[${CLAUDE_CODE_OAUTH_TOKEN-none}]</result>"\n',
    };
    const place = await Place.sharing(files, { ...fake.env, ANTHROPIC_API_KEY: 'key-of-the-worker' });
    expect(await place.raymond(['flow', '--id', 'r'])).toMatchObject({ exitCode: 0, stdout: '[none]' });
    const [call] = await fake.calls();
    expect(tokensOf([call!])).toEqual([B]);
    expect(call!.env['ANTHROPIC_API_KEY']).toBeUndefined();
    const { stdout } = await place.raymond(['status', 'r', '--costs', '--json']);
    expect(DOCUMENTS.status.parse(JSON.parse(stdout)).costs?.byAccount).toMatchObject([{ name: 'b', turns: 1 }]);
    expect((await place.raymond(['status', 'r', '--costs'])).stdout).toContain('cost by account:');
    expect((await place.raymond(['config'])).stdout).not.toContain(A);
    const logs = (await place.raymond(['logs', 'r'])).stdout;
    expect(logs).toContain('I am [CLAUDE_CODE_OAUTH_TOKEN].');
    expect(logs).not.toContain(B);
  });

  test('stays with the account of its agent, that of --account', async () => {
    const fake = await fakeWith({ match: 'First', text: '<goto>SECOND</goto>' }, { text: '<result>x</result>' });
    const place = await Place.sharing(
      { ...config(TWO), 'flow/START.md': 'First.\n', 'flow/SECOND.md': 'Second.\n' },
      fake.env,
    );
    expect(await place.raymond(['flow', '--account', 'a'])).toMatchObject({ exitCode: 0 });
    expect(tokensOf(await fake.calls())).toEqual([A, A]);
    const { stderr, exitCode } = await place.raymond(['flow', '--account', 'c']);
    expect({ stderr, exitCode }).toEqual({
      stderr: 'raymond: there is no account "c"; the config has a, b',
      exitCode: 64,
    });
  });

  test('that names an account which the config does not have is refused before anything is started', async () => {
    const place = await Place.sharing({
      ...config(TWO),
      'flow/START.sh': 'echo "<goto>ASK</goto>"\n',
      'flow/ASK.md': '---\nmodel: haiku\naccount: [a, c]\n---\nDo it.\n',
    });
    const { stderr, exitCode } = await place.raymond(['flow']);
    expect({ stderr, exitCode }).toEqual({
      stderr: `raymond: ${place.cwd}/flow/ASK.md:3: there is no account "c"\nthe config has a, b: name one of them, or add it to accounts`,
      exitCode: 64,
    });
  });

  test('is refused when the config has no accounts, too', async () => {
    const place = await Place.sharing(
      { 'flow/START.md': '---\naccount: nobody\n---\nDo it.\n' },
      (await fakeWith()).env,
    );
    expect(await place.raymond(['flow'])).toMatchObject({
      exitCode: 64,
      stderr: expect.stringContaining('START.md:2: there is no account "nobody"\nthe config has no accounts: add it'),
    });
  });
});

describe('at a usage limit', () => {
  test('an agent continues with another account of its pool, in the same conversation', async () => {
    const fake = await fakeWith({ match: 'First', text: '<goto>SECOND</goto>' });
    await fake.setRules([
      { match: 'First', text: '<goto>SECOND</goto>', times: 1 },
      { ...limitedUntil(3600), times: 1 },
      { text: '<result>done</result>' },
    ]);
    const place = await Place.sharing(
      { ...config(TWO), 'flow/START.md': 'First.\n', 'flow/SECOND.md': 'Second.\n' },
      fake.env,
    );
    expect(await place.raymond(['flow'])).toMatchObject({ exitCode: 0, stdout: 'done' });
    const calls = await fake.calls();
    const tokens = tokensOf(calls);
    expect(tokens[1]).toBe(tokens[0]);
    expect([tokens[1], tokens[2]].toSorted()).toEqual([A, B]);
    const parents = calls.map((call) => flagOf(call, '--resume')?.replace(/^.*[\\/]/, ''));
    expect(parents[1]).toBeDefined();
    expect(parents[2]).toBe(parents[1]);
  });

  test('of all of them it sleeps until the first one is free', async () => {
    const fake = await fakeWith();
    await fake.setRules([
      { ...limitedUntil(7200), times: 1 },
      { ...limitedUntil(3600), times: 1 },
      { text: '<result>done</result>' },
    ]);
    const place = await Place.sharing({ ...config(TWO), 'flow/START.md': 'First.\n' }, fake.env);
    const run = place.begin(['start', 'flow', '--id', 'all', '--no-wait']);
    const until = await run;
    expect(until.exitCode).toBe(3);
    expect(await fake.calls()).toHaveLength(2);
    const { stderr } = await place.raymond(['resume', 'all']);
    expect(stderr).not.toContain(A);
    // A person who resumes wants it tried, whatever is known.
    expect((await fake.calls()).length).toBe(3);
  });
});

test('a command that fails is reported with what it said, and tried again', async () => {
  const fake = await fakeWith({ text: '<result>done</result>' });
  const command = '[ -f go ] && echo CLAUDE_CODE_OAUTH_TOKEN=x-y-z-long || { touch ../go; echo locked >&2; exit 5; }';
  const text = `[raymond]\naccounts = [{ name = "a", command = ${JSON.stringify(command.replace('-f go', '-f ../go'))} }]\n`;
  const place = await Place.sharing({ ...config(text), 'flow/START.md': 'Do it.\n' }, fake.env);
  const { exitCode, stderr } = await place.raymond(['flow']);
  expect(stderr).toContain('the command of the account a failed (exit code 5)');
  expect(stderr).toContain('locked');
  expect(exitCode).toBe(0);
});

// The flags of `start` beside the keys of the config: what can be said for one run can be said for a project.
import { stderr, stdin, stdout } from 'node:process';
import { describe, expect, test } from '@jest/globals';
import { build } from '../../src/cli/program/index.js';
import { openIo } from '../../src/cli/io.js';
import { secondsText, verbosityOf, withConfiguredView } from '../../src/cli/flags.js';
import { withheldLine } from '../../src/cli/context.js';
import { CONFIG_KEYS } from '../../src/client/project/config-keys.js';

/** What is said of one run only, or belongs into the environment. */
const OF_ONE_RUN = [
  'continue_session',
  'account',
  'no_check',
  'input',
  'input_file',
  'id',
  'cwd',
  'repo',
  'ref',
  'output_branch',
  'detach',
  'foreground',
  'json',
  'label',
  'workflow_id',
  'profile',
  'api_key',
  'tls',
];

const start = build({
  io: openIo({ cwd: '/', env: {}, stdin, stdout, stderr }),
  finish: () => undefined,
  version: '0',
}).commands.find((command) => command.name() === 'start')!;
const options = start.options.map((option) => option.name().replaceAll('-', '_'));

test('every flag of start has a key in the config, unless it is of one run only', () => {
  const keys = Object.keys(CONFIG_KEYS);
  const without = options.filter((name) => !keys.includes(name) && !keys.includes(`no_${name}`));
  expect(without.sort()).toEqual([...OF_ONE_RUN].sort());
});

describe('the config says how loud a run is', () => {
  test.each([
    [{}, {}, 'normal'],
    [{}, { quiet: true }, 'quiet'],
    [{}, { verbose: true }, 'verbose'],
    [{}, { quiet: true, verbose: true }, 'quiet'],
    [{ verbose: true }, { quiet: true }, 'verbose'],
    [{ quiet: true }, { verbose: true }, 'quiet'],
    [{}, { quiet: false, verbose: false }, 'normal'],
  ])('with the flags %j and the config %j: %s', (flags, config, loudness) => {
    expect(verbosityOf(withConfiguredView(flags, config))).toBe(loudness);
  });
});

describe('a timeout is a duration as in frontmatter', () => {
  test.each([
    ['90s', 90],
    ['15m', 900],
    ['2h', 7200],
    ['1d', 86_400],
    ['90', 90],
    ['0.5', 0.5],
    ['0', 0],
  ])('%s is %d seconds', (text, seconds) => {
    expect(secondsText(text)).toBe(seconds);
  });

  test.each(['', 'soon', '-1', '5 minutes'])('"%s" is none', (text) => {
    expect(() => secondsText(text)).toThrow('expected a duration such as 90s, 5m, 2h or 7d, or seconds; 0 = never');
  });
});

describe('what is withheld from prompts', () => {
  const environment = { PATH: '/bin', SECRET_B: 'hidden', SECRET_A: 'hidden', MINE: 'x' };

  test('is reported with the line of the config that gives it, without a value', () => {
    expect(withheldLine(environment, { envPass: ['MINE'], claudeProfile: 'user' })).toBe(
      'withheld from prompts: SECRET_A, SECRET_B; to pass some through, set env_pass = ["MINE","SECRET_A","SECRET_B"]',
    );
  });

  test('is more in the isolated profile', () => {
    expect(withheldLine({ KUBECONFIG: 'x' }, { envPass: [], claudeProfile: 'isolated' })).toContain('KUBECONFIG');
  });

  test('is not told when it is nothing', () => {
    expect(withheldLine(environment, { envPass: ['*'], claudeProfile: 'user' })).toBeUndefined();
  });
});

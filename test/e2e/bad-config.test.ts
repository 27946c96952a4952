// A config that cannot be used: one error with file and line, whichever command meets it, and nothing started.
import { beforeAll, describe, expect, test } from '@jest/globals';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Place } from '../support/cli.js';

const FILE = '.raymond/config.toml';

let place: Place;
beforeAll(async () => {
  place = await Place.at({ 'good/START.sh': 'echo "<result>ok</result>"\n' });
});

async function refusalOf(args: readonly string[]): Promise<string> {
  const { stdout, stderr, exitCode } = await place.raymond(args);
  expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 64 });
  expect(stderr.trimEnd().split('\n')).toEqual([expect.stringMatching(/^raymond: /)]);
  expect(await place.read('.raymond/temporal/server.json')).toBeUndefined();
  return stderr.replace(`${place.cwd}/`, '');
}

describe('a config is refused with file and line, because of', () => {
  test.each<[string, string, RegExp]>([
    [
      'an unknown key',
      '[raymond]\nbudget = 1\nbudgett = 3\n',
      /^:3: unknown key "budgett" \(did you mean budget\?\); the keys are budget, model,/,
    ],
    ['a quoted unknown key', '[raymond]\n# "modell" is none\n"modell" = 3\n', /^:3: unknown key "modell"/],
    [
      'a table with a slip',
      '[raymnod]\nbudget = 1\n',
      /^:1: unknown table or key "raymnod" \(did you mean raymond\?\);/,
    ],
    ['an unknown table', '[raymond]\n\n[temporal]\n', /^:3: unknown table or key "temporal"; all keys belong under/],
    ['a key outside of its table', 'budget = 3\n', /^:1: .*"budget"; all keys belong under \[raymond\]/],
    ['a value in the place of the table', 'raymond = 3\n', /^:1: raymond: .*expected object/],
    ['invalid TOML', '[raymond]\n\nbudget = = 3\n', /^:3: Invalid TOML document/],
    ['a key that is there twice', '[raymond]\nbudget = 3\nbudget = 4\n', /^:3: Invalid TOML document/],
    ['text for a number', '[raymond]\nbudget = "much"\n', /^:2: budget: .*expected number, got string/],
    ['a negative number', '[raymond]\nfail_fast = true\ntimeout = -1\n', /^:3: timeout: .*>=0/],
    ['a number for a switch', '[raymond]\nfail_fast = 1\n', /^:2: fail_fast: .*expected boolean/],
    ['a text for a list', '[raymond]\nenv_pass = "*"\n', /^:2: env_pass: .*expected array/],
    ['no prompts at once', '[raymond]\nmax_prompts = 0\n', /^:2: max_prompts: .*>0/],
    ['an unknown model', '[raymond]\nmodel = "gpt 4"\n', /^:2: model: expected the name of a model/],
    [
      'an unknown effort',
      '[raymond]\neffort = "extreme"\n',
      /^:2: effort: expected one of off, minimal, low, medium, high, xhigh, max/,
    ],
    [
      'an argument that is Raymond’s',
      '[raymond]\nclaude_args = ["-r", "x"]\n',
      /^:2: claude_args: Raymond itself sets -r/,
    ],
  ])('%s', async (_what, text, says) => {
    await place.write(FILE, text);
    const refusal = await refusalOf(['start', 'good']);
    expect(refusal.replace(/^raymond: .*config\.toml/, '')).toMatch(says);
  });

  test.each([['list'], ['status', 'x'], ['resume', 'x'], ['cancel', 'x'], ['server', 'start']])(
    'anything, for %s too',
    async (...args) => {
      await place.write(FILE, '[raymond]\nmodell = 1\n');
      expect(await refusalOf(args)).toContain(`${FILE}:2: unknown key "modell"`);
    },
  );

  test('its being a folder', async () => {
    await rm(join(place.cwd, FILE));
    await mkdir(join(place.cwd, FILE));
    expect(await refusalOf(['start', 'good'])).toContain(`cannot read ${FILE}: it is a directory`);
  });
});

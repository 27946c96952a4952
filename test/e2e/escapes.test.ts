// What Raymond did not write itself must not move a cursor or retitle a terminal, on whatever way it gets there.
import { expect, test } from '@jest/globals';
import { Place, type Called } from '../support/cli.js';
import { documentOf } from '../support/fakes.js';

const TITLE = '\\033]0;owned\\007';
const REVERSED = '\\342\\200\\256'; // U+202E in UTF-8
/** Whatever a terminal acts upon, but for ends of lines and tabs. */
// eslint-disable-next-line no-control-regex -- they are what must not be there
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

function expectHarmless({ stdout, stderr }: Called): void {
  expect(stderr).not.toMatch(CONTROL);
  expect(stdout).not.toMatch(CONTROL);
}

test('a failure, a question and what is printed show control characters, live and when they are asked for', async () => {
  const place = await Place.sharing({
    'flow/START.sh': `printf '<print>${TITLE} printed</print><fork>BAD</fork><goto>ASK</goto>'\n`,
    'flow/BAD.sh': `printf '${TITLE}${REVERSED} failed\\n' >&2; exit 1\n`,
    'flow/ASK.sh': `printf '<ask next="END">${TITLE} asked</ask>'\n`,
    'flow/END.sh': 'echo "<result>ok</result>"\n',
  });
  const started = await place.raymond(['flow', '--id', 'r1', '--verbose', '--on-ask', 'exit']);
  expectHarmless(started);
  for (const what of ['printed', 'asked']) expect(started.stderr).toContain(`␛]0;owned␇ ${what}`);
  expect(started.stderr).toContain('␛]0;owned␇\\u202e failed');
  expect(started.exitCode).toBe(2);

  const status = await place.raymond(['status', 'r1']);
  expectHarmless(status);
  expect(status.stdout).toContain('␛]0;owned␇ asked');
  expect(status.stdout).toContain('␛]0;owned␇\\u202e failed');
  expectHarmless(await place.raymond(['list']));
  expectHarmless(await place.raymond(['answer', 'r1', 'x', '--file', '\u001b[2J']));
});

test('names of files and of what is not there do so, too; a result stays as its author made it', async () => {
  const name = 'fl\u001b[2Jow';
  const place = await Place.sharing({ [`${name}/START.sh`]: `printf '<result>${TITLE}</result>'\n` });
  for (const args of [
    ['start', 'no\u001b[2Jthing'],
    ['status', '\u001b]0;x\u0007'],
    ['start', name, '--wa\u001bt'],
  ]) {
    const refused = await place.raymond(args);
    expect(refused.exitCode).toBe(64);
    expectHarmless(refused);
  }
  const started = await place.raymond([name, '--id', 'r2']);
  expect(started).toMatchObject({ exitCode: 0, stdout: '\u001b]0;owned\u0007' });
  expect(started.stderr).not.toMatch(CONTROL);
  expectHarmless(await place.raymond(['status', 'r2']));
  expectHarmless(await place.raymond(['list']));
  expect(documentOf(await place.raymond(['status', 'r2', '--json'])).result).toBe('\u001b]0;owned\u0007');
});

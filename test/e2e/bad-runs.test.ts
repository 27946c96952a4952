// Runs that meet a mistake on their way: they fail, say so once with agent, state and what to do, and leave nothing running.
import { beforeAll, describe, expect, test } from '@jest/globals';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Place, processesWith, type Called } from '../support/cli.js';
import { documentOf } from '../support/fakes.js';

let place: Place;
beforeAll(async () => {
  place = await Place.at();
});

let number = 0;

/** Starts these states under an id of their own. */
async function run(states: Readonly<Record<string, string>>): Promise<Called & { readonly id: string }> {
  const id = `bad-${(number += 1)}`;
  for (const [name, content] of Object.entries(states)) await place.write(join(id, name), content);
  return { id, ...(await place.raymond(['start', id, '--id', id, '--json', '--no-check'])) };
}

const NEXT = { 'NEXT.sh': 'echo "<result>ok</result>"\n' };

describe('a run fails with exit code 1 because', () => {
  test.each<[string, string, string]>([
    [
      'a target is unknown',
      'echo "<goto>NOPE</goto>"',
      'there is no state "NOPE" (looked for NOPE.md, NOPE.sh, NOPE.py, NOPE.js, NOPE.ts)',
    ],
    ['a closing tag lacks its slash', 'echo "<goto>NEXT<goto>"', '<goto> on line 1 of the output is never closed'],
    ['a target is nearly known', 'echo "<goto>NEXXT</goto>"', 'did you mean NEXT'],
    ['a target is a path', 'echo "<goto>../NEXT</goto>"', '<goto> on line 1 of the output names "../NEXT"'],
    ['there is no tag', 'echo hello', 'the output has no transition tag'],
    ['there are two tags', 'echo "<goto>NEXT</goto><result>x</result>"', 'the output has 2 transition tags'],
    ['a call names no return', 'echo "<call>NEXT</call>"', '<call> on line 1 of the output needs the attribute return'],
    ['cd names a missing folder', 'echo "<reset cd=\\"gone\\">NEXT</reset>"', 'there is no directory'],
    ['a script fails', 'echo oops >&2; exit 3', 'the script ended with exit code 3\noops'],
    ['a script is killed', 'kill -9 $$', 'the script was killed by SIGKILL'],
    ['a state is no UTF-8', "printf 'x\\377' > NEXT.md; echo '<goto>NEXT.md</goto>'", 'NEXT.md is not UTF-8 text'],
  ])('%s', async (_what, script, says) => {
    const { id, stdout, stderr, exitCode } = await run({ 'START.sh': `cd "$RAYMOND_STATE_DIR"\n${script}\n`, ...NEXT });
    expect(exitCode).toBe(1);
    expect(stderr.split(says)).toHaveLength(2);
    expect(stderr).toMatch(
      new RegExp(`failed: ${id}, .*\n.*main.*(START\\.sh|NEXT\\.md).*\n(.*\n)*.*raymond resume ${id}`),
    );
    expect(stderr).not.toMatch(/ at \S+ \(/);
    const document = documentOf({ stdout });
    expect(document).toMatchObject({ status: 'failed', agents: [{ id: 'main', status: 'failed' }] });
    expect(document.agents[0]?.error).toContain(says);
    expect(await processesWith(`RAYMOND_WORKFLOW_ID=${id}`)).toEqual([]);
  });

  test('its folder is gone, and continues when it is back', async () => {
    const states = { 'START.sh': 'rm -rf "$RAYMOND_STATE_DIR"; echo "<goto>NEXT</goto>"\n' };
    const { id, exitCode, stderr } = await run(states);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/main, START\.sh: on host \S+: cannot read \S+bad-\d+: it does not exist/);
    await place.write(join(id, 'START.sh'), 'echo "<goto>NEXT</goto>"\n');
    await place.write(join(id, 'NEXT.sh'), NEXT['NEXT.sh']);
    expect(await place.raymond(['resume', id])).toMatchObject({ stdout: 'ok', exitCode: 0 });
  });

  test('its working directory is gone', async () => {
    const cwd = join(place.cwd, 'away');
    await place.write('away/.keep');
    await place.write('moves/START.sh', `rm -rf "${cwd}"; echo "<goto>NEXT</goto>"\n`);
    await place.write('moves/NEXT.sh', NEXT['NEXT.sh']);
    const { exitCode, stderr } = await place.raymond(['start', '../moves'], { cwd });
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/there is no directory \S+away on host \S+; create it, then resume/);
    await rm(cwd, { recursive: true, force: true });
  });
});

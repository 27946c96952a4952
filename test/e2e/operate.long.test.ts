// Steering runs from outside, further: notes that are taken back after a resume, and agents and runs that are tried again.
import { describe, expect, test } from '@jest/globals';
import { Place } from '../support/cli.js';
import { fakeWith } from '../support/fakes.js';
import { until } from '../support/until.js';

describe('a run is named', () => {
  test('list judges a run that was resumed by what it is now', async () => {
    const at = await Place.at({ 'flow/START.sh': '[ -f good ] && echo "<result>x</result>" || exit 1\n' });
    await at.raymond(['start', 'flow', '--id', 'r']);
    await at.write('good');
    expect(await at.raymond(['resume', 'r'])).toMatchObject({ exitCode: 0 });
    expect((await at.raymond(['list', '--status', 'failed'])).stderr).toBe('no such runs; raymond list shows all');
    expect((await at.raymond(['list', '--status', 'completed'])).stdout).toMatch(/^r +flow +completed/m);
  });
});

describe('an operator', () => {
  test('takes notes back from an agent that was resumed; one that is not there has none', async () => {
    const at = await Place.sharing({
      'flow/START.sh': 'echo "<ask next=\\"END\\">Shall I?</ask>"\n',
      'flow/END.sh': 'echo "<result>done</result>"\n',
    });
    expect(await at.raymond(['start', 'flow', '--id', 'kept', '--on-ask', 'exit'])).toMatchObject({ exitCode: 2 });
    await at.raymond(['tell', 'kept', 'main', 'Mind the gap.']);
    await at.raymond(['cancel', 'kept']);
    await until(async () => (await at.raymond(['status', 'kept'])).stdout.includes('kept: cancelled'), {
      what: 'the end',
    });
    expect(await at.raymond(['resume', 'kept', '--follow', '--on-ask', 'exit'])).toMatchObject({ exitCode: 2 });
    expect(await at.raymond(['tell', 'kept', 'nobody', '--withdraw'])).toMatchObject({
      exitCode: 64,
      stderr: 'raymond: the run kept has no open agent nobody; the open agents are main',
    });
    const { stderr, exitCode } = await at.raymond(['tell', 'kept', 'main', '--withdraw']);
    expect({ stderr, exitCode }).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('"Mind the gap."') });
    const document = JSON.parse((await at.raymond(['status', 'kept', '--json'])).stdout) as {
      readonly agents: readonly object[];
    };
    expect(document.agents[0]).not.toHaveProperty('notes');
  });

  test('lets one paused agent try again, and says when there is nothing to try', async () => {
    const fake = await fakeWith(
      { times: 1, isError: true, assistantError: 'billing_error', text: 'Credit balance is too low' },
      { text: '<result>paid</result>' },
    );
    const at = await Place.sharing({ 'flow/START.md': 'Do it.\n' }, fake.env);
    expect(await at.raymond(['start', 'flow', '--id', 'r6'])).toMatchObject({ exitCode: 3 });
    expect((await at.raymond(['retry', 'r6', 'nobody'])).stderr).toContain('the open agents are main');
    expect(await at.raymond(['retry', 'r6', 'main'])).toMatchObject({ exitCode: 0, stdout: 'paid' });
    expect((await at.raymond(['retry', 'r6', 'main'])).stderr).toContain('the run r6 has completed');
  });
});

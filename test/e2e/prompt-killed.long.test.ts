// kill -9 of `raymond start` while Claude works: nothing of it lives on, nothing recorded runs again, every dollar is counted once.
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { Place, processesWith } from '../support/cli.js';
import { flagOf, type FakeClaude } from '../support/fake-claude.js';
import { documentOf, fakeWith, leftovers, sessionsOf, statesOf, transcriptsOf, untilNoted } from '../support/fakes.js';
import { queuedAgain } from '../support/recorded.js';
import { until } from '../support/until.js';

const STATES = {
  'flow/START.md': 'First.\n',
  'flow/MIDDLE.md': 'Second.\n',
  'flow/END.md': 'Third.\n',
};

let place: Place;
let id: string;
let begun = 0;
let running: ReturnType<Place['begin']> | undefined;
beforeEach(async () => {
  id = `killed-${++begun}`;
  place = await Place.sharing(STATES);
});
afterEach(async () => {
  running?.kill('SIGKILL');
  await running;
});

/** Starts the flow, and kills it when Claude has printed a result in its second turn, which is still within its grace. */
async function killedInSecondTurn(fake: FakeClaude): Promise<void> {
  running = place.begin(['start', 'flow', '--id', id], { env: fake.env });
  await untilCalled(fake, 2);
  await untilNoted(place.cwd);
  expect(statesOf(await fake.calls())).toEqual(['START.md', 'MIDDLE.md']);
  expect(await processesWith(`RAYMOND_WORKFLOW_ID=${id}`)).not.toEqual([]);
  running.kill('SIGKILL');
  await running;
  await until(async () => (await processesWith(`RAYMOND_WORKFLOW_ID=${id}`)).length === 0, {
    what: 'the end of Claude and of what it had started',
    // Sooner than by the leash of time (10 s).
    timeoutMs: 5000,
  });
}

async function untilCalled(fake: FakeClaude, count: number): Promise<void> {
  await until(async () => (await fake.calls()).length === count, { what: `call ${count}` });
}

describe('a run whose process is killed in the middle of a prompt turn', () => {
  test('continues after its recorded turn, in the same conversation; a cost that was printed before counts once', async () => {
    const fake = await fakeWith(
      { match: '^First', text: '<goto>MIDDLE</goto>', costUsd: 0.01 },
      {
        match: '^Second',
        times: 1,
        text: 'Too late. <goto>END</goto>',
        costUsd: 0.2,
        hang: 'after',
        spawnDaemon: true,
      },
      { match: '^Second', text: '<goto>END</goto>', costUsd: 0.03 },
      { match: '^Third', text: '<result>the end</result>', costUsd: 0.05 },
    );
    await killedInSecondTurn(fake);
    const resumed = await place.raymond(['resume', id, '--json'], { env: fake.env });
    expect(documentOf(resumed)).toMatchObject({ status: 'completed', result: 'the end' });
    expect(documentOf(resumed).costUsd).toBeCloseTo(0.01 + 0.2 + 0.03 + 0.05, 10);
    const { stdout: costs } = await place.raymond(['status', id, '--costs']);
    expect(costs).toContain('of which lost attempts: $0.20');
    const all = await fake.calls();
    expect(statesOf(all)).toEqual(['START.md', 'MIDDLE.md', 'MIDDLE.md', 'END.md']);
    expect(flagOf(all[2], '--resume')).toContain(sessionsOf(all)[0]);
    expect(await fake.conversation(sessionsOf(all)[3]!)).toEqual([
      'user: First.',
      'assistant: <goto>MIDDLE</goto>',
      'user: Second.',
      'assistant: <goto>END</goto>',
      'user: Third.',
      'assistant: <result>the end</result>',
    ]);
    expect(await transcriptsOf(fake)).not.toContain(sessionsOf(all)[1]);
    expect(await leftovers(place.cwd)).toEqual([]);
  });

  test('twice counts the cost of both attempts', async () => {
    const late = { match: '^Second', times: 1, text: 'Too late.', hang: 'after' } as const;
    const fake = await fakeWith(
      { match: '^First', text: '<goto>MIDDLE</goto>', costUsd: 0.01 },
      { ...late, costUsd: 0.2 },
      { ...late, costUsd: 0.4 },
      { match: '^Second', text: '<result>at last</result>', costUsd: 0.03 },
    );
    await killedInSecondTurn(fake);
    running = place.begin(['resume', id], { env: fake.env });
    await untilNoted(place.cwd, 2);
    running.kill('SIGKILL');
    await running;
    const resumed = await place.raymond(['resume', id, '--json'], { env: fake.env });
    expect(documentOf(resumed)).toMatchObject({ status: 'completed', result: 'at last' });
    expect(documentOf(resumed).costUsd).toBeCloseTo(0.01 + 0.2 + 0.4 + 0.03, 10);
    expect(statesOf(await fake.calls())).toEqual(['START.md', 'MIDDLE.md', 'MIDDLE.md', 'MIDDLE.md']);
  });

  test('before its answer, and cancelled instead of resumed, ends with what it had cost', async () => {
    const fake = await fakeWith(
      { match: '^First', text: '<goto>MIDDLE</goto>', costUsd: 0.01 },
      { match: '^Second', results: [{ text: 'So far.', costUsd: 0.2 }], hang: 'after', ignoreSigterm: true },
    );
    await killedInSecondTurn(fake);
    expect(await place.raymond(['cancel', id], { env: fake.env })).toMatchObject({ exitCode: 0 });
    const cancelled = await place.raymond(['status', id, '--json']);
    expect(documentOf(cancelled)).toMatchObject({ status: 'cancelled', costUsd: 0.21 });
    expect(await fake.calls()).toHaveLength(2);
    expect(await leftovers(place.cwd)).toEqual([]);
  });

  test('and given to the queue again by the server, and cancelled then, ends with what it had cost, booked once', async () => {
    const fake = await fakeWith(
      { match: '^First', text: '<goto>MIDDLE</goto>', costUsd: 0.01 },
      { match: '^Second', times: 1, results: [{ text: 'So far.', costUsd: 0.2 }], hang: 'after' },
      { match: '^Second', text: '<goto>END</goto>', costUsd: 0.04 },
      { match: '^Third', text: '<result>the end</result>', costUsd: 0.08 },
    );
    await killedInSecondTurn(fake);
    await until(() => queuedAgain(place.cwd, `${id}/main`), {
      what: 'the second attempt',
      timeoutMs: 60_000,
      everyMs: 500,
    });
    expect(await place.raymond(['cancel', id], { env: fake.env })).toMatchObject({ exitCode: 0 });
    const cancelled = await place.raymond(['status', id, '--json']);
    expect(documentOf(cancelled)).toMatchObject({ status: 'cancelled', costUsd: 0.21 });
    expect(await fake.calls()).toHaveLength(2);
    expect(await leftovers(place.cwd)).toEqual([]);
    const resumed = documentOf(await place.raymond(['resume', id, '--json'], { env: fake.env }));
    expect(resumed).toMatchObject({ status: 'completed', result: 'the end' });
    expect(resumed.costUsd).toBeCloseTo(0.01 + 0.2 + 0.04 + 0.08, 10);
    expect(statesOf(await fake.calls())).toEqual(['START.md', 'MIDDLE.md', 'MIDDLE.md', 'END.md']);
    expect(await leftovers(place.cwd)).toEqual([]);
  });

  test('with SIGTERM lets the turn end, and nothing of it runs again', async () => {
    const fake = await fakeWith(
      { match: '^First', text: '<goto>MIDDLE</goto>' },
      { match: '^Second', text: '<goto>END</goto>', delayMs: 1500 },
      { match: '^Third', text: '<result>the end</result>' },
    );
    running = place.begin(['start', 'flow', '--id', id], { env: fake.env });
    await untilCalled(fake, 2);
    running.kill('SIGTERM');
    expect((await running).exitCode).toBe(130);
    expect(await fake.calls()).toHaveLength(2);
    const resumed = await place.raymond(['resume', id], { env: fake.env });
    expect(resumed).toMatchObject({ stdout: 'the end', exitCode: 0 });
    expect(statesOf(await fake.calls())).toEqual(['START.md', 'MIDDLE.md', 'END.md']);
  });
});

// The sample workflows that are conversations, and the smallest one, run as their READMEs say with a fake model that answers well.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { Place, SAMPLES } from '../support/cli.js';
import { flagOf } from '../support/fake-claude.js';
import { documentOf, fakeWith, sessionsOf, statesOf, visited } from '../support/fakes.js';

let place: Place;
beforeAll(async () => {
  place = await Place.at();
});

test('every sample is run by a test', async () => {
  const entries = await readdir(SAMPLES, { withFileTypes: true });
  const samples = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  // The last three: samplesWork.test.ts.
  expect(samples.sort()).toEqual(['hello', 'research', 'story', ...['coding', 'dispatch', 'poll']].sort());
});

describe('hello', () => {
  test.each([
    [['--input', 'Ada'], 'Hello, Ada!'],
    [[], 'Hello, world!'],
    [['--input', 'a "quoted" <name> $HOME `x`'], 'Hello, a quoted name $HOME `x`!'],
  ])('with %j greets', async (args, greeting) => {
    const called = await place.raymond(['start', join(SAMPLES, 'hello'), ...args]);
    expect(called).toMatchObject({ stdout: greeting, exitCode: 0 });
    expect(visited(called, 'main')).toEqual(['1_START.sh', 'GREET.sh']);
  });
});

describe('story', () => {
  test('is told in one conversation over three states', async () => {
    const fake = await fakeWith(
      { match: '^Write the opening', text: 'Tomas wound the clock.\n\n<goto>TWIST.md</goto>' },
      { match: '^Write the second', text: 'The clock was the lamp.\n\n<goto>ENDING.md</goto>' },
      { match: '^Write the third', text: '<result>\nThe Lamp\n\nThe three paragraphs.\n</result>' },
    );
    const called = await place.raymond(['start', join(SAMPLES, 'story')], { env: fake.env });
    expect(called).toMatchObject({ stdout: 'The Lamp\n\nThe three paragraphs.', exitCode: 0 });
    expect(visited(called, 'main')).toEqual(['1_START.md', 'TWIST.md', 'ENDING.md']);
    const calls = await fake.calls();
    const [first, second, third] = sessionsOf(calls);
    expect(calls.map((call) => flagOf(call, '--resume')?.match(/([^/]+)\.jsonl$/)?.[1])).toEqual([
      undefined,
      first,
      second,
    ]);
    const told = await fake.conversation(third!);
    expect(told.map((said) => said.replace(/^(\w+: Write the \w+|\w+:).*/s, '$1'))).toEqual([
      'user: Write the opening',
      'assistant:',
      'user: Write the second',
      'assistant:',
      'user: Write the third',
      'assistant:',
    ]);
    expect(calls[0]?.prompt).not.toContain('allowed_transitions');
  });
});

describe('research', () => {
  const QUESTION = 'Where are the exit codes?';

  test('finds, answers, has the answer judged, improves it once, and finishes', async () => {
    const fake = await fakeWith(
      { match: '^You are about to answer', text: '1. Exit codes.\n\n<call return="ANSWER.md">RESEARCH.md</call>' },
      { match: '^Find the facts', times: 1, text: '<result>\nfirst fact (exit.ts:1)\nunknown: much\n</result>' },
      { match: '^Find the facts', text: '<result>\nsecond fact (exit.ts:2)\nunknown: nothing\n</result>' },
      {
        match: '^The research came back',
        touch: 'research-answer.md',
        text: 'Written.\n<function return="DECIDE.md">EVALUATE.md</function>',
      },
      { match: '^Read the file', times: 1, text: '<result>NO: a line is missing</result>' },
      { match: '^Read the file', text: '<result>YES</result>' },
      { match: '<verdict>\\s*NO: a line', text: 'Find the line.\n<call return="ANSWER.md">RESEARCH.md</call>' },
      { match: '<verdict>\\s*YES', text: '<result>\nIn exit.ts.\n</result>' },
    );
    const called = await place.raymond(['start', join(SAMPLES, 'research'), '--input', QUESTION], { env: fake.env });
    expect(called).toMatchObject({ stdout: 'In exit.ts.', exitCode: 0 });
    const calls = await fake.calls();
    const round = ['RESEARCH.md', 'ANSWER.md', 'EVALUATE.md', 'DECIDE.md'];
    expect(statesOf(calls)).toEqual(['1_START.md', ...round, ...round]);
    expect(visited(called, 'main')).toEqual(statesOf(calls));

    const [start, research, answer, evaluate, decide, again] = calls;
    const [framed, researched, answered] = sessionsOf(calls);
    expect(start?.prompt).toContain(`<question>\n${QUESTION}\n</question>`);
    // A call branches off, and only its result comes back into the caller's conversation.
    expect(flagOf(research, '--resume')).toContain(framed);
    expect(flagOf(answer, '--resume')).toContain(framed);
    expect(answer?.prompt).toContain('<findings>\nfirst fact (exit.ts:1)\nunknown: much\n</findings>');
    // A function knows nothing of it all.
    expect(flagOf(evaluate, '--resume')).toBeUndefined();
    expect(flagOf(evaluate, '--model')).toBe('haiku');
    expect(flagOf(decide, '--resume')).toContain(answered);
    expect(flagOf(again, '--resume')).toContain(sessionsOf(calls)[4]);
    const last = await fake.conversation(sessionsOf(calls).at(-1)!);
    expect(last.join('\n')).not.toContain('Find the facts');
    expect((await fake.conversation(researched!)).at(-1)).toContain('first fact');
    expect(await place.read('research-answer.md')).toBeDefined();
  });

  test('without a question says so', async () => {
    const answer = 'No question was given.';
    const fake = await fakeWith({ match: '\\{\\{input\\}\\}', text: `<result>${answer}</result>` });
    const called = await place.raymond(['start', join(SAMPLES, 'research'), '--json'], { env: fake.env });
    expect(documentOf(called)).toMatchObject({ status: 'completed', result: answer });
    expect(called.stderr).toContain('the prompt names {{input}}, but no value is pending');
  });
});

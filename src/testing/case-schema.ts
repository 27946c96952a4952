// What a file of tests may say, as one zod schema: its errors and its JSON schema come from here. Values are texts as YAML has them; what a
// test asks of a run is compared in expect.ts.
import { z } from 'zod';
import { parseSelector, SCRIPTED_FAILURES, SELECTOR_FORM, type ScriptedFailure } from '../backends/scripted/script.js';
import { DURATION, DURATION_FORM, parseDuration } from '../protocol/machine/wait.js';
import { RUN_STATUSES } from '../workflows/contract.js';

const text = z.string();
const texts = z.union([text.transform((one) => [one]), z.array(text)]);
const selector = text
  .refine((key) => parseSelector(key) !== undefined, `expected ${SELECTOR_FORM}`)
  .meta({ pattern: '^[^/#]+(/[^/#]+)?(#[1-9][0-9]*)?$' });

const dollars = text
  .regex(/^\s*(\d+(\.\d*)?|\.\d+)\s*$/, { error: ({ input }) => `expected an amount in USD, got "${String(input)}"` })
  .transform(Number);

const duration = text
  .transform((value, context) => {
    const seconds = parseDuration(value);
    if (seconds !== undefined) return seconds;
    context.issues.push({ code: 'custom', message: `expected ${DURATION_FORM}, got "${value}"`, input: value });
    return z.NEVER;
  })
  .meta({ pattern: DURATION.source });

const AMOUNT = /^\s*(<=|>=|<|>|=)?\s*\$?(\d+(?:\.\d*)?|\.\d+)\s*$/;

const amountCheck = text.regex(AMOUNT, `expected an amount such as 0.5 or "<= 0.50"`).transform((value) => {
  const [, operator = '=', amount] = AMOUNT.exec(value) ?? [];
  return { operator: operator as '<=' | '>=' | '<' | '>' | '=', amount: Number(amount) };
});

const pattern = text.refine((source) => {
  try {
    new RegExp(source, 'u');
    return true;
  } catch {
    return false;
  }
}, 'expected a regular expression');

const textRules = {
  is: text.optional().describe('the whole text, white space around it aside'),
  contains: texts.optional().describe('what must be in it'),
  lacks: texts.optional().describe('what must not be in it'),
  matches: pattern.optional().describe('a regular expression that must fit somewhere'),
};
const textCheck = z
  .union([text.transform((is) => ({ is })), z.strictObject(textRules)])
  .meta({ id: 'text', description: 'what a text must be, or rules for it' });
const fileCheck = z
  .union([
    text.transform((is) => ({ is })),
    z.strictObject({ ...textRules, absent: z.literal('true').optional().describe('there is no such file') }),
  ])
  .meta({ id: 'file' });

const failureNames = Object.keys(SCRIPTED_FAILURES) as ScriptedFailure[];
const reply = z
  .union([
    text.transform((says) => ({ says })),
    z.strictObject({
      says: text.optional().describe('the answer'),
      cost: dollars.optional().describe('in USD; 0 without it'),
      writes: z.record(text, text).optional().describe('files that the agent writes, by paths in its directory'),
      removes: texts.optional().describe('files that it removes'),
      denied: texts.optional().describe('tools that it was not permitted'),
      fails: z.enum(failureNames).optional().describe('it fails instead'),
      resets: duration.optional().describe('with fails: usage-limit, when the limit ends, such as 3h'),
    }),
  ])
  .meta({ id: 'reply', description: 'what a prompt is answered: a text, or what it says, writes and costs' });
const replies = z.union([reply.transform((one) => [one]), z.array(reply).min(1)]);

const answer = z
  .union([
    text.transform((said) =>
      said === 'none' ? ({ kind: 'none' } as const) : ({ kind: 'answer', text: said } as const),
    ),
    z
      .strictObject({ text: text.optional(), files: z.record(text, text).optional() })
      .transform(({ text: said = '', files }) => ({ kind: 'answer', text: said, files }) as const),
  ])
  .meta({ id: 'answer' });
const answers = z.union([answer.transform((one) => [one]), z.array(answer).min(1)]);

const paths = z.union([z.array(text), z.record(text, z.array(text))]);
const prompt = z.strictObject({ ...textRules, model: text.optional(), effort: text.optional() });
const agent = z.strictObject({ status: text.optional(), result: textCheck.optional() });

const expected = z
  .strictObject({
    status: z.enum(RUN_STATUSES).optional().describe('how the run ends; completed where nothing is said'),
    path: paths.optional().describe('the states that main visits, in order; or by agent'),
    cost: amountCheck.optional().describe('in USD: an amount, or "<= 0.50" and the like'),
    result: textCheck.optional().describe('the result of main'),
    error: textCheck.optional().describe('what failed agents say'),
    prints: textCheck.optional().describe('what <print> shows'),
    warnings: textCheck.optional().describe('warnings of the package and of turns'),
    prompts: z.record(selector, prompt).optional().describe('what a state is asked, by the state'),
    sessions: z.record(selector, text).optional().describe('fresh, or continues STATE#1: the conversation of a prompt'),
    files: z.record(text, fileCheck).optional().describe("files of the run's folder"),
    waited: z.record(selector, duration).optional().describe('how long was waited for a state, or in it'),
    asks: z.record(selector, textCheck).optional().describe("the words of a state's question"),
    commands: z.record(text, textCheck).optional().describe('how a stub was called: a line of arguments for each call'),
    agents: z.record(text, agent).optional().describe('how forked agents end, by their ids'),
  })
  .meta({ id: 'expected' });

const start = z.strictObject({
  input: text.optional().describe('what the run is given'),
  budget: dollars.optional().describe('in USD'),
  model: text.optional().describe('of prompts that name none'),
  effort: text.optional().describe('of prompts that name none'),
  cwd: text.optional().describe('where it works, in its folder'),
  env: z.record(text, text).optional().describe('variables of its environment'),
});

const caseFields = {
  workflow: text.optional().describe('the workflow, from the folder of this file; absent = that folder'),
  start: start.optional().describe('with what the run begins'),
  files: z.record(text, text).optional().describe('what the fresh git folder of the run holds'),
  commands: z
    .record(z.string().regex(/^[\w.+-]+$/), text)
    .optional()
    .describe('stubs on the PATH of scripts, in bash'),
  claude: z.record(selector, replies).optional().describe('by state, visit after visit; the last reply repeats'),
  exact: z.literal(['true', 'false']).optional().describe('no reply is given twice'),
  answers: z
    .record(selector, answers)
    .optional()
    .describe('to questions, by the state that asks; none = the time passes'),
  hashes: z.record(text, text).optional().describe('SHA-256 of states as they were when this was recorded'),
  expect: expected.optional().describe('what must be so at the end'),
};

const testCase = z.strictObject({ name: text.describe('tells the case apart'), ...caseFields });

/** A file of tests. */
export const testFileSchema = z.strictObject({
  name: text.optional().describe('of the only case; without it the name of the file'),
  ...caseFields,
  cases: z.array(testCase).min(1).optional().describe('several cases; what stands beside them holds for all'),
});

/** What a file of tests says. */
export type TestFile = z.output<typeof testFileSchema>;

/** What is expected of a run. */
export type Expected = z.output<typeof expected>;

/** What a text must be. */
export type TextCheck = z.output<typeof textCheck>;

/** What a file must be. */
export type FileCheck = z.output<typeof fileCheck>;

/** One reply as it is written. */
export type WrittenReply = z.output<typeof reply>;

/** One answer to a question. */
export type ScriptedAnswer = z.output<typeof answer>;

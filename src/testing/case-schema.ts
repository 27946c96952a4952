// The schema of a test file, in zod: its errors and its JSON schema come from here. Values are texts, as YAML has them;
// expect.ts compares the expected values.
import { z } from 'zod';
import { parseSelector, SCRIPTED_FAILURES, SELECTOR_FORM, type ScriptedFailure } from '../backends/scripted/script.js';
import { DURATION, DURATION_FORM, parseDuration } from '../protocol/text.js';
import { RUN_STATUSES } from '../contract/runs.js';

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
  is: text.optional().describe('the whole text, without surrounding white space'),
  contains: texts.optional().describe('text that it must contain'),
  lacks: texts.optional().describe('text that it must not contain'),
  matches: pattern.optional().describe('a regular expression that must match somewhere'),
};
const textCheck = z
  .union([text.transform((is) => ({ is })), z.strictObject(textRules)])
  .meta({ id: 'text', description: 'the expected text, or rules for it' });
const fileCheck = z
  .union([
    text.transform((is) => ({ is })),
    z.strictObject({ ...textRules, absent: z.literal('true').optional().describe('the file must not exist') }),
  ])
  .meta({ id: 'file' });

const failureNames = Object.keys(SCRIPTED_FAILURES) as ScriptedFailure[];
const reply = z
  .union([
    text.transform((says) => ({ says })),
    z.strictObject({
      says: text.optional().describe('text of the reply'),
      cost: dollars.optional().describe('cost in USD; default: 0'),
      writes: z.record(text, text).optional().describe('files that the agent writes, by path in its directory'),
      removes: texts.optional().describe('files that the agent removes'),
      denied: texts.optional().describe('tools that the agent was denied'),
      fails: z.enum(failureNames).optional().describe('the prompt fails with this failure instead'),
      resets: duration.optional().describe('with fails: usage-limit, the time until the limit ends, such as 3h'),
    }),
  ])
  .meta({ id: 'reply', description: 'the reply to a prompt: a text, or its text, files and cost' });
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
    status: z.enum(RUN_STATUSES).optional().describe('final status of the run; default: completed'),
    path: paths.optional().describe('the states that main visits, in order; or per agent'),
    cost: amountCheck.optional().describe('cost in USD: an amount, or a bound such as "<= 0.50"'),
    result: textCheck.optional().describe('the result of main'),
    error: textCheck.optional().describe('error messages of failed agents'),
    prints: textCheck.optional().describe('texts of <print>'),
    warnings: textCheck.optional().describe('warnings of the package and of turns'),
    prompts: z.record(selector, prompt).optional().describe('prompts that the model receives, by state'),
    sessions: z.record(selector, text).optional().describe('conversation of a prompt: fresh, or continues STATE#1'),
    files: z.record(text, fileCheck).optional().describe("files of the run's folder"),
    waited: z.record(selector, duration).optional().describe('simulated waiting time before a state, or in it'),
    asks: z.record(selector, textCheck).optional().describe("text of a state's question"),
    commands: z.record(text, textCheck).optional().describe('calls of a stub: one line of arguments per call'),
    agents: z.record(text, agent).optional().describe('final status of forked agents, by id'),
  })
  .meta({ id: 'expected' });

const start = z.strictObject({
  input: text.optional().describe('options of the run'),
  budget: dollars.optional().describe('in USD'),
  model: text.optional().describe('for prompts that set none'),
  effort: text.optional().describe('for prompts that set none'),
  cwd: text.optional().describe('working directory, inside the folder of the run'),
  env: z.record(text, text).optional().describe('environment variables'),
});

const caseFields = {
  workflow: text.optional().describe('path of the workflow, relative to this file; default: the folder of this file'),
  start: start.optional().describe('input of the run'),
  files: z.record(text, text).optional().describe('files in the fresh git repository of the run'),
  commands: z
    .record(z.string().regex(/^[\w.+-]+$/), text)
    .optional()
    .describe('stubs on the PATH of scripts, in bash'),
  claude: z.record(selector, replies).optional().describe('replies by state, one per prompt; the last one repeats'),
  exact: z.literal(['true', 'false']).optional().describe('fail instead of repeating the last reply'),
  answers: z
    .record(selector, answers)
    .optional()
    .describe('answers to questions, by state; none = the question expires'),
  hashes: z.record(text, text).optional().describe('SHA-256 of the states when this was recorded'),
  only: z.literal(['true', 'false']).optional().describe('run only the cases of this file that have this key'),
  skip: z.literal(['true', 'false']).optional().describe('do not run this case'),
  expect: expected.optional().describe('expected results of the run'),
};

const testCase = z.strictObject({
  name: text.describe('unique name of the case'),
  each: z
    .array(z.record(text, text))
    .min(1)
    .optional()
    .describe('rows: the case is run for each, with {{each.COLUMN}} replaced in all its texts'),
  ...caseFields,
});

/** A file of tests. */
export const testFileSchema = z.strictObject({
  name: text.optional().describe('name of the only case; default: the name of the file'),
  ...caseFields,
  cases: z.array(testCase).min(1).optional().describe('several cases; keys beside them apply to all'),
});

/** The content of a test file. */
export type TestFile = z.output<typeof testFileSchema>;

/** The expected results of a run. */
export type Expected = z.output<typeof expected>;

/** An expected text. */
export type TextCheck = z.output<typeof textCheck>;

/** An expected file. */
export type FileCheck = z.output<typeof fileCheck>;

/** One reply as it is written. */
export type WrittenReply = z.output<typeof reply>;

/** One answer to a question. */
export type ScriptedAnswer = z.output<typeof answer>;

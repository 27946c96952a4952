// What a file of tests may say, as one zod schema: its errors and its JSON schema come from here. Values are texts as YAML has them; what a
// test asks of a run is compared in expect.ts.
import { z } from 'zod';
import { parseSelector, SCRIPTED_FAILURES, SELECTOR_FORM, type ScriptedFailure } from '../backends/scripted/script.js';
import { DURATION_FORM, parseDuration } from '../protocol/wait.js';
import { RUN_STATUSES } from '../workflows/contract.js';

const text = z.string();
const texts = z.union([text.transform((one) => [one]), z.array(text)]);
const selector = text.refine((key) => parseSelector(key) !== undefined, `expected ${SELECTOR_FORM}`);
const written = z.union([text, z.number()]).transform(String);

const dollars = written.transform((value, context) => {
  if (/^\d+(\.\d*)?$|^\.\d+$/.test(value.trim())) return Number(value);
  context.issues.push({ code: 'custom', message: `expected an amount in USD, got "${value}"`, input: value });
  return z.NEVER;
});

const duration = written.transform((value, context) => {
  const seconds = parseDuration(value);
  if (seconds !== undefined) return seconds;
  context.issues.push({ code: 'custom', message: `expected ${DURATION_FORM}, got "${value}"`, input: value });
  return z.NEVER;
});

const AMOUNT = /^\s*(<=|>=|<|>|=)?\s*\$?(\d+(?:\.\d*)?|\.\d+)\s*$/;

const amountCheck = written.transform((value, context) => {
  const [, operator = '=', amount] = AMOUNT.exec(value) ?? [];
  if (amount !== undefined) return { operator: operator as '<=' | '>=' | '<' | '>' | '=', amount: Number(amount) };
  context.issues.push({ code: 'custom', message: `expected an amount such as 0.5 or "<= 0.50"`, input: value });
  return z.NEVER;
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
  is: text.optional(),
  contains: texts.optional(),
  lacks: texts.optional(),
  matches: pattern.optional(),
};
const textCheck = z.union([text.transform((is) => ({ is })), z.strictObject(textRules)]);
const fileCheck = z.union([
  text.transform((is) => ({ is })),
  z.strictObject({ ...textRules, absent: z.literal(['true', true]).optional() }),
]);

const failureNames = Object.keys(SCRIPTED_FAILURES) as ScriptedFailure[];
const reply = z
  .union([
    text.transform((says) => ({ says })),
    z.strictObject({
      says: text.optional(),
      cost: dollars.optional(),
      writes: z.record(text, text).optional(),
      removes: texts.optional(),
      denied: texts.optional(),
      fails: z.enum(failureNames).optional(),
      resets: duration.optional(),
    }),
  ])
  .describe('what a prompt is answered: a text, or what it says, writes and costs');
const replies = z.union([reply.transform((one) => [one]), z.array(reply).min(1)]);

const answer = z.union([
  text.transform((said) => (said === 'none' ? ({ kind: 'none' } as const) : ({ kind: 'answer', text: said } as const))),
  z
    .strictObject({ text: text.optional(), files: z.record(text, text).optional() })
    .transform(({ text: said = '', files }) => ({ kind: 'answer', text: said, files }) as const),
]);
const answers = z.union([answer.transform((one) => [one]), z.array(answer).min(1)]);

const expected = z.strictObject({
  status: z.enum(RUN_STATUSES).optional(),
  path: z.union([z.array(text), z.record(text, z.array(text))]).optional(),
  cost: amountCheck.optional(),
  result: textCheck.optional(),
  error: textCheck.optional(),
  prints: textCheck.optional(),
  warnings: textCheck.optional(),
  prompts: z
    .record(selector, z.strictObject({ ...textRules, model: text.optional(), effort: text.optional() }))
    .optional(),
  sessions: z.record(selector, text).optional(),
  files: z.record(text, fileCheck).optional(),
  waited: z.record(selector, duration).optional(),
  asks: z.record(selector, textCheck).optional(),
  commands: z.record(text, textCheck).optional(),
  agents: z.record(text, z.strictObject({ status: text.optional(), result: textCheck.optional() })).optional(),
});

const start = z.strictObject({
  input: written.optional(),
  budget: dollars.optional(),
  model: text.optional(),
  effort: text.optional(),
  cwd: text.optional(),
  env: z.record(text, written).optional(),
});

const caseFields = {
  workflow: text.optional().describe('the workflow, from the folder of this file; absent = that folder'),
  start: start.optional(),
  files: z.record(text, text).optional().describe('what the fresh git folder of the run holds'),
  commands: z
    .record(z.string().regex(/^[\w.+-]+$/), text)
    .optional()
    .describe('stubs on the PATH of scripts, in bash'),
  claude: z.record(selector, replies).optional().describe('by state, visit after visit; the last reply repeats'),
  exact: z.literal(['true', 'false', true, false]).optional().describe('no reply is given twice'),
  answers: z
    .record(selector, answers)
    .optional()
    .describe('to questions, by the state that asks; none = the time passes'),
  hashes: z.record(text, text).optional().describe('SHA-256 of states as they were when this was recorded'),
  expect: expected.optional(),
};

const testCase = z.strictObject({ name: text, ...caseFields });

/** A file of tests. */
export const testFileSchema = z.strictObject({
  name: text.optional(),
  ...caseFields,
  cases: z.array(testCase).min(1).optional(),
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

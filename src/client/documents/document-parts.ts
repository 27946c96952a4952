// The common parts of several JSON documents (documents.ts), as schemas: runs with their agents and questions, and
// recorded turns. All are strict: a field outside the schema must not be printed.
import { z } from 'zod';
import { SANDBOX_KINDS } from '../../protocol/sandbox.js';
import { RUN_STATUSES } from '../../contract/runs.js';

/** A text. */
export const text = z.string();
/** A whole number from 0. */
export const count = z.number().int().nonnegative();
/** Dollars. */
export const usd = z.number().nonnegative();
/** A time in ISO form, UTC. */
export const time = z.iso.datetime();
/** A list of these. */
export const list = <T extends z.ZodType>(item: T): z.ZodReadonly<z.ZodArray<T>> => z.array(item).readonly();

const artifact = z.strictObject({ sha256: text, bytes: count });
const value = z.union([text, artifact]);
/** The status of a run. */
export const runStatus = z.enum(RUN_STATUSES);
/** A note of an operator that waits for the agent's next prompt. */
export const note = z.strictObject({ by: text, text: value });

const agentStatus = z.enum([
  'running',
  'waiting',
  'queued',
  'paused',
  'sleeping',
  'asking',
  'awaiting',
  'completed',
  'failed',
  'cancelled',
  'lost',
]);

const slot = z.strictObject({ name: text, types: list(text) });
const upload = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('slots'), slots: list(slot) }),
  z.strictObject({
    kind: z.literal('bucket'),
    types: list(text),
    maxCount: count,
    maxBytes: count,
    maxTotalBytes: count,
  }),
]);

const ask = z.strictObject({
  askId: text,
  agentId: text,
  prompt: text,
  askedAt: time.optional(),
  until: time.optional(),
  upload: upload.optional(),
  choices: list(text).optional(),
  show: list(text).optional(),
});

/** An agent in a document. */
export const agent = z.strictObject({
  id: text,
  status: agentStatus,
  state: text,
  host: text.optional(),
  costUsd: usd,
  result: text.optional(),
  error: text.optional(),
  /** A type of docs/reference/language/failures.md, such as `ScriptFailed`. */
  errorType: text.optional(),
  waitsFor: text.optional(),
  about: text.optional(),
});

/** What a run is about. */
export const labels = z.record(z.string(), z.string());

/** What a run was given at its start. */
export const given = z.strictObject({
  by: text,
  input: text.optional(),
  cwd: text.optional(),
  model: text.optional(),
  effort: text.optional(),
  skipsPermissions: z.literal(true).optional(),
  pinned: z.literal(true).optional(),
});

/** The turn of another run; `replaced` = the prompts that were replaced for this one. */
export const forkedFrom = z.strictObject({ runId: text, agentId: text, turn: count, replaced: list(text).optional() });

/** A run that was followed, as it is printed. */
export const run = z.strictObject({
  runId: text,
  status: runStatus,
  result: text.optional(),
  costUsd: usd,
  budgetUsd: usd.optional(),
  forkedFrom: forkedFrom.optional(),
  labels: labels.optional(),
  sandbox: z.enum(SANDBOX_KINDS).optional(),
  agents: list(agent),
  asks: list(ask),
  startedAt: time,
  endedAt: time.optional(),
});

const scope = z.strictObject({
  kind: z.enum(['directory', 'zip', 'yaml']),
  path: text,
  url: text.optional(),
  origin: text.optional(),
  stored: z.strictObject({ blob: text, bundle: text.optional() }).optional(),
  replaced: z.record(text, text).optional(),
});

const fork = z.strictObject({
  target: text,
  workflow: z.strictObject({ scope, abbreviation: text }).optional(),
  input: value.optional(),
  cd: text.optional(),
  own: z.strictObject({ branch: text.optional() }).optional(),
  task: z.enum(['new', 'inherit']).optional(),
  context: z.literal('branch').optional(),
  attributes: z.record(text, text),
  storedAttributes: value.optional(),
});

const transitionKeys = z.strictObject({
  kind: z.enum([
    'goto',
    'reset',
    'call',
    'function',
    'fork',
    'result',
    'ask',
    'await',
    'call-workflow',
    'function-workflow',
    'reset-workflow',
  ]),
  target: text.optional(),
  return: text.optional(),
  next: text.optional(),
  input: value.optional(),
  payload: value.optional(),
  delayMs: z.number().optional(),
  cd: text.optional(),
  task: z.literal('new').optional(),
  attributes: z.record(text, text).optional(),
  scope: scope.optional(),
  forks: list(fork).optional(),
  more: z.strictObject({ count, page: value }).optional(),
  prompt: value.optional(),
  timeoutMs: z.number().optional(),
  timeoutNext: text.optional(),
  upload: upload.optional(),
  shown: list(text).optional(),
  choices: list(text).optional(),
  storedFiles: value.optional(),
});

/** With the transition that the called state decides on, and the one by which a judge replaces it. */
const transition = transitionKeys.extend({
  judging: z.strictObject({ proposed: transitionKeys, tag: value, output: value }).optional(),
  verdict: transitionKeys.optional(),
});

const overridden = z.strictObject({ pattern: text, proposed: text });

const end = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('transition'), transition, overridden: overridden.optional() }),
  z.strictObject({ kind: z.literal('problem'), message: text, text }),
  z.strictObject({
    kind: z.literal('failed'),
    failure: z.strictObject({ type: text, message: text }),
    retry: z.strictObject({ tried: count, of: count, seconds: z.number() }).optional(),
  }),
  z.strictObject({ kind: z.literal('cancelled') }),
]);

/** A recorded turn. */
export const turn = z.strictObject({
  agentId: text,
  number: count,
  state: text,
  reminder: count.optional(),
  startedAt: time,
  endedAt: time,
  attempts: count,
  end,
  costUsd: usd,
  durationMs: z.number(),
  session: z
    .strictObject({ id: text, sha256: text, model: text.optional(), backend: z.literal('pi').optional() })
    .optional(),
  account: text.optional(),
  sandbox: z.strictObject({ kind: text, policy: text, image: text.optional(), digest: text.optional() }).optional(),
  lost: z.strictObject({ usd, unknownOn: text.optional() }).optional(),
  tokens: z.strictObject({ input: count, output: count, cacheRead: count, cacheWrite: count }).optional(),
  queuedAt: time.optional(),
  ranAt: time.optional(),
  stateSha256: text.optional(),
  /** Its state is a prompt that was replaced for this run. */
  replaced: z.literal(true).optional(),
  warnings: list(text),
});

const orderFacts = { at: time, by: text, agentId: text.optional() };

/** An operator's order to a run. */
export const order = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.enum(['pause', 'resume', 'retry', 'cancel', 'withdraw']), ...orderFacts }),
  z.strictObject({ kind: z.literal('goto'), target: text, ...orderFacts }),
  z.strictObject({ kind: z.literal('budget'), usd: usd.optional(), ...orderFacts }),
  z.strictObject({ kind: z.literal('tell'), text: value, ...orderFacts }),
  z.strictObject({ kind: z.literal('answer'), askId: text, text: value, files: list(text).optional(), ...orderFacts }),
]);

/** The effects of a resumption. */
export const resumption = {
  resumed: list(text),
  failed: list(text),
  asks: list(text),
  pausedBy: text.optional(),
  restarted: z.literal(true).optional(),
  reopened: z.literal(true).optional(),
  unprocessed: z.literal(true).optional(),
};

// What the API of `raymond serve` takes and gives, as schemas: requests are checked against them, answers in tests, and OpenAPI is made of them.
// The page imports the types only. Documents that commands print, too, stand in client/documents/documents.ts.
import { z } from 'zod';
import { count, list, resumption, text, turn, usd } from '../client/documents/document-parts.js';
import { DOCUMENTS } from '../client/documents/documents.js';
import { BACKENDS, isEffort, isModelName } from '../protocol/language/policy.js';
import { RUN_STATUSES } from '../workflows/contract.js';
import { ROLES } from './people/roles.js';

/** What is wrong with a request, in the words of the command line (RFC 9457). */
export const problem = z.strictObject({
  /** `/problems/` and the code, such as `/problems/RunNotFound`. */
  type: text,
  title: text,
  status: count,
  /** What happened, and what to do next. */
  detail: text,
});

/** Whoever is signed in, and where. `by` is what is recorded of what they do. */
export const session = z.strictObject({
  by: text,
  role: z.enum(ROLES),
  project: text,
  root: text,
  /** How this Raymond is called, for people. */
  version: text,
  /** Temporal's own Web UI, when its address is known. */
  uiUrl: text.optional(),
});

/** A workflow that can be started, as its manifest describes it; `id` names it here. `problem` = it cannot be read. */
export const workflow = z.strictObject({
  id: text,
  name: text,
  description: text.optional(),
  /** As people in the project's folder write it. */
  path: text,
  kind: z.enum(['directory', 'zip', 'yaml']),
  input: z.strictObject({
    mode: z.enum(['optional', 'required', 'none']),
    label: text.optional(),
    description: text.optional(),
  }),
  defaultBudgetUsd: usd.optional(),
  /** Whether a person will be asked. */
  asks: z.boolean().optional(),
  problem: text.optional(),
});

/** The workflows. */
export const workflows = z.strictObject({ workflows: list(workflow) });

/** A workflow with its states. */
export const workflowDetail = workflow.extend({
  entry: text.optional(),
  states: list(z.strictObject({ file: text, kind: z.enum(['prompt', 'script']) })),
});

/** What lint finds in it. */
export const lintReport = DOCUMENTS.lint;

const sentFile = z.strictObject({ name: text, bytes: count, type: text });
const askOf = DOCUMENTS.status.shape.asks.unwrap().element;

/** An open question with its run; `files` are shown with it and read at `asks/ASK/files/NAME`, `sent` wait to go along with the answer. */
export const openAsk = askOf.omit({ show: true }).extend({
  runId: text,
  workflow: text,
  state: text,
  files: list(z.strictObject({ name: text, bytes: count.optional(), type: text })),
  sent: list(sentFile),
});

/** All open questions, those that wait longest first as far as that is known. */
export const inbox = z.strictObject({ asks: list(openAsk) });

/** A run in a list; `asks` counts its open questions. */
export const listedRun = DOCUMENTS.list.unwrap().element.extend({ agents: count.optional(), asks: count.optional() });

/** A page of runs, newest first; `next` is the cursor of the page after it. */
export const runs = z.strictObject({ runs: list(listedRun), next: text.optional() });

const agentOf = DOCUMENTS.status.shape.agents.unwrap().element;

/** A run: what `raymond status --json` prints, with who forked whom and its questions as the inbox has them. */
export const run = DOCUMENTS.status.extend({
  agents: list(agentOf.extend({ parent: text.optional() })),
  asks: list(openAsk),
  /** The workflow that it runs, when it is one of this project's. */
  workflowId: text.optional(),
});

/** Recorded turns in the order in which they ended; `next` = what to ask `after` for what ends later. */
export const turns = z.strictObject({ turns: list(turn), next: text });

/** A turn with what its state was given. */
export const turnDetail = turn.extend({
  kind: z.enum(['prompt', 'script']),
  /** How the agent came to the state, such as `goto`. */
  via: text.optional(),
  callers: list(text),
  cwd: text.optional(),
  input: text.optional(),
  attributes: z.record(text, text),
  /** Whether there is a conversation to read. */
  conversation: z.boolean(),
});

/** The prompt of a turn as it was sent. */
export const prompt = z.strictObject({ text });

/** A conversation: what `raymond transcript --json` prints. */
export const transcript = DOCUMENTS.transcript;

/** The line that opens a conversation in its program: what `raymond session --json` prints. */
export const opening = DOCUMENTS.session;

/** Output from `offset` on, in UTF-16 units; `next` is where it goes on, `done` = the turn has ended. `cut` = what was before is gone. */
export const output = z.strictObject({
  text,
  offset: count,
  next: count,
  done: z.boolean(),
  cut: z.boolean().optional(),
});

/** What people have asked of a run. */
export const orders = z.strictObject({ orders: DOCUMENTS.history.shape.orders });

const budget = usd;
const runFlags = {
  input: text.optional(),
  cwd: text.optional(),
  budget: budget.optional(),
  model: text.refine(isModelName, 'expected opus, sonnet, haiku or a full model name').optional(),
  effort: text.refine(isEffort, 'expected a known effort').optional(),
  backend: z.enum(BACKENDS).optional(),
  /** Seconds. */
  timeout: usd.optional(),
  maxTime: usd.optional(),
  account: list(text).optional(),
  priority: z.number().int().min(1).max(5).optional(),
  wait: z.boolean().optional(),
  dangerouslySkipPermissions: z.boolean().optional(),
  failFast: z.boolean().optional(),
  chain: z.boolean().optional(),
  debug: z.boolean().optional(),
  pin: z.boolean().optional(),
  live: z.boolean().optional(),
  check: z.boolean().optional(),
  workspace: z.enum(['shared', 'git']).optional(),
  repo: text.optional(),
  ref: text.optional(),
  outputBranch: text.optional(),
  onAsk: z.enum(['wait', 'reject']).optional(),
};

/** What to start, by the names of the flags of `raymond start`; times in seconds. `workflow` is an id of `workflows`. */
export const startRequest = z.strictObject({ workflow: text, id: text.optional(), ...runFlags });

/** A run that was begun. */
export const begun = z.strictObject({ runId: text, uiUrl: text.optional() });

/** What was done, to whom. */
export const done = z.strictObject({ runId: text, agentId: text.optional(), by: text });

/** What resuming a run has done: who continues, and who is left to `retry` and `answer`. `served` = its work is done from now on. */
export const resumed = done.extend({ served: z.boolean(), ...resumption });

/** `now` tears turns that are under way. */
export const pauseRequest = z.strictObject({ now: z.boolean().optional() });

/** Nothing to say. */
export const nothing = z.strictObject({});

/** Which turn to fork from: exactly one of `at` (do it again) and `after` (keep it); the rest by the flags of `raymond fork`. */
export const forkRequest = z
  .strictObject({
    agent: text.optional(),
    at: count.optional(),
    after: count.optional(),
    id: text.optional(),
    goto: text.optional(),
    input: text.optional(),
    fresh: z.boolean().optional(),
    cwd: text.optional(),
    budget: budget.optional(),
    dropForks: z.boolean().optional(),
    pause: z.boolean().optional(),
  })
  .refine(({ at, after }) => (at === undefined) !== (after === undefined), 'give at or after, one of them');

/** What the run may cost in USD; 0 = no limit. */
export const budgetRequest = z.strictObject({ budget });

/** What to say to an agent. */
export const tellRequest = z.strictObject({ text });

/** Where an agent shall go, by the flags of `raymond goto`. */
export const gotoRequest = z.strictObject({
  state: text,
  input: text.optional(),
  reset: z.boolean().optional(),
  now: z.boolean().optional(),
});

/** A file that waits to go along with the answer. */
export const upload = sentFile;

/** An answer; what was sent before by PUT `asks/ASK/files/NAME` goes along. */
export const answerRequest = z.strictObject({ text });

/** The question that was answered. */
export const answered = z.strictObject({ runId: text, askId: text, by: text });

/** Which runs to list. `q` is looked for in ids and names of workflows. */
export const runsQuery = z.strictObject({
  status: text
    .optional()
    .refine(
      (names) => (names ?? RUN_STATUSES[0]).split(',').every((one) => RUN_STATUSES.some((known) => known === one)),
      {
        error: `expected one or more of ${RUN_STATUSES.join(',')}`,
      },
    ),
  workflow: text.optional(),
  q: text.optional(),
  limit: z.coerce.number().int().min(1).max(500).optional(),
  cursor: text.optional(),
});

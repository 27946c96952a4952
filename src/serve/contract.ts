// The requests and answers of the API of `raymond serve`, as schemas: they validate requests, tests check answers
// against them, and OpenAPI is made from them. The page imports only the types. Documents that commands print, too, are
// in client/documents/documents.ts.
import { z } from 'zod';
import { count, labels, list, resumption, text, time, turn, usd } from '../client/documents/document-parts.js';
import { DOCUMENTS } from '../client/documents/documents.js';
import { parseSandbox, SANDBOX_FORM } from '../protocol/sandbox.js';
import { BACKENDS, isEffort, isModelName, MODEL_FORM } from '../protocol/language/policy.js';
import { RUN_STATUSES } from '../contract/runs.js';
import { ROLES } from './people/roles.js';

export { spending, spendingQuery, statistics } from './contract-figures.js';

/** An error, in the words of the command line (RFC 9457). */
export const problem = z.strictObject({
  /** `/problems/` and the code, such as `/problems/RunNotFound`. */
  type: text,
  title: text,
  status: count,
  /** What happened, and what to do next. */
  detail: text,
  /** The invalid field of the request, if it is a single one. */
  field: text.optional(),
});

/** The signed-in user, and the server. `by` is the name recorded with their actions. */
export const session = z.strictObject({
  by: text,
  role: z.enum(ROLES),
  project: text,
  root: text,
  /** The display name of this server. */
  version: text,
  /** Whether the workers of a cluster execute the runs. */
  cluster: z.boolean(),
  /** Temporal's own Web UI, when its address is known. */
  uiUrl: text.optional(),
});

/** A read-only link. */
export const link = z.strictObject({ id: text, name: text, by: text, createdAt: time, expiresAt: time });

/** The valid links, newest first. */
export const links = z.strictObject({ links: list(link) });

/** A link to make; valid for at most a year. */
export const linkRequest = z.strictObject({
  name: z.string().trim().min(1).max(60),
  hours: z.number().positive().max(8784),
});

/** The link, and its token, which is not shown again: the address is `/#token=TOKEN`. */
export const linkMade = z.strictObject({ link, token: text });

/** A workflow that can be started, from its manifest; `id` is its name in the API. `problem` = it cannot be read. */
export const workflow = z.strictObject({
  id: text,
  name: text,
  description: text.optional(),
  /** As written relative to the project's folder. */
  path: text,
  kind: z.enum(['directory', 'zip', 'yaml']),
  input: z.strictObject({
    mode: z.enum(['optional', 'required', 'none']),
    label: text.optional(),
    description: text.optional(),
  }),
  /** What a run has whose starter names no budget; 0 = no limit. */
  defaultBudgetUsd: usd.optional(),
  /** Whether it may ask a person. */
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

/** Its lint findings. */
export const lintReport = DOCUMENTS.lint;

const sentFile = z.strictObject({ name: text, bytes: count, type: text });
/** Without `bytes` it is on another host. */
const shownFile = z.strictObject({ name: text, bytes: count.optional(), type: text });
const askOf = DOCUMENTS.status.shape.asks.unwrap().element;

/**
 * An open question with its run; `files` are shown with it and read at `asks/ASK/files/NAME`, `sent` are uploaded files
 * for its answer.
 */
export const openAsk = askOf.omit({ show: true }).extend({
  runId: text,
  workflow: text,
  state: text,
  /** The run's input and options; a long input is cut. */
  input: text.optional(),
  files: list(shownFile),
  sent: list(sentFile),
});

/** The files of a question, also of one that was answered: those shown with it, and those sent with its answer. */
export const askFiles = z.strictObject({ shown: list(shownFile), sent: list(sentFile) });

/** All open questions, those that wait longest first as far as known. */
export const inbox = z.strictObject({ asks: list(openAsk) });

/**
 * A run in a list; `asks` counts its open questions, `failed` its failed agents; `cause` = the first lines of why it
 * stopped.
 */
export const listedRun = DOCUMENTS.list.unwrap().element.extend({
  agents: count.optional(),
  asks: count.optional(),
  failed: count.optional(),
  cause: text.optional(),
  /** The states of its agents that have not ended. */
  doing: text.optional(),
  pausedBy: text.optional(),
  budgetUsd: usd.optional(),
  archived: z.literal(true).optional(),
});

/** A page of runs, newest first; `next` is the cursor of the page after it. */
export const runs = z.strictObject({ runs: list(listedRun), next: text.optional() });

const agentOf = DOCUMENTS.status.shape.agents.unwrap().element;

/** A run: the document of `raymond status --json`, with the parent of each agent, and its questions as in the inbox. */
export const run = DOCUMENTS.status.extend({
  agents: list(agentOf.extend({ parent: text.optional() })),
  asks: list(openAsk),
  /** Its workflow, when it is in this project's list. */
  workflowId: text.optional(),
});

/** Recorded turns in the order in which they ended; pass `next` as `after` to get later ones. */
export const turns = z.strictObject({ turns: list(turn), next: text });

/** A turn with the input of its state. */
export const turnDetail = turn.extend({
  kind: z.enum(['prompt', 'script']),
  /** The tag that led the agent to the state, such as `goto`. */
  via: text.optional(),
  callers: list(text),
  cwd: text.optional(),
  input: text.optional(),
  attributes: z.record(text, text),
  /** Whether there is a conversation to read. */
  conversation: z.boolean(),
});

/** The file of a turn's state as the agent's next turn there would read it; `changed` = not as the turn read it. */
export const stateFile = z.strictObject({ file: text, text, changed: z.literal(true).optional() });

/** The prompt of a turn as it was sent. */
export const prompt = z.strictObject({ text });

/** A conversation: the document of `raymond transcript --json`. */
export const transcript = DOCUMENTS.transcript;

/** The command that opens a conversation in its program: the document of `raymond session --json`. */
export const opening = DOCUMENTS.session;

/**
 * Output from `offset` on, in UTF-16 units; continue at `next`, `done` = the turn has ended. `cut` = older output was
 * dropped.
 */
export const output = z.strictObject({
  text,
  offset: count,
  next: count,
  done: z.boolean(),
  cut: z.boolean().optional(),
});

/** The output of a turn within the output of its run; of a long output only the end. */
const turnOutput = z.strictObject({ agentId: text, turn: count, state: text, endedAt: time.optional(), text });

/**
 * What all agents of a run printed, by turns in the order in which they ended; pass `next` as `after` to get later ones.
 * `live` = turns in progress.
 */
export const outputs = z.strictObject({ turns: list(turnOutput), live: list(turnOutput), next: text });

/** The orders of people to a run. */
export const orders = z.strictObject({ orders: DOCUMENTS.history.shape.orders });

const budget = usd;
const runFlags = {
  input: text.optional(),
  cwd: text.optional(),
  budget: budget.optional(),
  model: text.refine(isModelName, MODEL_FORM).optional(),
  effort: text.refine(isEffort, 'expected a known effort').optional(),
  backend: z.enum(BACKENDS).optional(),
  sandbox: text.refine((word) => parseSandbox(word) !== undefined, SANDBOX_FORM).optional(),
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
  labels: labels.optional(),
  /** Variables of its scripts and prompts, over those of the manifest. */
  environment: z.record(text, text).optional(),
};

/**
 * What to start, by the names of the flags of `raymond start`; times in seconds. `workflow` is an id of `workflows`.
 */
export const startRequest = z.strictObject({ workflow: text, id: text.optional(), ...runFlags });

/** A run that was started. */
export const startedRun = z.strictObject({ runId: text, uiUrl: text.optional() });

/** What was done, to what. */
export const done = z.strictObject({ runId: text, agentId: text.optional(), by: text });

/**
 * The effects of resuming a run: which agents continue, and which need `retry` and `answer`. `served` = a process
 * executes it now.
 */
export const resumed = done.extend({ served: z.boolean(), ...resumption });

/** `now` interrupts turns in progress. */
export const pauseRequest = z.strictObject({ now: z.boolean().optional() });

/** An empty body. */
export const nothing = z.strictObject({});

/**
 * The turn to fork from: exactly one of `at` (run it again) and `after` (keep it); the rest by the flags of `raymond
 * fork`.
 */
export const forkRequest = z
  .strictObject({
    agent: text.optional(),
    at: count.optional(),
    after: count.optional(),
    id: text.optional(),
    goto: text.optional(),
    input: text.optional(),
    /** New texts of prompts by their files: for the new run only. */
    replace: z.record(text, text).optional(),
    fresh: z.boolean().optional(),
    cwd: text.optional(),
    budget: budget.optional(),
    dropForks: z.boolean().optional(),
    pause: z.boolean().optional(),
  })
  .refine(({ at, after }) => (at === undefined) !== (after === undefined), 'give either at or after');

/** The budget of the run in USD; 0 = no limit. */
export const budgetRequest = z.strictObject({ budget });

/** The note for an agent. */
export const tellRequest = z.strictObject({ text });

/** The next state of an agent, by the flags of `raymond goto`. */
export const gotoRequest = z.strictObject({
  state: text,
  input: text.optional(),
  reset: z.boolean().optional(),
  now: z.boolean().optional(),
});

/** An uploaded file for an answer. */
export const upload = sentFile;

/** An answer; files uploaded before by PUT `asks/ASK/files/NAME` are part of it. */
export const answerRequest = z.strictObject({ text });

/** The question that was answered. */
export const answered = z.strictObject({ runId: text, askId: text, by: text });

/** In the filter by status: runs that completed although agents of theirs failed. */
export const WITH_FAILURES = 'completed-with-failures';

const LISTED_STATUSES: readonly string[] = [...RUN_STATUSES, WITH_FAILURES];

/** Which runs to list. `q` is searched in ids, names of workflows, labels, inputs and starters. */
export const runsQuery = z.strictObject({
  status: text
    .optional()
    .refine((names) => (names ?? RUN_STATUSES[0]).split(',').every((one) => LISTED_STATUSES.includes(one)), {
      error: `expected one or more of ${LISTED_STATUSES.join(',')}`,
    }),
  workflow: text.optional(),
  /** Started from this time on. */
  since: time.optional(),
  /** Cost at least this so far. */
  minCostUsd: z.coerce.number().min(0).optional(),
  /** Runs of this workflow of the project, by its id. */
  ofWorkflow: text.optional(),
  /** Forks of this run only. */
  forkOf: text.optional(),
  /** The archived runs instead of the others. */
  archived: z.enum(['true', 'false']).optional(),
  q: text.optional(),
  limit: z.coerce.number().int().min(1).max(500).optional(),
  cursor: text.optional(),
});

/** Whether the run is in the archive: hidden from the list unless asked for. */
export const archiveRequest = z.strictObject({ archived: z.boolean() });

/** The agents that were asked to retry. */
export const retried = z.strictObject({ runId: text, by: text, agents: list(text) });

/** The schedules, by name. */
export const schedules = z.strictObject({ schedules: DOCUMENTS['schedule list'] });

/** The schedule that was changed, or the run that it has started; without a run it waits for the open one. */
export const scheduleDone = DOCUMENTS['schedule trigger'];

/** The hosts of the fleet, by name. */
export const hosts = z.strictObject({ hosts: DOCUMENTS.hosts });

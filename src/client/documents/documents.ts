// The JSON documents that commands print with --json, as schemas: docs/reference/json is written from them, tests check the
// output against them, and its types come from them. Commands import only the types, so that the schema library is not
// loaded.
import { z } from 'zod';
import {
  agent,
  count,
  forkedFrom,
  given,
  labels,
  list,
  note,
  order,
  resumption,
  run,
  runStatus,
  text,
  time,
  turn,
  usd,
} from './document-parts.js';
import { OVERLAPS } from '../../contract/runs.js';
import { GARBAGE_KINDS } from '../garbage/garbage.js';

const cost = z.strictObject({ name: text, turns: count, costUsd: usd });
const lost = z.strictObject({
  costUsd: usd,
  unknown: list(z.strictObject({ agentId: text, host: text, turn: count })),
});

const costs = z.strictObject({
  byAgent: list(cost),
  byState: list(cost),
  byModel: list(cost),
  byAccount: list(cost).optional(),
  lost: lost.optional(),
});

const status = run.extend({
  workflow: text,
  scope: text,
  open: z.boolean(),
  served: z.boolean().optional(),
  blocked: text.optional(),
  pausedBy: text.optional(),
  given: given.optional(),
  uiUrl: text.optional(),
  agentsBefore: count,
  agentsHidden: count.optional(),
  unreported: list(z.strictObject({ agentId: text, host: text, turn: count })).optional(),
  trouble: z.strictObject({ type: text, message: text }).optional(),
  stopping: z.literal(true).optional(),
  refused: list(z.strictObject({ agentId: text, by: text, why: text })).optional(),
  agents: list(
    agent.extend({
      callers: list(text).optional(),
      since: time.optional(),
      until: time.optional(),
      turn: count.optional(),
      attempt: count.optional(),
      phase: z.enum(['queued', 'running']).optional(),
      host: text.optional(),
      queue: z.strictObject({ position: count, of: count }).optional(),
      lastOutputAt: time.optional(),
      line: text.optional(),
      blocked: text.optional(),
      notes: list(note).optional(),
    }),
  ),
  costs: costs.optional(),
  next: text,
});

const listed = z.strictObject({
  runId: text,
  workflow: text.optional(),
  labels: labels.optional(),
  status: runStatus,
  open: z.boolean(),
  served: z.boolean().optional(),
  costUsd: usd.optional(),
  given: given.optional(),
  forkedFrom: forkedFrom.optional(),
  startedAt: time,
  endedAt: time.optional(),
  blocked: text.optional(),
  unreadable: text.optional(),
});

/** A line of `watch`: a turn that has ended, or finally the run. */
const watched = z.discriminatedUnion('event', [
  z.strictObject({ event: z.literal('turn'), turn }),
  z.strictObject({ event: z.literal('run'), run }),
]);

const difference = z.strictObject({ key: text, line: count, text });
const covered = z.strictObject({ covered: count, of: count, missing: list(text) });

const started = z.strictObject({ runId: text, uiUrl: text.optional() });
const orderTarget = z.strictObject({ runId: text, agentId: text.optional(), by: text.optional(), served: z.boolean() });

const engineFacts = z.strictObject({
  status: z.enum(['running', 'starting', 'frozen', 'stopped']),
  pid: count.optional(),
  version: text.optional(),
  startedAt: time.optional(),
  origin: text.optional(),
});
const server = z.strictObject({ pid: count, address: text, uiUrl: text, project: text.optional() });
const serverInfo = z.strictObject({
  address: text,
  uiUrl: text,
  pid: count,
  serverVersion: text,
  database: text,
  logFile: text,
});
const check = z.strictObject({
  name: text,
  status: z.enum(['ok', 'warning', 'failed']),
  detail: text,
  todo: text.optional(),
});
const tally = z.strictObject({ files: count, bytes: count });
const setting = z.strictObject({ name: text, value: z.unknown().optional(), origin: text });

const schedule = z.strictObject({
  name: text,
  workflow: text,
  scope: text,
  taskQueue: text,
  when: list(text),
  timezone: text.optional(),
  overlap: z.enum(OVERLAPS),
  catchupMs: count,
  paused: z.boolean(),
  note: text.optional(),
  nextRuns: list(time),
  runs: list(z.strictObject({ runId: text, startedAt: time })),
  heldBy: list(z.strictObject({ runId: text, status: runStatus })),
  started: count,
  skipped: count,
  missed: count,
});
const named = z.strictObject({ name: text });

const host = z.strictObject({
  host: text,
  alive: z.boolean(),
  workers: list(
    z.strictObject({
      pid: count.optional(),
      queues: list(text),
      lastPoll: time,
      deployment: text.optional(),
      buildId: text.optional(),
      sandboxes: list(text).optional(),
    }),
  ),
  turns: list(
    z.strictObject({
      runId: text,
      agentId: text,
      state: text,
      turn: count,
      attempt: count,
      phase: z.enum(['queued', 'running']),
    }),
  ),
  placed: list(z.strictObject({ runId: text, agentId: text })),
});

/** The document of every command with `--json`. */
export const DOCUMENTS = {
  start: run,
  'start --detach': started,
  list: list(listed),
  status,
  result: run,
  watch: watched,
  history: z.strictObject({ runId: text, turns: list(turn), orders: list(order) }),
  logs: z.strictObject({ agentId: text, turn: count, state: text, endedAt: time, text }),
  transcript: z.strictObject({
    session: text,
    entries: list(
      z.discriminatedUnion('by', [
        z.strictObject({ by: z.literal('person'), text }),
        z.strictObject({ by: z.literal('agent'), text }),
        z.strictObject({
          by: z.literal('tool'),
          text,
          tool: text,
          input: z.record(z.string(), z.unknown()),
          result: text.optional(),
          isError: z.boolean().optional(),
        }),
      ]),
    ),
  }),
  costs: costs.extend({ runId: text, costUsd: usd, budgetUsd: usd.optional() }),
  session: z.strictObject({ session: text, cwd: text, file: text, command: text }),
  fork: z.union([run, started]),
  pause: orderTarget,
  tell: orderTarget,
  retry: z.union([run, orderTarget]),
  goto: z.union([run, orderTarget]),
  move: orderTarget,
  cancel: orderTarget,
  resume: z.union([run, orderTarget.omit({ served: true }).extend(resumption)]),
  answer: z.union([run, z.strictObject({ runId: text, askId: text })]),
  budget: z.union([run, z.strictObject({ runId: text, budgetUsd: usd.optional() })]),
  'schedule create': schedule,
  'schedule list': list(schedule),
  'schedule show': schedule,
  'schedule pause': named,
  'schedule resume': named,
  'schedule trigger': named.extend({ runId: text.optional() }),
  'schedule backfill': named.extend({ due: list(time) }),
  'schedule delete': named,
  up: engineFacts.extend({ project: text, log: text, openRuns: count }),
  down: z.strictObject({ stopped: z.boolean(), openRuns: list(text) }),
  ps: list(
    z.strictObject({
      project: text.optional(),
      engine: engineFacts,
      server: z.strictObject({ pid: count, address: text, uiUrl: text }),
    }),
  ),
  'service status': z.strictObject({
    installed: z.boolean(),
    name: text,
    file: text,
    state: text.optional(),
    outdated: z.boolean(),
    engine: engineFacts,
  }),
  'server start': serverInfo.extend({ started: z.boolean() }),
  'server stop': z.strictObject({ stopped: z.boolean(), pid: count.optional() }),
  'server status': serverInfo.partial().extend({ status: z.enum(['running', 'stopped', 'gone', 'unresponsive']) }),
  'server list': list(server),
  setup: z.strictObject({ registered: list(text) }),
  hosts: list(host),
  rollout: z.strictObject({ deployment: text, buildId: text, before: text.optional() }),
  doctor: z.strictObject({ ok: z.boolean(), checks: list(check) }),
  lint: z.strictObject({
    findings: list(
      z.strictObject({
        id: text,
        severity: z.enum(['error', 'warning', 'info']),
        file: text,
        line: count,
        column: count,
        message: text,
        fix: text.optional(),
      }),
    ),
    errors: count,
    warnings: count,
  }),
  init: z.strictObject({ written: list(text) }),
  package: z.strictObject({ name: text, written: list(text) }),
  'skill install': z.strictObject({ written: list(text), unchanged: list(text), removed: list(text) }),
  convert: z.strictObject({ written: text, files: list(text), warnings: list(text) }),
  test: z.strictObject({
    cases: list(
      z.strictObject({
        file: text,
        name: text,
        status: z.enum(['passed', 'failed', 'skipped']),
        seconds: z.number(),
        differences: list(difference),
        notes: list(difference),
        run: z.strictObject({ status: runStatus, costUsd: usd, path: list(text) }).optional(),
      }),
    ),
    passed: count,
    failed: count,
    skipped: count,
    coverage: list(z.strictObject({ workflow: text, states: covered, edges: covered })).optional(),
  }),
  config: z.strictObject({ root: text, file: text.optional(), values: list(setting) }),
  gc: z.strictObject({
    dryRun: z.boolean(),
    keptRuns: count,
    ...(Object.fromEntries(GARBAGE_KINDS.map((kind) => [kind, tally])) as Record<
      (typeof GARBAGE_KINDS)[number],
      typeof tally
    >),
  }),
} as const;

/** A command with a document. */
export type DocumentName = keyof typeof DOCUMENTS;

/** The type of its document. */
export type DocumentOf<Name extends DocumentName> = z.infer<(typeof DOCUMENTS)[Name]>;

// The table of all routes of the API: method, path, role, request and answer. The server and OpenAPI are both made from
// it.
import { z } from 'zod';
import { text } from '../client/documents/document-parts.js';
import * as contract from './contract.js';
import type { Role } from './people/roles.js';

/** Bytes of a media type instead of JSON. */
export interface Media {
  readonly media: string;
}

/** A route. `body` absent = none, `answer` absent = empty. */
export interface Route {
  readonly method: 'get' | 'post' | 'put' | 'delete';
  /** Below `/api`; `{name}` is a parameter. */
  readonly path: string;
  /** Absent = no token needed. */
  readonly role?: Role;
  readonly summary: string;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType | Media;
  /** The body may also be a form: its fields, and files. */
  readonly form?: true;
  /** Absent = 200. */
  readonly status?: 201 | 204;
  readonly answer?: z.ZodType | Media;
}

const SVG: Media = { media: 'image/svg+xml' };
const BYTES: Media = { media: 'application/octet-stream' };

const RUN = '/runs/{run}';
const AGENT = `${RUN}/agents/{agent}` as const;
const TURN = `${AGENT}/turns/{turn}` as const;
const ASK = `${RUN}/asks/{ask}` as const;

const number = z.coerce.number().int().nonnegative();
const truth = z.enum(['true', 'false']);

/** All routes by their names. */
export const ROUTES = {
  signIn: {
    method: 'post',
    path: '/session',
    summary: 'Exchange a token (Authorization: Bearer) for a cookie',
    answer: contract.session,
  },
  session: read('/session', 'Who is signed in', contract.session),
  signOut: { method: 'delete', path: '/session', summary: 'Clear the cookie', status: 204 },
  links: { ...read('/links', 'The read-only links', contract.links), role: 'operate' },
  createLink: {
    ...act('/links', 'Create a read-only link', contract.linkRequest),
    status: 201,
    answer: contract.linkMade,
  },
  revokeLink: { method: 'delete', path: '/links/{link}', role: 'operate', summary: 'End a link', status: 204 },
  openapi: read('/openapi.json', 'This description', z.record(z.string(), z.unknown())),

  workflows: {
    ...read('/workflows', 'The workflows that can be started', contract.workflows),
    query: z.strictObject({ rescan: truth.optional() }),
  },
  workflow: read('/workflows/{workflow}', 'A workflow with its states', contract.workflowDetail),
  workflowDiagram: read('/workflows/{workflow}/diagram.svg', 'The graph of its states', SVG),
  lint: read('/workflows/{workflow}/lint', 'Its lint findings', contract.lintReport),

  statistics: read('/workflows/{workflow}/statistics', 'How its latest runs ended', contract.statistics),

  schedules: read('/schedules', 'The schedules of runs', contract.schedules),
  pauseSchedule: schedule('pause', 'Pause a schedule; its open runs continue'),
  resumeSchedule: schedule('resume', 'Resume a schedule from its next due time'),
  triggerSchedule: schedule('trigger', 'Start a run of a schedule now'),
  hosts: read('/hosts', 'The hosts of the fleet; 422 without a cluster', contract.hosts),

  inbox: read('/inbox', 'All open questions', contract.inbox),
  events: {
    ...read('/events', 'Live events, as server-sent events', { media: 'text/event-stream' }),
    query: z.strictObject({ runs: text.optional().describe('ids of runs, separated by commas; absent = all') }),
  },

  runs: { ...read('/runs', 'The runs, newest first', contract.runs), query: contract.runsQuery },
  spending: {
    ...read('/spending', 'What the runs that were started from a time on have cost', contract.spending),
    query: contract.spendingQuery,
  },
  start: {
    ...act(
      '/runs',
      'Start a run; the header Idempotency-Key is its id: repeating the call gives the same run',
      contract.startRequest,
    ),
    status: 201,
    answer: contract.startedRun,
  },
  run: {
    ...read(RUN, 'A run with its agents and questions', contract.run),
    query: z.strictObject({ costs: truth.optional() }),
  },
  runDiagram: read(`${RUN}/diagram.svg`, 'The graph of its workflow with its agents and their transitions', SVG),
  orders: read(`${RUN}/orders`, 'The orders of people to it', contract.orders),
  turns: {
    ...read(`${RUN}/turns`, 'Its recorded turns in the order in which they ended', contract.turns),
    query: z.strictObject({ agent: text.optional(), after: text.optional(), limit: number.optional() }),
  },
  outputs: {
    ...read(`${RUN}/output`, 'What all its agents printed, by turns', contract.outputs),
    query: z.strictObject({ after: text.optional(), limit: number.optional() }),
  },
  turn: read(TURN, 'One turn', contract.turnDetail),
  stateFile: read(`${TURN}/state`, 'The file of its state as it is now', contract.stateFile),
  prompt: read(`${TURN}/prompt`, 'The prompt as it was sent', contract.prompt),
  transcript: read(`${TURN}/transcript`, 'The conversation after the turn', contract.transcript),
  opening: {
    ...act(
      `${TURN}/session`,
      'Copy the conversation for its program; returns the command that opens it',
      contract.nothing,
    ),
    answer: contract.opening,
  },
  output: {
    ...read(`${TURN}/output`, 'Its output so far, from an offset on', contract.output),
    query: z.strictObject({ offset: number.optional() }),
  },

  pause: act(`${RUN}/pause`, 'Pause its agents at the end of their turns', contract.pauseRequest),
  resume: {
    ...act(`${RUN}/resume`, 'Resume its agents; a run that no process executes is executed here', contract.nothing),
    answer: contract.resumed,
  },
  cancel: act(`${RUN}/cancel`, 'Stop its agents and close it', contract.nothing),
  retryFailed: {
    ...act(`${RUN}/retry`, 'Retry all its failed agents', contract.nothing),
    answer: contract.retried,
  },
  archive: {
    ...act(`${RUN}/archive`, 'Hide a run from the list, or show it again', contract.archiveRequest),
    method: 'put',
  },
  deleteRun: {
    method: 'delete',
    path: RUN,
    role: 'operate',
    summary: 'Delete a run that has ended; 409 while it is open',
    status: 204,
  },
  fork: {
    ...act(`${RUN}/forks`, 'Start a new run from one of its turns', contract.forkRequest),
    status: 201,
    answer: contract.startedRun,
  },
  budget: { ...act(`${RUN}/budget`, 'Change its budget', contract.budgetRequest), method: 'put' },
  tell: act(`${AGENT}/tell`, 'Add a note to the next prompt of an agent', contract.tellRequest),
  withdraw: {
    method: 'delete',
    path: `${AGENT}/tell`,
    role: 'operate',
    summary: 'Remove the notes that no prompt of an agent has received yet',
    answer: contract.done,
  },
  goto: act(`${AGENT}/goto`, 'Continue an agent at another state', contract.gotoRequest),
  retry: act(`${AGENT}/retry`, 'Retry an agent', contract.nothing),
  cancelAgent: act(`${AGENT}/cancel`, 'Stop one agent; the others continue', contract.nothing),

  askFiles: read(`${ASK}/files`, 'The files shown with a question and sent with its answer', contract.askFiles),
  askFile: read(`${ASK}/files/{name}`, 'One of these files', BYTES),
  upload: {
    ...act(`${ASK}/files/{name}`, 'Upload a file for the answer', BYTES),
    method: 'put',
    role: 'answer',
    answer: contract.upload,
  },
  removeUpload: {
    method: 'delete',
    path: `${ASK}/files/{name}`,
    role: 'answer',
    summary: 'Remove an uploaded file',
    status: 204,
  },
  answer: {
    ...act(ASK, 'Answer a question, with files as a form; 409 when it was already answered', contract.answerRequest),
    role: 'answer',
    form: true,
    answer: contract.answered,
  },
} as const satisfies Record<string, Route>;

/** The name of a route. */
export type RouteName = keyof typeof ROUTES;

/** A read-only route. */
function read<Path extends string, Answer extends z.ZodType | Media>(path: Path, summary: string, answer: Answer) {
  return { method: 'get', path, role: 'view', summary, answer } as const;
}

/** A route that changes something. */
function act<Path extends string, Body extends z.ZodType | Media>(path: Path, summary: string, body: Body) {
  return { method: 'post', path, role: 'operate', summary, body, answer: contract.done } as const;
}

function schedule<Action extends string>(action: Action, summary: string) {
  const path = `/schedules/{schedule}/${action}` as const;
  return { ...act(path, summary, contract.nothing), answer: contract.scheduleDone } as const;
}

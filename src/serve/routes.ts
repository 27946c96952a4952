// The table of all routes of the API: method, path, who may call it, what it takes and what it gives. The server is built by it, OpenAPI is
// made of it, and the role of a route stands nowhere else.
import { z } from 'zod';
import { text } from '../client/documents/document-parts.js';
import * as contract from './contract.js';
import type { Role } from './people/roles.js';

/** Bytes of a media type in the place of JSON. */
export interface Media {
  readonly media: string;
}

/** A route. `body` absent = none, `answer` absent = nothing is given. */
export interface Route {
  readonly method: 'get' | 'post' | 'put' | 'delete';
  /** Below `/api`; `{name}` is a parameter. */
  readonly path: string;
  /** Absent = also who has no token yet. */
  readonly role?: Role;
  readonly summary: string;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType | Media;
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
  session: look('/session', 'Who is signed in', contract.session),
  signOut: { method: 'delete', path: '/session', summary: 'Forget the cookie', status: 204 },
  openapi: look('/openapi.json', 'This description', z.record(z.string(), z.unknown())),

  workflows: {
    ...look('/workflows', 'The workflows that can be started', contract.workflows),
    query: z.strictObject({ rescan: truth.optional() }),
  },
  workflow: look('/workflows/{workflow}', 'One of them with its states', contract.workflowDetail),
  workflowDiagram: look('/workflows/{workflow}/diagram.svg', 'The graph of its states', SVG),
  lint: look('/workflows/{workflow}/lint', 'What lint finds in it', contract.lintReport),

  inbox: look('/inbox', 'All open questions', contract.inbox),
  events: {
    ...look('/events', 'What happens, as server-sent events', { media: 'text/event-stream' }),
    query: z.strictObject({ runs: text.optional().describe('ids of runs with commas between them; absent = all') }),
  },

  runs: { ...look('/runs', 'The runs, newest first', contract.runs), query: contract.runsQuery },
  start: {
    ...act(
      '/runs',
      'Start a run; the header Idempotency-Key is its id: the same call again is the same run',
      contract.startRequest,
    ),
    status: 201,
    answer: contract.begun,
  },
  run: {
    ...look(RUN, 'A run with its agents and questions', contract.run),
    query: z.strictObject({ costs: truth.optional() }),
  },
  runDiagram: look(`${RUN}/diagram.svg`, 'The graph of its workflow: where its agents are, which ways they took', SVG),
  orders: look(`${RUN}/orders`, 'What people have asked of it', contract.orders),
  turns: {
    ...look(`${RUN}/turns`, 'Its recorded turns in the order in which they ended', contract.turns),
    query: z.strictObject({ agent: text.optional(), after: text.optional(), limit: number.optional() }),
  },
  turn: look(TURN, 'One turn', contract.turnDetail),
  prompt: look(`${TURN}/prompt`, 'The prompt as it was sent', contract.prompt),
  transcript: look(`${TURN}/transcript`, 'The conversation after the turn', contract.transcript),
  opening: {
    ...act(
      `${TURN}/session`,
      'Copy the conversation to where its program finds it; gives the line that opens it',
      contract.nothing,
    ),
    answer: contract.opening,
  },
  output: {
    ...look(`${TURN}/output`, 'What it printed, or prints, from an offset on', contract.output),
    query: z.strictObject({ offset: number.optional() }),
  },

  pause: act(`${RUN}/pause`, 'Let its agents pause at the end of their turns', contract.pauseRequest),
  resume: {
    ...act(`${RUN}/resume`, 'Resume its agents; a run that no process executes is executed here', contract.nothing),
    answer: contract.resumed,
  },
  cancel: act(`${RUN}/cancel`, 'Stop its agents and end it', contract.nothing),
  fork: {
    ...act(`${RUN}/forks`, 'Start a new run from one of its turns', contract.forkRequest),
    status: 201,
    answer: contract.begun,
  },
  budget: { ...act(`${RUN}/budget`, 'Change what it may cost', contract.budgetRequest), method: 'put' },
  tell: act(`${AGENT}/tell`, 'Begin the next prompt of an agent with these words', contract.tellRequest),
  goto: act(`${AGENT}/goto`, 'Send an agent to another state', contract.gotoRequest),
  retry: act(`${AGENT}/retry`, 'Let an agent try again', contract.nothing),
  cancelAgent: act(`${AGENT}/cancel`, 'Stop one agent; the others go on', contract.nothing),

  shownFile: look(`${ASK}/files/{name}`, 'A file that is shown with a question', BYTES),
  upload: {
    ...act(`${ASK}/files/{name}`, 'Send a file that goes along with the answer', BYTES),
    method: 'put',
    role: 'answer',
    answer: contract.upload,
  },
  removeUpload: {
    method: 'delete',
    path: `${ASK}/files/{name}`,
    role: 'answer',
    summary: 'Take it back',
    status: 204,
  },
  answer: {
    ...act(ASK, 'Answer a question; 409 when it is answered already', contract.answerRequest),
    role: 'answer',
    answer: contract.answered,
  },
} as const satisfies Record<string, Route>;

/** The name of a route. */
export type RouteName = keyof typeof ROUTES;

/** A route that changes nothing. */
function look<Path extends string, Answer extends z.ZodType | Media>(path: Path, summary: string, answer: Answer) {
  return { method: 'get', path, role: 'view', summary, answer } as const;
}

/** One that changes something. */
function act<Path extends string, Body extends z.ZodType | Media>(path: Path, summary: string, body: Body) {
  return { method: 'post', path, role: 'operate', summary, body, answer: contract.done } as const;
}

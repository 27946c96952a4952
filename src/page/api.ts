// The API of `raymond serve` as functions with types. An error of the server is an ApiProblem with
// the command line's message; a missing answer is one with the status 0.
import type {
  Begun,
  ForkRequest,
  Host,
  Inbox,
  Link,
  Opening,
  AskFiles,
  Orders,
  Output,
  Outputs,
  Problem,
  Run,
  Runs,
  Schedule,
  SentFile,
  Spending,
  Session,
  StartRequest,
  Statistics,
  Transcript,
  TurnDetail,
  Turns,
  WorkflowDetail,
  Workflow,
  LintReport,
} from '../serve/types.js';

/** The error of a call. */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem';
  /** For example `RunNotFound`. */
  readonly code: string;
  /** The invalid field of the request; undefined = not a single one. */
  readonly field: string | undefined;

  constructor(
    message: string,
    /** The HTTP status; 0 = the server did not answer. */
    readonly status: number,
    { code, field }: { readonly code: string; readonly field?: string | undefined },
  ) {
    super(message);
    this.code = code;
    this.field = field;
  }
}

/** Identifies a turn. */
export interface TurnName {
  readonly run: string;
  readonly agent: string;
  readonly turn: number;
  /** An earlier try of it, from 1; absent = the last one, which counts. */
  readonly nth?: number | undefined;
}

/** Filters of the list of runs. */
export interface RunsQuery {
  readonly status?: string | undefined;
  readonly q?: string | undefined;
  readonly workflow?: string | undefined;
  /** Started from this time on, in ISO 8601. */
  readonly since?: string | undefined;
  readonly minCostUsd?: string | undefined;
  readonly ofWorkflow?: string | undefined;
  readonly forkOf?: string | undefined;
  readonly archived?: string | undefined;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

const part = encodeURIComponent;
const ofRun = (run: string): string => `/runs/${part(run)}`;
const ofAgent = (run: string, agent: string): string => `${ofRun(run)}/agents/${part(agent)}`;
const ofTurn = ({ run, agent, turn, nth }: TurnName): string =>
  `${ofAgent(run, agent)}/turns/${turn}${nth === undefined ? '' : `.${nth}`}`;
const ofAsk = (run: string, ask: string): string => `${ofRun(run)}/asks/${part(ask)}`;
const ofFile =
  (run: string, ask: string): ((name: string) => string) =>
  (name) =>
    `${ofAsk(run, ask)}/files/${part(name)}`;

/** All calls. */
export const api = {
  session: (): Promise<Session> => read<Session>('/session'),
  signIn: (token: string): Promise<Session> =>
    call<Session>('POST', '/session', { headers: { authorization: `Bearer ${token}` } }),
  /** Whose token it is; asking does not sign in. */
  whose: (token: string): Promise<Session> =>
    call<Session>('GET', '/session', { headers: { authorization: `Bearer ${token}` } }),
  signOut: (): Promise<undefined> => call<undefined>('DELETE', '/session'),

  links: (): Promise<{ readonly links: readonly Link[] }> => read('/links'),
  createLink: (name: string, hours: number): Promise<{ readonly link: Link; readonly token: string }> =>
    post('/links', { name, hours }),
  revokeLink: (id: string): Promise<undefined> => call('DELETE', `/links/${part(id)}`),
  schedules: (): Promise<{ readonly schedules: readonly Schedule[] }> => read('/schedules'),
  schedule: (name: string, action: 'pause' | 'resume' | 'trigger'): Promise<{ readonly runId?: string }> =>
    post(`/schedules/${part(name)}/${action}`),
  hosts: (): Promise<{ readonly hosts: readonly Host[] }> => read('/hosts'),
  statistics: (workflow: string): Promise<Statistics> => read(`/workflows/${part(workflow)}/statistics`),
  spending: (since: string): Promise<Spending> => read<Spending>('/spending', { since }),

  inbox: (): Promise<Inbox> => read<Inbox>('/inbox'),
  workflows: (rescan: boolean): Promise<{ readonly workflows: readonly Workflow[] }> =>
    read<{ readonly workflows: readonly Workflow[] }>('/workflows', rescan ? { rescan: 'true' } : {}),
  workflow: (id: string): Promise<WorkflowDetail> => read<WorkflowDetail>(`/workflows/${part(id)}`),
  lint: (id: string): Promise<LintReport> => read<LintReport>(`/workflows/${part(id)}/lint`),
  workflowDiagram: (id: string): Promise<Blob> => picture(`/workflows/${part(id)}/diagram.svg`),

  runs: (query: RunsQuery): Promise<Runs> => read<Runs>('/runs', { ...query }),
  run: (run: string, costs = false): Promise<Run> => read<Run>(ofRun(run), costs ? { costs: 'true' } : {}),
  runDiagram: (run: string): Promise<Blob> => picture(`${ofRun(run)}/diagram.svg`),
  orders: (run: string): Promise<Orders> => read<Orders>(`${ofRun(run)}/orders`),
  turns: (
    run: string,
    query: { readonly agent?: string | undefined; readonly after?: string | undefined },
  ): Promise<Turns> => read<Turns>(`${ofRun(run)}/turns`, { ...query }),
  outputs: (run: string, after: string | undefined): Promise<Outputs> =>
    read<Outputs>(`${ofRun(run)}/output`, { after }),
  turn: (turn: TurnName): Promise<TurnDetail> => read<TurnDetail>(ofTurn(turn)),
  stateFile: (turn: TurnName): Promise<{ readonly file: string; readonly text: string; readonly changed?: true }> =>
    read(`${ofTurn(turn)}/state`),
  prompt: (turn: TurnName): Promise<{ readonly text: string }> =>
    read<{ readonly text: string }>(`${ofTurn(turn)}/prompt`),
  transcript: (turn: TurnName): Promise<Transcript> => read<Transcript>(`${ofTurn(turn)}/transcript`),
  output: (turn: TurnName, offset: number): Promise<Output> => read<Output>(`${ofTurn(turn)}/output`, { offset }),
  opening: (turn: TurnName): Promise<Opening> => post<Opening>(`${ofTurn(turn)}/session`),

  start: ({ id, ...request }: StartRequest & { readonly id: string }): Promise<Begun> =>
    call<Begun>('POST', '/runs', { body: request, headers: { 'idempotency-key': id } }),
  fork: (run: string, request: ForkRequest): Promise<Begun> => post<Begun>(`${ofRun(run)}/forks`, request),
  pause: (run: string, now: boolean): Promise<unknown> => post(`${ofRun(run)}/pause`, { now }),
  resume: (run: string): Promise<unknown> => post(`${ofRun(run)}/resume`),
  retryFailed: (run: string): Promise<unknown> => post(`${ofRun(run)}/retry`),
  archive: (run: string, archived: boolean): Promise<unknown> =>
    call('PUT', `${ofRun(run)}/archive`, { body: { archived } }),
  deleteRun: (run: string): Promise<unknown> => call('DELETE', ofRun(run)),
  cancel: (run: string): Promise<unknown> => post(`${ofRun(run)}/cancel`),
  budget: (run: string, budget: number): Promise<unknown> =>
    call<unknown>('PUT', `${ofRun(run)}/budget`, { body: { budget } }),
  tell: (run: string, agent: string, text: string): Promise<unknown> => post(`${ofAgent(run, agent)}/tell`, { text }),
  withdraw: (run: string, agent: string): Promise<unknown> => call('DELETE', `${ofAgent(run, agent)}/tell`),
  goto: (
    run: string,
    agent: string,
    how: { readonly state: string; readonly input?: string; readonly reset?: boolean; readonly now?: boolean },
  ): Promise<unknown> => post(`${ofAgent(run, agent)}/goto`, how),
  retry: (run: string, agent: string): Promise<unknown> => post(`${ofAgent(run, agent)}/retry`),
  cancelAgent: (run: string, agent: string): Promise<unknown> => post(`${ofAgent(run, agent)}/cancel`),

  answer: (run: string, ask: string, text: string): Promise<unknown> => post(ofAsk(run, ask), { text }),
  sendFile: (
    ask: { readonly run: string; readonly ask: string; readonly name: string },
    file: Blob,
  ): Promise<SentFile> => call<SentFile>('PUT', ofFile(ask.run, ask.ask)(ask.name), { body: file }),
  removeFile: (ask: { readonly run: string; readonly ask: string; readonly name: string }): Promise<undefined> =>
    call<undefined>('DELETE', ofFile(ask.run, ask.ask)(ask.name)),
  text: async (address: string): Promise<string> =>
    await (await respond('GET', address.replace(/^\/api/, ''), {})).text(),
  askFiles: (run: string, ask: string): Promise<AskFiles> => read<AskFiles>(`${ofAsk(run, ask)}/files`),
  askFile: (ask: { readonly run: string; readonly ask: string; readonly name: string }): string =>
    `/api${ofFile(ask.run, ask.ask)(ask.name)}`,
};

function read<Answer>(
  path: string,
  query: Readonly<Record<string, string | number | undefined>> = {},
): Promise<Answer> {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] satisfies [string, string]],
  );
  const search = new URLSearchParams(given).toString();
  return call<Answer>('GET', search === '' ? path : `${path}?${search}`);
}

function post<Answer = unknown>(path: string, body: object = {}): Promise<Answer> {
  return call<Answer>('POST', path, { body });
}

/** A picture as a blob: an image element shows it, in which no script runs. */
async function picture(path: string): Promise<Blob> {
  return await (await respond('GET', path, {})).blob();
}

interface CallOptions {
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

async function call<Answer>(method: string, path: string, options: CallOptions = {}): Promise<Answer> {
  const response = await respond(method, path, options);
  return (response.status === 204 ? undefined : await response.json()) as Answer;
}

async function respond(method: string, path: string, { body, headers = {} }: CallOptions): Promise<Response> {
  const isFile = body instanceof Blob;
  const type = isFile ? 'application/octet-stream' : 'application/json';
  const sent = body === undefined ? {} : { body: isFile ? body : JSON.stringify(body) };
  const all = body === undefined ? headers : { ...headers, 'content-type': type };
  const response = await fetch(`/api${path}`, { method, headers: all, ...sent }).catch(() => {
    throw new ApiProblem('No connection to Raymond. Try again.', 0, { code: 'Unreachable' });
  });
  if (response.ok) return response;
  const problem = (await response.json().catch(() => ({}))) as Partial<Problem>;
  throw new ApiProblem(problem.detail ?? `the server answered ${response.status}`, response.status, {
    code: problem.type?.split('/').at(-1) ?? 'Unknown',
    field: problem.field,
  });
}

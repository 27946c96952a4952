// The routes as an application: every request passes the same access checks and is validated against the schemas of its
// route; errors become problem documents. Handlers are in their own files.
import { Hono } from 'hono';
import type { HttpBindings } from '@hono/node-server';
import { ZodType } from 'zod';
import { linkAs } from '../client/connect.js';
import type { Raymond } from '../client/open.js';
import { jsonOf } from '../protocol/text.js';
import { bearerOf, callerOf, checkHost, checkOrigin, checkRole, type AllowedOrigins } from './people/access.js';
import { actionHandlers } from './actions.js';
import { answerOf, completed, jsonAnswer } from './answers.js';
import { askHandlers } from './asks.js';
import type { Call, FormFile, Handlers, Serving } from './handlers.js';
import { RequestCache } from './request-cache.js';
import { eventHandlers } from './events/streams.js';
import { fleetHandlers } from './fleet.js';
import { linkHandlers } from './people/link-routes.js';
import { openApi } from './openapi.js';
import { pageResponse, type Page } from './page.js';
import { problemResponse, Refusal, unfit } from './problems.js';
import { ROUTES, type Route, type RouteName } from './routes.js';
import { runHandlers } from './runs.js';
import { sessionHandlers, signedIn } from './people/sessions.js';
import type { Tokens } from './people/tokens.js';
import { turnHandlers } from './turns.js';
import { workflowHandlers } from './workflows.js';

/** The parts of an application. */
interface AppOptions {
  readonly serving: Serving;
  readonly tokens: Tokens;
  readonly origins: AllowedOrigins;
  readonly page: Page;
  readonly report: (line: string) => void;
  /** How long a JSON body may take to arrive, in milliseconds. */
  readonly bodyMs: number;
}

type App = Hono<{ Bindings: HttpBindings }>;

/** The largest JSON body. */
const BODY_BYTES = 16 * 2 ** 20;

/** The largest form, which is held in memory. */
const FORM_BYTES = 64 * 2 ** 20;

const HANDLERS: Handlers<Exclude<RouteName, 'signIn' | 'signOut'>> = {
  ...sessionHandlers,
  ...workflowHandlers,
  ...runHandlers,
  ...turnHandlers,
  ...askHandlers,
  ...actionHandlers,
  ...eventHandlers,
  ...fleetHandlers,
  ...linkHandlers,
  openapi: ({ version }) => Promise.resolve(openApi(version)),
};

/** Makes it. */
export function createApp(options: AppOptions): App {
  const { serving, origins, page, report } = options;
  const { env } = serving.raymond.caller;
  const shared = {
    ...options,
    cache: new RequestCache(() => serving.hub.changes),
    people: new Map<string, Raymond>(),
  };
  const app: App = new Hono();
  app.use('*', async (context, next) => {
    checkHost(context.req.raw, origins);
    await next();
    completed(context.res);
  });
  for (const [name, route] of Object.entries(ROUTES) as [RouteName, Route][])
    app.on(route.method.toUpperCase(), `/api${route.path.replaceAll(/\{(\w+)\}/g, ':$1')}`, async (context) => {
      const { incoming, outgoing } = context.env;
      const apiRequest = { request: context.req.raw, params: context.req.param(), incoming, outgoing };
      return await answer(shared, { name, route, ...apiRequest });
    });
  app.all('/api/*', ({ req }) => {
    throw new Refusal('NoSuchRoute', `there is no route ${req.method} ${req.path}; /api/openapi.json lists all routes`);
  });
  app.get('*', ({ req }) => pageResponse(page, req.raw));
  app.onError(async (error, { req }) => {
    const response = await problemResponse(error, { env, report, call: `${req.method} ${req.path}` });
    completed(response);
    return response;
  });
  return app;
}

/** Shared caches: of answers that are the same for all callers, and of reads from Temporal. */
const SHARED: ReadonlySet<RouteName> = new Set(['inbox', 'runs', 'run', 'orders', 'turns', 'turn', 'transcript']);

interface Shared {
  readonly cache: RequestCache;
  /** The project in the name of every caller so far. */
  readonly people: Map<string, Raymond>;
}

interface ApiRequest {
  readonly name: RouteName;
  readonly route: Route;
  readonly request: Request;
  readonly params: Readonly<Record<string, string>>;
  readonly outgoing: HttpBindings['outgoing'];
  /** Absent when the request has no connection. */
  readonly incoming: HttpBindings['incoming'] | undefined;
}

async function answer(
  { serving, tokens, origins, cache, people, bodyMs }: AppOptions & Shared,
  apiRequest: ApiRequest,
): Promise<Response> {
  const { name, route, request, params } = apiRequest;
  if (name === 'signIn' || name === 'signOut') {
    checkOrigin(request, { allowed: origins, isBearer: bearerOf(request) !== undefined });
    return signedIn(request, { serving, tokens, allowed: origins, name });
  }
  const { who, isBearer } = callerOf(request, { tokens, allowed: origins });
  checkOrigin(request, { allowed: origins, isBearer });
  if (route.role !== undefined) checkRole(who, route.role);
  const query = queryOf(route, request.url);
  // A client that sends too slowly is disconnected.
  const late = setTimeout(() => apiRequest.incoming?.socket.destroy(), bodyMs);
  const { body, files } = await bodyOf(route, request).finally(() => clearTimeout(late));
  const raymond = people.get(who.name) ?? { ...serving.raymond, link: linkAs(serving.raymond.link, who.name) };
  people.set(who.name, raymond);
  const handler = HANDLERS[name] as (
    serving: Serving,
    call: Call<never> & Pick<ApiRequest, 'outgoing'>,
  ) => Promise<unknown>;
  const call = { params, query, body, files, who, raymond, request, outgoing: apiRequest.outgoing };
  const ask = async (): Promise<ResponseBody> => {
    const given = await handler(serving, call as never);
    return given instanceof Response || given === undefined ? given : JSON.stringify(given);
  };
  const given = await cachedAnswer(apiRequest, { cache, ask });
  if (given instanceof Response) return given;
  if (given === undefined) return answerOf(null, { status: route.status ?? 204 });
  return jsonAnswer(given, route.status ?? 200);
}

type ResponseBody = Response | string | undefined;

/** Simultaneous identical requests share one answer; a caller that changes something sees it in its next request. */
async function cachedAnswer(
  { name, request }: ApiRequest,
  { cache, ask }: { readonly cache: RequestCache; readonly ask: () => Promise<ResponseBody> },
): Promise<ResponseBody> {
  if (SHARED.has(name)) return await cache.share(request.url, ask);
  if (request.method === 'GET') return await ask();
  try {
    return await ask();
  } finally {
    cache.changed();
  }
}

function queryOf({ query }: Route, url: string): unknown {
  if (query === undefined) return {};
  const given = url.includes('?') ? new URL(url).searchParams : [];
  const read = query.safeParse(Object.fromEntries(given));
  if (read.success) return read.data;
  throw unfit('the query', read.error);
}

/** A JSON body with its content type: a form on another site cannot send that. Handlers read other bytes themselves. */
async function bodyOf({ body, form }: Route, request: Request): Promise<Sent> {
  if (!(body instanceof ZodType)) return { body: undefined, files: [] };
  const type = request.headers.get('content-type') ?? '';
  const isForm = form === true && /^multipart\/form-data\b/i.test(type);
  if (!isForm && !/^application\/json\b/i.test(type))
    throw new Refusal('UnsupportedMediaType', 'send JSON, with the header content-type: application/json');
  const sent = isForm
    ? await formOf(request, type)
    : { body: parsed((await bytesOf(request, BODY_BYTES)).toString('utf8')), files: [] };
  const read = body.safeParse(sent.body);
  if (read.success) return { ...sent, body: read.data };
  throw unfit('the body', read.error);
}

/** A body that has arrived. */
interface Sent {
  readonly body: unknown;
  readonly files: readonly FormFile[];
}

/** The texts of a form are the fields of the body. Another site's form has another origin, which was checked. */
async function formOf(request: Request, type: string): Promise<Sent> {
  const bytes = await bytesOf(request, FORM_BYTES);
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- the whole body is in memory already, and bounded
  const form = await new Response(bytes, { headers: { 'content-type': type } }).formData().catch(() => {
    throw new Refusal('Unfit', 'the body is not a form');
  });
  const fields = [...form.entries()];
  const texts = fields.filter(([, value]) => typeof value === 'string');
  const files = fields.flatMap(([name, value]) => (typeof value === 'string' ? [] : [{ name, bytes: value }]));
  return { body: Object.fromEntries(texts), files };
}

async function bytesOf({ body }: Request, limit: number): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > limit) throw new Refusal('TooLarge', `the body has more than ${limit} bytes; send files one by one`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function parsed(text: string): unknown {
  const body = jsonOf(text);
  if (body === undefined) throw new Refusal('Unfit', 'the body is not JSON');
  return body;
}

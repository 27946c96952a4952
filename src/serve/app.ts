// The routes as an application: every request passes the same gates, is checked against the schemas of its row, and what goes wrong becomes a
// problem. What a route does stands in the file of its handlers.
import { Hono } from 'hono';
import type { HttpBindings } from '@hono/node-server';
import { ZodType } from 'zod';
import { linkAs } from '../client/connect.js';
import type { Raymond } from '../client/open.js';
import { bearerOf, callerOf, checkHost, checkOrigin, checkRole, type Places } from './people/access.js';
import { actionHandlers } from './actions.js';
import { answerOf, completed, jsonAnswer } from './answers.js';
import { askHandlers } from './asks.js';
import type { Call, Handlers, Serving } from './handlers.js';
import { Flights } from './flights.js';
import { eventHandlers } from './events/streams.js';
import { openApi } from './openapi.js';
import { pageResponse, type Page } from './page.js';
import { problemResponse, Refusal, whyUnfit } from './problems.js';
import { ROUTES, type Route, type RouteName } from './routes.js';
import { runHandlers } from './runs.js';
import { sessionHandlers, signedIn } from './people/sessions.js';
import type { Tokens } from './people/tokens.js';
import { turnHandlers } from './turns.js';
import { workflowHandlers } from './workflows.js';

/** What an application is made of. */
export interface AppOptions {
  readonly serving: Serving;
  readonly tokens: Tokens;
  readonly places: Places;
  readonly page: Page;
  readonly report: (line: string) => void;
  /** A JSON body must have arrived by then, in milliseconds. */
  readonly bodyMs: number;
}

type App = Hono<{ Bindings: HttpBindings }>;

/** What a JSON body may have at most. */
const BODY_BYTES = 16 * 2 ** 20;

const HANDLERS: Handlers<Exclude<RouteName, 'signIn' | 'signOut'>> = {
  ...sessionHandlers,
  ...workflowHandlers,
  ...runHandlers,
  ...turnHandlers,
  ...askHandlers,
  ...actionHandlers,
  ...eventHandlers,
  openapi: ({ version }) => Promise.resolve(openApi(version)),
};

/** Makes it. */
export function createApp(options: AppOptions): App {
  const { serving, places, page, report } = options;
  const { env } = serving.raymond.caller;
  const shared = { ...options, flights: new Flights(() => serving.hub.changes), people: new Map<string, Raymond>() };
  const app: App = new Hono();
  app.use('*', async (context, next) => {
    checkHost(context.req.raw, places);
    await next();
    completed(context.res);
  });
  for (const [name, route] of Object.entries(ROUTES) as [RouteName, Route][])
    app.on(route.method.toUpperCase(), `/api${route.path.replaceAll(/\{(\w+)\}/g, ':$1')}`, async (context) => {
      const { incoming, outgoing } = context.env;
      const asked = { request: context.req.raw, params: context.req.param(), incoming, outgoing };
      return await answer(shared, { name, route, ...asked });
    });
  app.all('/api/*', ({ req }) => {
    throw new Refusal('NoSuchRoute', `there is no ${req.method} ${req.path}; /api/openapi.json lists all routes`);
  });
  app.get('*', ({ req }) => pageResponse(page, req.raw));
  app.onError(async (error, { req }) => {
    const response = await problemResponse(error, { env, report, call: `${req.method} ${req.path}` });
    completed(response);
    return response;
  });
  return app;
}

/** What everybody is told alike, and what takes a look at Temporal. */
const SHARED: ReadonlySet<RouteName> = new Set(['inbox', 'runs', 'run', 'orders', 'turns', 'turn', 'transcript']);

interface Shared {
  readonly flights: Flights;
  /** The project in the name of everybody who has called. */
  readonly people: Map<string, Raymond>;
}

interface Asked {
  readonly name: RouteName;
  readonly route: Route;
  readonly request: Request;
  readonly params: Readonly<Record<string, string>>;
  readonly outgoing: HttpBindings['outgoing'];
  /** Absent where no connection is behind the request. */
  readonly incoming: HttpBindings['incoming'] | undefined;
}

async function answer(
  { serving, tokens, places, flights, people, bodyMs }: AppOptions & Shared,
  asked: Asked,
): Promise<Response> {
  const { name, route, request, params } = asked;
  if (name === 'signIn' || name === 'signOut') {
    checkOrigin(request, { places, isBearer: bearerOf(request) !== undefined });
    return signedIn(request, { serving, tokens, places, name });
  }
  const { who, isBearer } = callerOf(request, { tokens, places });
  checkOrigin(request, { places, isBearer });
  if (route.role !== undefined) checkRole(who, route.role);
  const query = queryOf(route, request.url);
  // Whoever sends it too slowly has no connection any more.
  const late = setTimeout(() => asked.incoming?.socket.destroy(), bodyMs);
  const body = await bodyOf(route, request).finally(() => clearTimeout(late));
  const raymond = people.get(who.name) ?? { ...serving.raymond, link: linkAs(serving.raymond.link, who.name) };
  people.set(who.name, raymond);
  const handler = HANDLERS[name] as (serving: Serving, call: Call<never> & Pick<Asked, 'outgoing'>) => Promise<unknown>;
  const call = { params, query, body, who, raymond, request, outgoing: asked.outgoing };
  const ask = async (): Promise<Given> => {
    const given = await handler(serving, call as never);
    return given instanceof Response || given === undefined ? given : JSON.stringify(given);
  };
  const given = await flown(asked, { flights, ask });
  if (given instanceof Response) return given;
  if (given === undefined) return answerOf(null, { status: route.status ?? 204 });
  return jsonAnswer(given, route.status ?? 200);
}

type Given = Response | string | undefined;

/** What many ask is asked once; whoever changes something sees it in what they ask for next. */
async function flown(
  { name, request }: Asked,
  { flights, ask }: { readonly flights: Flights; readonly ask: () => Promise<Given> },
): Promise<Given> {
  if (SHARED.has(name)) return await flights.share(request.url, ask);
  if (request.method === 'GET') return await ask();
  try {
    return await ask();
  } finally {
    flights.changed();
  }
}

function queryOf({ query }: Route, url: string): unknown {
  if (query === undefined) return {};
  const given = url.includes('?') ? new URL(url).searchParams : [];
  const read = query.safeParse(Object.fromEntries(given));
  if (read.success) return read.data;
  throw new Refusal('Unfit', whyUnfit('the query', read.error));
}

/** A JSON body, whose type says so: a form of a page elsewhere cannot. Bytes are left to the handler. */
async function bodyOf({ body }: Route, request: Request): Promise<unknown> {
  if (!(body instanceof ZodType)) return undefined;
  if (!/^application\/json\b/i.test(request.headers.get('content-type') ?? ''))
    throw new Refusal('UnsupportedMediaType', 'send JSON, with the header content-type: application/json');
  const read = body.safeParse(parsed(await textOf(request)));
  if (read.success) return read.data;
  throw new Refusal('Unfit', whyUnfit('the body', read.error));
}

async function textOf({ body }: Request): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > BODY_BYTES)
      throw new Refusal('TooLarge', `the body has more than ${BODY_BYTES} bytes; send files as files`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Refusal('Unfit', 'the body is no JSON');
  }
}

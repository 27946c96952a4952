// Signs in from a browser: exchanges the token from the address for a cookie that scripts cannot read and that is sent
// only to this server.
import { serialize } from 'hono/utils/cookie';
import { defined } from '../../protocol/text.js';
import { bearerOf, type AllowedOrigins } from './access.js';
import type { Handlers, Serving } from '../handlers.js';
import { Refusal } from '../problems.js';
import { cookieOf, type Identity } from './identity.js';
import type { Tokens } from './tokens.js';
import type { Session } from '../types.js';

/** The route of this file that needs a signed-in user. */
export const sessionHandlers: Handlers<'session'> = {
  session: (serving, { who }) => Promise.resolve(sessionOf(serving, who)),
};

const DAYS = 30;

/** Sets the cookie, or clears it. Throws `Unauthorized`. */
export function signedIn(
  request: Request,
  {
    serving,
    tokens,
    allowed,
    name,
  }: {
    readonly serving: Serving;
    readonly tokens: Tokens;
    readonly allowed: AllowedOrigins;
    readonly name: 'signIn' | 'signOut';
  },
): Response {
  const isSecure = request.headers.get('origin')?.startsWith('https:') === true;
  const how = { path: '/', httpOnly: true, sameSite: 'Strict', secure: isSecure } as const;
  if (name === 'signOut') {
    const gone = serialize(allowed.cookie, '', { ...how, maxAge: 0 });
    return new Response(null, { status: 204, headers: { 'set-cookie': gone } });
  }
  const token = bearerOf(request);
  const who = token === undefined ? undefined : tokens.bearer(token);
  if (token === undefined || who === undefined)
    throw new Refusal('Unauthorized', 'the token is unknown; open the address that raymond serve prints');
  const cookie = serialize(allowed.cookie, cookieOf(token), { ...how, maxAge: DAYS * 86_400 });
  return Response.json(sessionOf(serving, who), { headers: { 'set-cookie': cookie } });
}

function sessionOf({ raymond, version }: Serving, { name, role }: Identity): Session {
  const { root } = raymond.project;
  const project = root.split(/[/\\]/).at(-1) ?? root;
  return {
    by: name,
    role,
    project,
    root,
    version,
    cluster: raymond.mode.kind === 'cluster',
    ...defined({ uiUrl: raymond.uiUrl }),
  };
}

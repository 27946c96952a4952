// Whether a request is let in: under a name of this server, from a page of this server, by somebody with a token, with the role that its route
// needs. A page elsewhere that has its name point here, or that posts here, gets nothing.
import { parse } from 'hono/utils/cookie';
import { Refusal } from '../problems.js';
import { mayAct, type Role } from './roles.js';
import type { Identity, Tokens } from './tokens.js';

/** Where the server is, as browsers and programs write it: `http://127.0.0.1:8234`. */
export interface Places {
  readonly origins: readonly string[];
  /** What those say after `http://`, as the header `Host` has it. */
  readonly hosts: ReadonlySet<string>;
  /** The name of the cookie: other servers on the same host have others. */
  readonly cookie: string;
}

/** The addresses of a server on a host, with those that people have named. */
export function placesOf({
  host,
  port,
  named,
}: {
  readonly host: string;
  readonly port: number;
  readonly named: readonly string[];
}): Places {
  const own = isLoopback(host) ? ['127.0.0.1', 'localhost', '[::1]'] : [host.includes(':') ? `[${host}]` : host];
  const origins = [...own.map((name) => `http://${name}:${port}`), ...named];
  return { origins, hosts: new Set(origins.map((origin) => new URL(origin).host)), cookie: `raymond_${port}` };
}

/** Whether only this host reaches it. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d+){3}$/.test(host);
}

/** Throws `WrongHost` for a request under another name: a page may have had its own name point to this server. */
export function checkHost(request: Request, { origins, hosts }: Places): void {
  const host = request.headers.get('host')?.toLowerCase() ?? '';
  if (hosts.has(host)) return;
  const known = origins.join(', ');
  throw new Refusal('WrongHost', `this server is not called "${host}"; it is at ${known}; name others with --origin`);
}

/** Who calls. `isBearer` = by a token of its own, as programs do, and not by the cookie of a browser. */
export interface Caller {
  readonly who: Identity;
  readonly isBearer: boolean;
}

/** Finds out. Throws `Unauthorized`. */
export function callerOf(
  request: Request,
  { tokens, places }: { readonly tokens: Tokens; readonly places: Places },
): Caller {
  const token = bearerOf(request);
  const who = token === undefined ? undefined : tokens.bearer(token);
  if (who !== undefined) return { who, isBearer: true };
  const value = parse(request.headers.get('cookie') ?? '', places.cookie)[places.cookie];
  const signedIn = token === undefined && value !== undefined ? tokens.cookie(value) : undefined;
  if (signedIn !== undefined) return { who: signedIn, isBearer: false };
  const what = token === undefined && value === undefined ? 'there is no token' : 'the token is not known here';
  throw new Refusal(
    'Unauthorized',
    `${what}; open the address that raymond serve prints, or send Authorization: Bearer TOKEN`,
  );
}

/** The token that a request carries. */
export function bearerOf(request: Request): string | undefined {
  return /^Bearer ([^\s]+)$/i.exec(request.headers.get('authorization') ?? '')?.[1];
}

/** Throws `WrongOrigin` for a request that changes something from a page elsewhere; programs with a token have no page. */
export function checkOrigin(
  request: Request,
  { places, isBearer }: { readonly places: Places; readonly isBearer: boolean },
): void {
  if (request.method === 'GET' || request.method === 'HEAD') return;
  const origin = request.headers.get('origin');
  if (origin === null ? isBearer : isOwn(request, { origin, places })) return;
  throw new Refusal(
    'WrongOrigin',
    `the page ${origin ?? '(which does not say where it is from)'} may change nothing here`,
  );
}

/** Its own page has the name under which the request came. */
function isOwn(request: Request, { origin, places }: { readonly origin: string; readonly places: Places }): boolean {
  return places.origins.includes(origin) && new URL(origin).host === request.headers.get('host')?.toLowerCase();
}

/** Throws `Forbidden`. */
export function checkRole({ name, role }: Identity, needed: Role): void {
  if (mayAct(role, needed)) return;
  throw new Refusal('Forbidden', `the token of ${name} is for "${role}", and this takes "${needed}"`);
}

/** What every answer carries: nothing from elsewhere, in no frame, and its type is what it says. */
export const SAFE_HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'x-frame-options': 'DENY',
} as const;

/** What agents have made is no page: even when somebody opens it by itself, nothing in it runs. */
export const SANDBOXED = {
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
} as const;

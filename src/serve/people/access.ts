// Access control: a request needs a known host name, a token whose role allows the route, and, from a browser, this
// server's own page. A page of another site whose name points here, or that posts here, is rejected.
import { parse } from 'hono/utils/cookie';
import { Refusal } from '../problems.js';
import { mayAct, type Role } from './roles.js';
import type { Identity } from './identity.js';
import type { Tokens } from './tokens.js';

/** The server's address, as browsers and programs write it: `http://127.0.0.1:8234`. */
export interface AllowedOrigins {
  readonly origins: readonly string[];
  /** The part after `http://`, as in the header `Host`. */
  readonly hosts: ReadonlySet<string>;
  /** The name of the cookie: other servers on the same host have others. */
  readonly cookie: string;
}

/** The addresses of a server on a host, with those from --origin. */
export function allowedOrigins({
  host,
  port,
  named,
}: {
  readonly host: string;
  readonly port: number;
  readonly named: readonly string[];
}): AllowedOrigins {
  const own = isLoopback(host) ? ['127.0.0.1', 'localhost', '[::1]'] : [host.includes(':') ? `[${host}]` : host];
  const origins = [...own.map((name) => `http://${name}:${port}`), ...named];
  return { origins, hosts: new Set(origins.map((origin) => new URL(origin).host)), cookie: `raymond_${port}` };
}

/** Whether only this host reaches it. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d+){3}$/.test(host);
}

/**
 * Throws `WrongHost` for a request with an unknown host name: an attacker's page may make its own name point to this
 * server.
 */
export function checkHost(request: Request, { origins, hosts }: AllowedOrigins): void {
  const host = request.headers.get('host')?.toLowerCase() ?? '';
  if (hosts.has(host)) return;
  const known = origins.join(', ');
  throw new Refusal('WrongHost', `unknown host name "${host}"; the address is ${known}; add others with --origin`);
}

/** The caller. `isBearer` = by a token in a header, as programs do, not by a browser's cookie. */
export interface Caller {
  readonly who: Identity;
  readonly isBearer: boolean;
}

/** Identifies the caller. Throws `Unauthorized`. */
export function callerOf(
  request: Request,
  { tokens, allowed }: { readonly tokens: Tokens; readonly allowed: AllowedOrigins },
): Caller {
  const token = bearerOf(request);
  const who = token === undefined ? undefined : tokens.bearer(token);
  if (who !== undefined) return { who, isBearer: true };
  const value = parse(request.headers.get('cookie') ?? '', allowed.cookie)[allowed.cookie];
  const signedIn = token === undefined && value !== undefined ? tokens.cookie(value) : undefined;
  if (signedIn !== undefined) return { who: signedIn, isBearer: false };
  const what = token === undefined && value === undefined ? 'the request has no token' : 'the token is unknown';
  throw new Refusal(
    'Unauthorized',
    `${what}; open the address that raymond serve prints, or send Authorization: Bearer TOKEN`,
  );
}

/** The token that a request carries. */
export function bearerOf(request: Request): string | undefined {
  return /^Bearer ([^\s]+)$/i.exec(request.headers.get('authorization') ?? '')?.[1];
}

/** Throws `WrongOrigin` for a changing request from a page of another site; programs with a token have no page. */
export function checkOrigin(
  request: Request,
  { allowed, isBearer }: { readonly allowed: AllowedOrigins; readonly isBearer: boolean },
): void {
  if (request.method === 'GET' || request.method === 'HEAD') return;
  const origin = request.headers.get('origin');
  if (origin === null ? isBearer : isOwn(request, { origin, allowed })) return;
  throw new Refusal('WrongOrigin', `the page ${origin ?? '(of unknown origin)'} may not change anything here`);
}

/** Its own page has the host name of the request. */
function isOwn(
  request: Request,
  { origin, allowed }: { readonly origin: string; readonly allowed: AllowedOrigins },
): boolean {
  return allowed.origins.includes(origin) && new URL(origin).host === request.headers.get('host')?.toLowerCase();
}

/** Throws `Forbidden`. */
export function checkRole({ name, role }: Identity, needed: Role): void {
  if (mayAct(role, needed)) return;
  throw new Refusal('Forbidden', `the token of ${name} has the role "${role}", but this needs "${needed}"`);
}

/** The headers of every response: nothing is loaded from other sites, no frames, no type guessing. */
export const SAFE_HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'x-frame-options': 'DENY',
} as const;

/** Files of agents are not pages: even when a user opens one directly, nothing in it runs. */
export const SANDBOXED = {
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
} as const;

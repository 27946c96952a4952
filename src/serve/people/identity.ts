// A user of the API, and the value of their cookie.
import { createHmac } from 'node:crypto';
import type { Role } from './roles.js';

/** A user; `name` is recorded with their actions. */
export interface Identity {
  readonly name: string;
  readonly role: Role;
}

/** The cookie's value for a token: the same after a restart. */
export function cookieOf(token: string): string {
  return createHmac('sha256', token).update('raymond serve session').digest('base64url');
}

// What tokens may do, for the server and for the page: the only module of the server that is in both. It must import nothing.

/** What a token may do: look, answer questions as well, or everything. Each may what those before it may. */
export const ROLES = ['view', 'answer', 'operate'] as const;

/** One of them. */
export type Role = (typeof ROLES)[number];

/** Whether one role may what another one may. */
export function mayAct(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed);
}

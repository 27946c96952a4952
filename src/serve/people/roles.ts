// The roles of tokens, for the server and the page: the only module in both. It must import nothing.

/** A token may view, also answer questions, or do everything. Each role includes those before it. */
export const ROLES = ['view', 'answer', 'operate'] as const;

/** The name of a role. */
export type Role = (typeof ROLES)[number];

/** Whether one role includes another one. */
export function mayAct(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed);
}

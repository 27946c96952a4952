// Who is signed in: one signal for all views. A cookie that no script can read says so to the server; what a token may do decides what is offered.
import { computed, signal } from '@preact/signals';
import { api, ApiProblem } from './api.js';
import { mayAct, type Role } from '../serve/people/roles.js';
import type { Session } from '../serve/types.js';

/** Whether somebody is signed in. `problem` = why not, when there is more to say. */
export type SessionState =
  { readonly kind: 'known'; readonly session: Session } | { readonly kind: 'signed-out'; readonly problem?: string };

/** The state of this tab. */
export const sessionState = signal<SessionState>({ kind: 'signed-out' });

/** Whoever is signed in. */
export const session = computed(() => (sessionState.value.kind === 'known' ? sessionState.value.session : undefined));

/** With a token: exchanges it; without: asks who the cookie is of. */
export async function signIn(token: string | undefined): Promise<void> {
  try {
    sessionState.value = { kind: 'known', session: await (token === undefined ? api.session() : api.signIn(token)) };
  } catch (error) {
    const isSignedOut = error instanceof ApiProblem && error.status === 401 && token === undefined;
    const problem = error instanceof Error ? error.message : String(error);
    sessionState.value = isSignedOut ? { kind: 'signed-out' } : { kind: 'signed-out', problem };
  }
}

/** Forgets the cookie. */
export async function signOut(): Promise<void> {
  await api.signOut();
  sessionState.value = { kind: 'signed-out' };
}

/** Whether whoever is signed in may do what takes this role. */
export function may(needed: Role): boolean {
  const role = session.value?.role;
  return role !== undefined && mayAct(role, needed);
}

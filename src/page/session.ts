// The signed-in user: one signal for all views. A cookie that no script can read identifies the
// user; the role of the token decides which actions are shown.
import { computed, signal } from '@preact/signals';
import { api, ApiProblem } from './api.js';
import { mayAct, type Role } from '../serve/people/roles.js';
import type { Session } from '../serve/types.js';

/** Whether a user is signed in. `problem` = why not, if there is more to say. */
export type SessionState =
  | { readonly kind: 'known'; readonly session: Session }
  | { readonly kind: 'signed-out'; readonly problem?: string }
  /** The address has a token that may do less than the signed-in user. */
  | { readonly kind: 'choice'; readonly session: Session; readonly offered: Session; readonly token: string };

/** The state of this tab. */
export const sessionState = signal<SessionState>({ kind: 'signed-out' });

/** The signed-in user. */
export const session = computed(() => (sessionState.value.kind === 'known' ? sessionState.value.session : undefined));

/** With a token: exchanges it; without: asks for the user of the cookie. */
export async function signIn(token: string | undefined): Promise<void> {
  try {
    sessionState.value = { kind: 'known', session: await (token === undefined ? api.session() : api.signIn(token)) };
  } catch (error) {
    const isSignedOut = error instanceof ApiProblem && error.status === 401 && token === undefined;
    const problem = error instanceof Error ? error.message : String(error);
    sessionState.value = isSignedOut ? { kind: 'signed-out' } : { kind: 'signed-out', problem };
  }
}

/** With the token of the address: a better login is not replaced without a question. */
export async function openLink(token: string): Promise<void> {
  const [session, offered] = await Promise.all(
    [api.session(), api.whose(token)].map((one) => one.catch(() => undefined)),
  );
  if (session === undefined || offered === undefined || mayAct(offered.role, session.role)) await signIn(token);
  else sessionState.value = { kind: 'choice', session, offered, token };
}

/** Deletes the cookie. */
export async function signOut(): Promise<void> {
  await api.signOut();
  sessionState.value = { kind: 'signed-out' };
}

/** Whether the signed-in user has this role. */
export function may(needed: Role): boolean {
  const role = session.value?.role;
  return role !== undefined && mayAct(role, needed);
}

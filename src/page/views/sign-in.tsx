// The view without a valid cookie: instructions, and a field for the token.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Field } from '../parts/action.js';
import { sessionState, signIn, type SessionState } from '../session.js';
import { ROLE_WORDS } from '../words.js';

/** The view. */
export function SignInView({ problem }: Extract<SessionState, { readonly kind: 'signed-out' }>): JSX.Element {
  const [token, setToken] = useState('');
  return (
    <main class="sign-in" id="main">
      <h1>Raymond</h1>
      <p>
        Open the address that <code>raymond serve</code> prints: it contains the token that signs you in. Or paste the
        token here.
      </p>
      {problem !== undefined && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      <form
        class="card"
        onSubmit={(event) => {
          event.preventDefault();
          void signIn(token.trim());
        }}
      >
        <Field label="Token" value={token} set={setToken} required />
        <div class="row end">
          <button type="submit" class="primary">
            Sign in
          </button>
        </div>
      </form>
    </main>
  );
}

/** The view when a link may do less than the signed-in user. */
export function ChoiceView({
  session,
  offered,
  token,
}: Extract<SessionState, { readonly kind: 'choice' }>): JSX.Element {
  return (
    <main class="sign-in" id="main">
      <h1>Raymond</h1>
      <p>
        You are signed in as <strong>{session.by}</strong>, who {ROLE_WORDS[session.role]}. The address that you opened
        is for <strong>{offered.by}</strong>, who {ROLE_WORDS[offered.role]}.
      </p>
      <div class="row">
        <button type="button" class="primary" onClick={() => (sessionState.value = { kind: 'known', session })}>
          Stay signed in as {session.by}
        </button>
        <button type="button" onClick={() => void signIn(token)}>
          View as {offered.by}
        </button>
      </div>
    </main>
  );
}

// The view without a valid cookie: instructions, and a field for the token.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Field } from '../parts/action.js';
import { signIn, type SessionState } from '../session.js';

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

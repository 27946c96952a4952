// The menu in the header: who is signed in, the theme, and links.
import type { JSX } from 'preact';
import { signOut } from '../session.js';
import { setTheme, theme, THEMES } from '../theme.js';
import type { Session } from '../../serve/types.js';

/** The menu. */
export function Menu({ session }: { readonly session: Session }): JSX.Element {
  return (
    <details class="menu">
      <summary>
        {session.project} · {session.by}
      </summary>
      <div class="card">
        <p class="muted">
          {session.by} may {session.role} · {session.root}
        </p>
        <label>
          Theme{' '}
          <select value={theme.value} onChange={({ currentTarget }) => setTheme(currentTarget.value)}>
            {THEMES.map((one) => (
              <option key={one} value={one}>
                {one}
              </option>
            ))}
          </select>
        </label>
        {session.uiUrl !== undefined && (
          <p>
            <a href={session.uiUrl} target="_blank" rel="noopener noreferrer">
              Open in Temporal
            </a>
          </p>
        )}
        <button type="button" onClick={() => void signOut()}>
          Sign out
        </button>
      </div>
    </details>
  );
}

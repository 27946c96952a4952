// The menu in the header: who is signed in, the theme, and links.
import type { JSX, RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { hasBadge, notifying, setBadge, setNotifying } from '../alerts.js';
import { openDialog } from '../keyboard.js';
import { hrefOf, route } from '../router.js';
import { may, signOut } from '../session.js';
import { setTheme, theme, THEMES } from '../theme.js';
import { ROLE_WORDS } from '../words.js';
import { Tick } from './action.js';
import type { Session } from '../../serve/types.js';

/** Closes the menu by Escape, by a press beside it, and when a view was chosen, which it would cover. */
function useClosing(menu: RefObject<HTMLDetailsElement | null>): void {
  const to = route.value;
  const close = (): void => menu.current?.removeAttribute('open');
  useEffect(close, [to]);
  useEffect(() => {
    const press = ({ target }: Event): void => {
      if (!(target instanceof Node && menu.current?.contains(target) === true)) close();
    };
    const key = (event: KeyboardEvent): void => {
      if (event.key === 'Escape') close();
    };
    addEventListener('pointerdown', press);
    addEventListener('keydown', key);
    return () => {
      removeEventListener('pointerdown', press);
      removeEventListener('keydown', key);
    };
  }, []);
}

/** The menu. */
export function Menu({ session }: { readonly session: Session }): JSX.Element {
  const menu = useRef<HTMLDetailsElement>(null);
  useClosing(menu);
  return (
    <details class="menu" ref={menu}>
      <summary>
        Menu
        <span class="wide">
          {' '}
          · {session.project} · {session.by}
        </span>
      </summary>
      <div class="card">
        <p class="muted">
          {session.by} {ROLE_WORDS[session.role]} · {session.root}
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
        <Alerts />
        {session.uiUrl !== undefined && (
          <p>
            <a href={session.uiUrl} target="_blank" rel="noopener noreferrer">
              Open in Temporal
            </a>
          </p>
        )}
        <p class="row">
          <a href={hrefOf({ view: 'schedules' })}>Schedules</a>
          {session.cluster && <a href={hrefOf({ view: 'hosts' })}>Hosts</a>}
          {may('operate') && <a href={hrefOf({ view: 'links' })}>Read-only links</a>}
        </p>
        <p class="row">
          <button type="button" onClick={() => (openDialog.value = 'palette')}>
            Go to … <kbd class="wide">Ctrl</kbd> <kbd class="wide">K</kbd>
          </button>
          <button type="button" onClick={() => (openDialog.value = 'keys')}>
            Keyboard shortcuts
          </button>
        </p>
        <button type="button" onClick={() => void signOut()}>
          Sign out
        </button>
      </div>
    </details>
  );
}

/** What happens when something needs a person. */
function Alerts(): JSX.Element {
  const state = notifying.value;
  return (
    <fieldset>
      <legend>When something needs you</legend>
      <Tick label="Number on the icon of the tab" value={hasBadge.value} set={setBadge} />
      {state === 'on' || state === 'off' ? (
        <Tick label="Notification" value={state === 'on'} set={(isOn) => void setNotifying(isOn)} />
      ) : (
        <p class="hint">
          {state === 'denied'
            ? 'Notifications of this site are blocked in the settings of the browser.'
            : 'This browser shows notifications only for pages on https or on this computer.'}
        </p>
      )}
    </fieldset>
  );
}

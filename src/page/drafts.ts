// Text that was typed and not sent yet: kept in the browser, so that no update, reload or restart
// of the server loses it.
import { useState } from 'preact/hooks';

const PREFIX = 'raymond-draft:';

/** A text under a key, with functions to change and delete it. */
export function useDraft(
  key: string,
  initial = '',
): readonly [text: string, set: (text: string) => void, forget: () => void] {
  const [state, setState] = useState({ key, text: stored(key) ?? initial });
  const text = state.key === key ? state.text : (stored(key) ?? initial);
  const set = (next: string): void => {
    setState({ key, text: next });
    if (next === initial) localStorage.removeItem(PREFIX + key);
    else localStorage.setItem(PREFIX + key, next);
  };
  const forget = (): void => {
    localStorage.removeItem(PREFIX + key);
    setState({ key, text: '' });
  };
  return [text, set, forget];
}

/** The text under a key; undefined when nothing is typed. */
export function storedDraft(key: string): string | undefined {
  return stored(key);
}

/** The keys of all drafts that begin with `prefix`. */
export function draftKeys(prefix: string): readonly string[] {
  const keys = Object.keys(localStorage).filter((key) => key.startsWith(PREFIX + prefix));
  return keys.map((key) => key.slice(PREFIX.length));
}

/** Deletes it. */
export function dropDraft(key: string): void {
  localStorage.removeItem(PREFIX + key);
}

function stored(key: string): string | undefined {
  return localStorage.getItem(PREFIX + key) ?? undefined;
}

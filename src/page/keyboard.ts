// Keyboard shortcuts: `/` find, `g` and a letter for a view, `j` and `k` for the rows of a list, `?` help,
// Ctrl+K the command palette. Single keys can be turned off, as speech input may type them.
import { signal } from '@preact/signals';
import { go, type Route } from './router.js';

/** The dialog that is open. */
export const openDialog = signal<'palette' | 'keys' | undefined>(undefined);

const KEY = 'raymond-shortcuts';

/** Whether single keys are shortcuts; Ctrl+K always is one. */
export const hasShortcuts = signal(localStorage.getItem(KEY) !== 'off');

/** Closes it, unless another one was opened meanwhile. */
export function closeDialog(dialog: 'palette' | 'keys'): void {
  if (openDialog.value === dialog) openDialog.value = undefined;
}

/** Turns single keys on or off. */
export function setShortcuts(isOn: boolean): void {
  hasShortcuts.value = isOn;
  if (isOn) localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, 'off');
}

/** The views behind `g`. */
export const VIEW_KEYS: readonly (readonly [key: string, name: string, to: Route])[] = [
  ['i', 'Inbox', { view: 'inbox' }],
  ['r', 'Runs', { view: 'runs' }],
  ['w', 'Workflows', { view: 'workflows' }],
  ['s', 'Schedules', { view: 'schedules' }],
];

const ROWS = 'main tbody tr, main .plain > li, main article';
const TARGET = 'a[href], button, input, textarea, summary';
const CHORD_MS = 1500;
const FRAMES = 60;

let chordUntil = 0;

/** Listens to the keyboard until the returned function is called. */
export function listenToKeys(): () => void {
  const press = (event: KeyboardEvent): void => {
    if (handled(event)) event.preventDefault();
  };
  document.addEventListener('keydown', press);
  return () => document.removeEventListener('keydown', press);
}

function handled(event: KeyboardEvent): boolean {
  const { key, ctrlKey, metaKey, altKey, target, timeStamp } = event;
  if ((ctrlKey || metaKey) && !altKey && key.toLowerCase() === 'k') return open('palette');
  const isBusy = ctrlKey || metaKey || altKey || isTyping(target) || document.querySelector('dialog[open]') !== null;
  if (!hasShortcuts.value || isBusy) return false;
  const isChord = timeStamp < chordUntil;
  chordUntil = key === 'g' ? timeStamp + CHORD_MS : 0;
  const view = isChord ? VIEW_KEYS.find(([letter]) => letter === key) : undefined;
  if (view !== undefined) go(view[2]);
  else if (key === '?') return open('keys');
  else if (key === '/') return find();
  else if (key === 'j' || key === 'k') return step(key === 'j' ? 1 : -1);
  return view !== undefined;
}

function open(dialog: 'palette' | 'keys'): true {
  openDialog.value = dialog;
  return true;
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof Element && target.matches('textarea, select, input:not([type="checkbox"], [type="radio"])');
}

/** To the search field of the view, else to that of the runs. */
function find(): true {
  if (!focusOnSearch()) {
    go({ view: 'runs' });
    const wait = (frames: number): void => {
      if (!focusOnSearch() && frames > 0) requestAnimationFrame(() => wait(frames - 1));
    };
    wait(FRAMES);
  }
  return true;
}

function focusOnSearch(): boolean {
  const field = document.querySelector<HTMLElement>('main input[type="search"]');
  field?.focus();
  return field !== null;
}

/** To the first link or field of the next or previous row. */
function step(by: 1 | -1): boolean {
  const rows = [...document.querySelectorAll(ROWS)].filter((row) => row.querySelector(TARGET) !== null);
  const at = rows.findIndex((row) => row.contains(document.activeElement));
  const next = at === -1 ? (by === 1 ? 0 : rows.length - 1) : Math.min(Math.max(at + by, 0), rows.length - 1);
  const row = rows[next];
  (row?.querySelector<HTMLElement>('a[href]') ?? row?.querySelector<HTMLElement>(TARGET))?.focus();
  return row !== undefined;
}

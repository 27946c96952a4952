// Alerts on request, for this browser: notifications of new questions and stopped runs, and their number on the icon
// of the tab.
import { effect, signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { plainText } from './parts/markdown.js';
import { inbox, needs, stopped, stoppedRuns } from './needs.js';
import { stopOf } from './stops.js';
import { go } from './router.js';

const NOTIFY = 'raymond-notify';
const BADGE = 'raymond-badge';

/** Whether the browser may notify, and why not. */
export type Permission = 'on' | 'off' | 'denied' | 'unsupported';

/** Whether it notifies. */
export const notifying = signal<Permission>(permission());

/** Whether the icon of the tab has a number. */
export const hasBadge = signal(localStorage.getItem(BADGE) === 'on');

function permission(): Permission {
  // Phones notify only through a service worker, which the page does not have.
  if (!('Notification' in globalThis) || !isSecureContext) return 'unsupported';
  if (Notification.permission === 'denied') return 'denied';
  return Notification.permission === 'granted' && localStorage.getItem(NOTIFY) === 'on' ? 'on' : 'off';
}

/** Turns notifications on, which asks for permission, or off. */
export async function setNotifying(isOn: boolean): Promise<void> {
  localStorage.setItem(NOTIFY, isOn ? 'on' : 'off');
  if (isOn && permission() === 'off') await Notification.requestPermission();
  notifying.value = permission();
}

/** Turns the number on the icon on or off. */
export function setBadge(isOn: boolean): void {
  hasBadge.value = isOn;
  localStorage.setItem(BADGE, isOn ? 'on' : 'off');
}

interface Alert {
  /** The same in all tabs, which therefore show one notification. */
  readonly tag: string;
  readonly title: string;
  readonly body: string;
  readonly run: string;
}

function current(): readonly Alert[] | undefined {
  const { data } = inbox.value;
  if (data === undefined || stoppedRuns.value === undefined) return undefined;
  const questions = data.asks.map(({ runId, askId, prompt }) => {
    return { tag: `${runId} ${askId}`, title: `${runId} asks`, body: plainText(prompt).slice(0, 200), run: runId };
  });
  const stops = stopped.value.map((run) => {
    const { runId, status, cause = '' } = run;
    return { tag: stopOf(run), title: `${runId}: ${status.replace('-', ' ')}`, body: cause, run: runId };
  });
  return [...questions, ...stops];
}

/** Notifies of what is new since the page was opened. */
export function useNotifications(): void {
  const known = useRef<Set<string>>(undefined);
  const alerts = current();
  useEffect(() => {
    if (alerts === undefined) return;
    const fresh = known.current === undefined ? [] : alerts.filter(({ tag }) => known.current?.has(tag) !== true);
    known.current = new Set([...(known.current ?? []), ...alerts.map(({ tag }) => tag)]);
    if (notifying.value === 'on' && !document.hasFocus()) fresh.forEach(notify);
  }, [alerts?.map(({ tag }) => tag).join('\n')]);
}

function notify({ tag, title, body, run }: Alert): void {
  try {
    const shown = new Notification(title, { body, tag, icon: ICON });
    shown.onclick = () => {
      window.focus();
      go({ view: 'run', run, tab: 'agents' });
      shown.close();
    };
  } catch {
    notifying.value = 'unsupported'; // Chrome for Android has the class and throws.
  }
}

const ICON = '/assets/icon.svg';
const SIDE = 64;

effect(() => void drawIcon(hasBadge.value ? needs.value : 0));

async function drawIcon(count: number): Promise<void> {
  const link = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
  const icon = new Image();
  const context = Object.assign(document.createElement('canvas'), { width: SIDE, height: SIDE }).getContext('2d');
  if (link === null || context === null) return;
  if (count === 0) {
    link.href = ICON;
    return;
  }
  icon.src = ICON;
  await icon.decode();
  context.drawImage(icon, 0, 0, SIDE, SIDE);
  context.fillStyle = '#b3261e';
  context.beginPath();
  context.arc(44, 20, 20, 0, 2 * Math.PI);
  context.fill();
  context.fillStyle = '#ffffff';
  context.font = 'bold 30px sans-serif';
  context.textAlign = 'center';
  context.fillText(count > 9 ? '9+' : String(count), 44, 31);
  // Another count may have been drawn while the icon was decoded.
  if (count === (hasBadge.value ? needs.value : 0)) link.href = context.canvas.toDataURL();
}

// Events, one stream for all tabs of a browser: the tab that holds a lock listens to the server and
// forwards them. Browsers open few connections to one host, and a stream per tab would use them up.
import { computed, signal } from '@preact/signals';
import type { ServeEvent } from '../serve/types.js';

/** The state of the stream. */
export type Link = 'opening' | 'open' | 'lost';

/** Its current state. */
export const link = signal<Link>('opening');

/** Whether the last request got an answer. */
export const isAnswered = signal(navigator.onLine);

/** What is shown may be old. */
export const isCutOff = computed(() => link.value === 'lost' || !isAnswered.value);

// A stream notices only after a while that its network is gone.
addEventListener('offline', () => (isAnswered.value = false));
addEventListener('online', () => {
  isAnswered.value = true;
  refresh();
});

type Listener = (event: ServeEvent) => void;
type ChannelMessage =
  | { readonly kind: 'event'; readonly event: ServeEvent }
  | { readonly kind: 'link'; readonly link: Link }
  | { readonly kind: 'hello' };

const listeners = new Set<Listener>();
const TYPES: readonly ServeEvent['type'][] = [
  'run',
  'agent',
  'turn.started',
  'said',
  'printed',
  'warned',
  'turn.ended',
  'ask',
  'gap',
];
const AGAIN_MS = 2000;

/** Calls the listener for every event until the returned function is called. */
export function listen(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Has all views read their data again, in this tab. */
export function refresh(): void {
  apply({ kind: 'event', event: { type: 'gap' } });
}

/** Starts to listen; once for a tab that is signed in. */
export function connect(): void {
  const channel = new BroadcastChannel('raymond-events');
  const notify = (message: ChannelMessage): void => {
    apply(message);
    channel.postMessage(message);
  };
  let isLeader = false;
  channel.onmessage = ({ data }: MessageEvent<ChannelMessage>) => {
    if (data.kind !== 'hello') apply(data);
    else if (isLeader) channel.postMessage({ kind: 'link', link: link.value } satisfies ChannelMessage);
  };
  channel.postMessage({ kind: 'hello' } satisfies ChannelMessage);
  const lead = (): Promise<never> => {
    isLeader = true;
    stream(notify);
    // The lock is held until the tab is closed.
    return new Promise<never>(() => undefined);
  };
  // Browsers offer locks only on https and localhost: on other pages each tab has its own stream.
  if ('locks' in navigator) void navigator.locks.request('raymond-events', lead);
  else void lead();
}

function apply(message: ChannelMessage): void {
  if (message.kind === 'link') link.value = message.link;
  if (message.kind === 'event') for (const listener of listeners) listener(message.event);
}

/** Listens forever. Missed events are reported as a gap: views read their data again. */
function stream(notify: (message: ChannelMessage) => void): void {
  let wasOpen = false;
  const source = new EventSource('/api/events');
  source.onopen = () => {
    notify({ kind: 'link', link: 'open' });
    // After a reconnection the browser sends the id of the last event, and the server the later
    // ones; a new stream may have missed any.
    if (!wasOpen) notify({ kind: 'event', event: { type: 'gap' } });
    wasOpen = true;
  };
  source.onerror = () => {
    notify({ kind: 'link', link: 'lost' });
    if (source.readyState !== EventSource.CLOSED) return;
    setTimeout(() => stream(notify), AGAIN_MS);
  };
  for (const type of TYPES)
    source.addEventListener(type, ({ data }: MessageEvent<string>) =>
      notify({ kind: 'event', event: JSON.parse(data) as ServeEvent }),
    );
}

// Events, one stream for all tabs of a browser: the tab that holds a lock listens to the server and tells the others. Browsers open few
// connections to one host, and a stream per tab would use them up.
import { signal } from '@preact/signals';
import type { ServeEvent } from '../serve/types.js';

/** How the stream fares. */
export type Link = 'opening' | 'open' | 'lost';

/** How it fares now. */
export const link = signal<Link>('opening');

type Listener = (event: ServeEvent) => void;
type News =
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

/** Hears of every event until the function that it gives is called. */
export function listen(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Begins to listen; once for a tab that is signed in. */
export function connect(): void {
  const channel = new BroadcastChannel('raymond-events');
  const tell = (news: News): void => {
    take(news);
    channel.postMessage(news);
  };
  let leads = false;
  channel.onmessage = ({ data }: MessageEvent<News>) => {
    if (data.kind !== 'hello') take(data);
    else if (leads) channel.postMessage({ kind: 'link', link: link.value } satisfies News);
  };
  channel.postMessage({ kind: 'hello' } satisfies News);
  const lead = (): Promise<never> => {
    leads = true;
    stream(tell);
    // The lock is held until the tab is closed.
    return new Promise<never>(() => undefined);
  };
  // Browsers give locks to pages of https and of this host only: elsewhere each tab has a stream of its own.
  if ('locks' in navigator) void navigator.locks.request('raymond-events', lead);
  else void lead();
}

function take(news: News): void {
  if (news.kind === 'link') link.value = news.link;
  if (news.kind === 'event') for (const listener of listeners) listener(news.event);
}

/** Listens for ever. Whatever was missed in between is a gap: views read again. */
function stream(tell: (news: News) => void): void {
  let wasOpen = false;
  const source = new EventSource('/api/events');
  source.onopen = () => {
    tell({ kind: 'link', link: 'open' });
    // The browser sends the id of the last event, and the server what came after it; a stream that is new has missed who knows what.
    if (!wasOpen) tell({ kind: 'event', event: { type: 'gap' } });
    wasOpen = true;
  };
  source.onerror = () => {
    tell({ kind: 'link', link: 'lost' });
    if (source.readyState !== EventSource.CLOSED) return;
    setTimeout(() => stream(tell), AGAIN_MS);
  };
  for (const type of TYPES)
    source.addEventListener(type, ({ data }: MessageEvent<string>) =>
      tell({ kind: 'event', event: JSON.parse(data) as ServeEvent }),
    );
}

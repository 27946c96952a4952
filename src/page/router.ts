// The address bar names the view: the part after `#` has the view and its filters, so that back,
// forward, reload and a copied address work as expected.
import { signal } from '@preact/signals';

/** A view with its parameters. */
export type Route =
  | { readonly view: 'inbox' }
  | {
      readonly view: 'runs';
      readonly status?: string;
      readonly q?: string;
      readonly archived?: string;
      /** Started in the last `since` days. */
      readonly since?: string;
      /** Cost at least this, in USD. */
      readonly cost?: string;
      readonly workflow?: string;
      /** A column of the list; absent = the newest first. */
      readonly sort?: string;
    }
  | { readonly view: 'workflows' | 'schedules' | 'hosts' | 'links' }
  | { readonly view: 'workflow'; readonly workflow: string }
  | { readonly view: 'compare'; readonly one: string; readonly other: string }
  | { readonly view: 'start'; readonly workflow: string; readonly again?: string }
  | {
      readonly view: 'run';
      readonly run: string;
      readonly tab: RunTab;
      readonly state?: string;
      readonly find?: string;
    }
  | { readonly view: 'agent'; readonly run: string; readonly agent: string }
  | {
      readonly view: 'turn';
      readonly run: string;
      readonly agent: string;
      readonly turn: number;
      /** An earlier try of the turn. */
      readonly nth?: number;
    }
  | { readonly view: 'unknown' };

/** The sign of the status of the run that is shown, for the title of the tab. */
export const shownSign = signal('');

/** The tabs of a run. */
export const RUN_TABS = ['agents', 'output', 'timeline', 'graph', 'costs', 'orders'] as const;
export type RunTab = (typeof RUN_TABS)[number];
/** Their names. */
export const TAB_WORDS: Readonly<Record<RunTab, string>> = {
  agents: 'Agents',
  output: 'Output',
  timeline: 'Timeline',
  graph: 'Graph',
  costs: 'Costs',
  orders: 'Activity',
};

/** The parts of the filter of runs, as they stand in the address. */
const RUNS_FILTER = ['status', 'q', 'archived', 'since', 'cost', 'workflow', 'sort'] as const;

/** The view that the address names. */
export const route = signal<Route>(parseRoute(location.hash));

addEventListener('hashchange', () => (route.value = parseRoute(location.hash)));

/** Parses the part after `#`. */
export function parseRoute(hash: string): Route {
  const [path = '', search = ''] = hash.replace(/^#\/?/, '').split('?');
  const parts = path
    .split('/')
    .filter((part) => part !== '')
    .map(decoded);
  const query = new URLSearchParams(search);
  const [first, second, third, fourth, fifth, sixth] = parts;
  // The page removes a token from the address when it starts.
  if (first === undefined || first.startsWith('token=')) return { view: 'inbox' };
  if (first === 'workflows')
    return second === undefined ? { view: 'workflows' } : { view: 'workflow', workflow: second };
  if (first === 'schedules' || first === 'hosts' || first === 'links') return { view: first };
  if (first === 'compare' && second !== undefined && third !== undefined)
    return { view: 'compare', one: second, other: third };
  if (first === 'start' && second !== undefined) return { view: 'start', workflow: second, ...named(query, 'again') };
  if (first !== 'runs') return { view: 'unknown' };
  if (second === undefined) return { view: 'runs', ...runsFilter(query) };
  if (third === undefined) {
    const tab = RUN_TABS.find((one) => one === query.get('tab')) ?? 'agents';
    return { view: 'run', run: second, tab, ...named(query, 'state'), ...named(query, 'find') };
  }
  if (third !== 'agents' || fourth === undefined) return { view: 'unknown' };
  if (fifth === undefined) return { view: 'agent', run: second, agent: fourth };
  const [, turn, nth] = /^(\d+)(?:\.(\d+))?$/.exec(sixth ?? '') ?? [];
  if (fifth !== 'turns' || turn === undefined) return { view: 'unknown' };
  const earlier = nth === undefined ? {} : { nth: Number(nth) };
  return { view: 'turn', run: second, agent: fourth, turn: Number(turn), ...earlier };
}

function runsFilter(query: URLSearchParams): object {
  return Object.assign({}, ...RUNS_FILTER.map((name) => named(query, name))) as object;
}

/** The address of a view. */
export function hrefOf(to: Route): string {
  const part = encodeURIComponent;
  switch (to.view) {
    case 'inbox':
    case 'unknown':
      return '#/';
    case 'workflows':
    case 'schedules':
    case 'hosts':
    case 'links':
      return `#/${to.view}`;
    case 'workflow':
      return `#/workflows/${part(to.workflow)}`;
    case 'compare':
      return `#/compare/${part(to.one)}/${part(to.other)}`;
    case 'runs': {
      const { view: _runs, ...filters } = to;
      return `#/runs${searchOf(filters)}`;
    }
    case 'start':
      return `#/start/${part(to.workflow)}${searchOf({ again: to.again })}`;
    case 'run':
      return `#/runs/${part(to.run)}${searchOf({ tab: to.tab === 'agents' ? undefined : to.tab, state: to.state, find: to.find })}`;
    case 'agent':
      return `#/runs/${part(to.run)}/agents/${part(to.agent)}`;
    case 'turn':
      return `#/runs/${part(to.run)}/agents/${part(to.agent)}/turns/${to.turn}${to.nth === undefined ? '' : `.${to.nth}`}`;
  }
}

/** Shows a view; `replace` adds no entry to the browser's history. */
export function go(to: Route, { replace = false } = {}): void {
  if (!replace) {
    location.hash = hrefOf(to);
    return;
  }
  history.replaceState(undefined, '', hrefOf(to));
  route.value = to;
}

function searchOf(query: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(query).filter((pair): pair is [string, string] => (pair[1] ?? '') !== '');
  return given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`;
}

function named<Name extends string>(query: URLSearchParams, name: Name): Partial<Record<Name, string>> {
  const value = query.get(name);
  return value === null ? {} : ({ [name]: value } as Partial<Record<Name, string>>);
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // it is no address that this page has made
  }
}

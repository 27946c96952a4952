// The application: the common parts of all views, and the current view. A new view gets the focus
// at its heading.
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { useNotifications } from './alerts.js';
import { api } from './api.js';
import { listenToKeys } from './keyboard.js';
import { connect, isCutOff } from './live.js';
import { inbox, needs, openAsks, stoppedRuns } from './needs.js';
import { Keys } from './parts/keys.js';
import { Menu } from './parts/menu.js';
import { Palette } from './parts/palette.js';
import { said } from './parts/action.js';
import { Heading } from './parts/bits.js';
import { useResource, type Resource } from './resource.js';
import { hrefOf, route, shownSign, type Route } from './router.js';
import { sessionState } from './session.js';
import { counted } from './words.js';
import { CompareView } from './views/compare.js';
import { HostsView, SchedulesView } from './views/fleet.js';
import { LinksView } from './views/links.js';
import { WorkflowView } from './views/workflow.js';
import { AgentView } from './views/agent.js';
import { InboxView, loadStopped } from './views/inbox.js';
import { RunView } from './views/run.js';
import { RunsView } from './views/runs.js';
import { ChoiceView, SignInView } from './views/sign-in.js';
import { StartView } from './views/start.js';
import { TurnView } from './views/turn.js';
import { WorkflowsView } from './views/workflows.js';
import type { Inbox, Session } from '../serve/types.js';

/** The whole page. */
export function App(): JSX.Element {
  const state = sessionState.value;
  switch (state.kind) {
    case 'known':
      return <Shell session={state.session} />;
    case 'choice':
      return <ChoiceView {...state} />;
    case 'signed-out':
      return <SignInView {...state} />;
  }
}

function Shell({ session }: { readonly session: Session }): JSX.Element {
  useEffect(() => connect(), []);
  useEffect(listenToKeys, []);
  const { data, problem, reload } = useResource<Inbox>({
    key: 'inbox',
    load: () => api.inbox(),
    when: ({ type }) => type === 'ask',
    everyMs: 700,
  });
  useEffect(() => void (inbox.value = { data, problem }), [data, problem]);
  useStopped();
  useNotifications();
  const asks = openAsks.value;
  const count = needs.value;
  const place = titleOf(route.value);
  const sign = shownSign.value === '' ? '' : `${shownSign.value} `;
  useEffect(() => {
    document.title = `${count > 0 ? `(${count}) ` : ''}${sign}${place} · Raymond`;
  }, [count, sign, place]);
  useFocusOnChange(place);
  return (
    <>
      <a class="skip" href="#main" onClick={toMain}>
        To the content
      </a>
      <Header session={session} count={count} />
      {isCutOff.value && (
        <p class="banner" role="status">
          No connection to Raymond. Retrying… What is shown may be old.
        </p>
      )}
      <main id="main" tabIndex={-1}>
        <View reload={reload} />
      </main>
      <Palette />
      <Keys />
      <p class={said.value === '' ? 'unseen' : 'toast'} role="status">
        {said.value}
      </p>
      <p class="unseen" role="status">
        {asks > 0
          ? `${counted(asks, 'question')} open: ${(data?.asks ?? []).map(({ runId }) => runId).join(', ')}`
          : ''}
      </p>
    </>
  );
}

/** Keeps the stopped runs of the inbox current. */
function useStopped(): void {
  const { data } = useResource({
    key: 'stopped',
    load: loadStopped,
    when: ({ type }) => type === 'run',
    everyMs: 1500,
  });
  useEffect(() => void (stoppedRuns.value = data), [data]);
}

function Header({ session, count }: { readonly session: Session; readonly count: number }): JSX.Element {
  const { view } = route.value;
  const current = (...views: readonly Route['view'][]): 'page' | undefined =>
    views.includes(view) ? 'page' : undefined;
  return (
    <header class="top">
      <a class="brand" href={hrefOf({ view: 'inbox' })}>
        Raymond
      </a>
      <nav aria-label="Main">
        <a href={hrefOf({ view: 'inbox' })} aria-current={current('inbox')}>
          Inbox{' '}
          {count > 0 && (
            <span class="count">
              {count}
              <span class="unseen"> need you</span>
            </span>
          )}
        </a>
        <a href={hrefOf({ view: 'runs' })} aria-current={current('runs', 'run', 'agent', 'turn', 'compare')}>
          Runs
        </a>
        <a href={hrefOf({ view: 'workflows' })} aria-current={current('workflows', 'workflow', 'start')}>
          Workflows
        </a>
      </nav>
      <Menu session={session} />
    </header>
  );
}

function View({ reload }: { readonly reload: Resource<Inbox>['reload'] }): JSX.Element {
  const to = route.value;
  switch (to.view) {
    case 'inbox':
      return <InboxView reload={reload} />;
    case 'runs':
      return <RunsView {...to} />;
    case 'workflows':
      return <WorkflowsView />;
    case 'workflow':
      return <WorkflowView {...to} />;
    case 'schedules':
      return <SchedulesView />;
    case 'hosts':
      return <HostsView />;
    case 'links':
      return <LinksView />;
    case 'compare':
      return <CompareView {...to} />;
    case 'start':
      return <StartView {...to} />;
    case 'run':
      return <RunView {...to} />;
    case 'agent':
      return <AgentView {...to} />;
    case 'turn':
      return <TurnView {...to} />;
    case 'unknown':
      return <Heading>There is nothing at this address</Heading>;
  }
}

function titleOf(to: Route): string {
  switch (to.view) {
    case 'inbox':
      return 'Inbox';
    case 'runs':
      return 'Runs';
    case 'workflows':
      return 'Workflows';
    case 'workflow':
      return to.workflow;
    case 'schedules':
      return 'Schedules';
    case 'hosts':
      return 'Hosts';
    case 'links':
      return 'Read-only links';
    case 'compare':
      return `${to.one} and ${to.other}`;
    case 'start':
      return `Start ${to.workflow}`;
    case 'run':
      return to.run;
    case 'agent':
      return `${to.agent} of ${to.run}`;
    case 'turn':
      return `Turn ${to.turn} of ${to.agent} in ${to.run}`;
    case 'unknown':
      return 'Nothing';
  }
}

/** `#main` would be read as the address of a view. */
function toMain(event: Event): void {
  event.preventDefault();
  document.getElementById('main')?.focus();
}

let shown: string | undefined;

function useFocusOnChange(place: string): void {
  useEffect(() => {
    // A browser starts at the first view anyway.
    if (shown !== undefined && shown !== place) {
      scrollTo(0, 0);
      const isFinding = document.activeElement?.matches('main input[type="search"]') === true;
      if (!isFinding) document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true });
    }
    shown = place;
  }, [place]);
}

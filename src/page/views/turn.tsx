// A turn: its prompt, its output and its outcome; its conversation with folded tool calls, and the
// command that opens it.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { api, type ApiProblem, type TurnName } from '../api.js';
import { Facts, Heading, Loading, ProblemNote } from '../parts/bits.js';
import { Markdown } from '../parts/markdown.js';
import { LiveOutput } from '../parts/output.js';
import { problemOf, useResource } from '../resource.js';
import { hrefOf, type Route } from '../router.js';
import { may } from '../session.js';
import { duration, endOf, tokensIn, usd, when } from '../words.js';
import { ForkAction } from './run-actions.js';
import { Trail } from './trail.js';
import type { Opening, Transcript, TurnDetail } from '../../serve/types.js';

/** The view. */
export function TurnView({ run, agent, turn }: Extract<Route, { readonly view: 'turn' }>): JSX.Element {
  const name = { run, agent, turn };
  const { data, problem } = useResource<TurnDetail>({
    key: `turn ${run} ${agent} ${turn}`,
    load: () => api.turn(name),
    when: (event) => event.type === 'turn.ended' && event.runId === run && event.agentId === agent,
    everyMs: 1000,
  });
  const isUnderWay = problem?.code === 'NoSuchTurn';
  return (
    <>
      <Trail run={run} agent={agent} />
      <Heading more={data !== undefined && <span class={`status ${endOf(data).tone}`}>{endOf(data).text}</span>}>
        Turn {turn}
      </Heading>
      <nav class="row" aria-label="Other turns">
        {turn > 1 && <a href={hrefOf({ view: 'turn', run, agent, turn: turn - 1 })}>‹ Turn {turn - 1}</a>}
        <a href={hrefOf({ view: 'turn', run, agent, turn: turn + 1 })}>Turn {turn + 1} ›</a>
      </nav>
      {isUnderWay ? (
        <p class="note">This turn is not recorded yet. What it prints stands below.</p>
      ) : (
        <ProblemNote problem={problem} />
      )}
      {data === undefined && problem === undefined && <Loading what="the turn" />}
      {data !== undefined && <Recorded name={name} turn={data} />}
      <section class="card" aria-label="Output">
        <h2>{data?.kind === 'prompt' ? 'What the agent said' : 'Output'}</h2>
        <LiveOutput key={data?.endedAt ?? 'now'} turn={name} />
      </section>
      {data?.conversation === true && <Conversation name={name} />}
    </>
  );
}

function Recorded({ name, turn }: { readonly name: TurnName; readonly turn: TurnDetail }): JSX.Element {
  const { kind, warnings, end } = turn;
  return (
    <>
      <Facts of={factsOf(turn)} />
      <div class="row actions">
        <ForkAction run={name.run} turn={turn} />
      </div>
      {warnings.map((warning) => (
        <p key={warning} class="note warn">
          {warning}
        </p>
      ))}
      {end.kind !== 'transition' && <p class="problem">{endOf(turn).text}</p>}
      {end.kind === 'transition' && (
        <Payload
          label="What it handed on"
          value={end.transition.payload ?? end.transition.input ?? end.transition.prompt}
        />
      )}
      <Payload label="Input" value={turn.input} />
      {kind === 'prompt' && <Prompt name={name} />}
    </>
  );
}

function factsOf(turn: TurnDetail): readonly (readonly [name: string, text: string | undefined])[] {
  const {
    state,
    kind,
    via,
    costUsd,
    durationMs,
    attempts,
    startedAt,
    endedAt,
    session,
    callers,
    cwd,
    attributes,
    account,
    tokens,
    queuedAt,
    ranAt,
  } = turn;
  return [
    ['State', `${state} (${kind})`],
    ['Came by', via],
    ['Called by', callers.join(' ← ')],
    ['Queued', queuedAt && ranAt && duration(Date.parse(ranAt) - Date.parse(queuedAt))],
    ['Took', duration(durationMs)],
    ['Cost', usd(costUsd)],
    ['Tokens', tokens && tokensIn(tokens)],
    ['Tries', attempts > 1 ? String(attempts) : undefined],
    ['Model', session?.model],
    ['Account', account],
    ['Folder', cwd],
    ['Started', when(startedAt)],
    ['Ended', when(endedAt)],
    ...Object.entries(attributes).map(([key, value]) => [key, value] as const),
  ];
}

function Payload({
  label,
  value,
}: {
  readonly label: string;
  readonly value: string | object | undefined;
}): JSX.Element | null {
  if (typeof value !== 'string' || value === '') return null;
  return (
    <section class="card">
      <h2>{label}</h2>
      <pre class="text" tabIndex={0} role="region" aria-label={label}>
        {value}
      </pre>
    </section>
  );
}

function Prompt({ name }: { readonly name: TurnName }): JSX.Element {
  const { data, problem } = useResource({
    key: `prompt ${name.run} ${name.agent} ${name.turn}`,
    load: () => api.prompt(name),
  });
  return (
    <details class="card" open>
      <summary>The prompt, as it was sent</summary>
      <ProblemNote problem={problem} />
      {data !== undefined && (
        <pre class="text" tabIndex={0} role="region" aria-label="The prompt">
          {data.text}
        </pre>
      )}
    </details>
  );
}

function Conversation({ name }: { readonly name: TurnName }): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="card" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>The conversation, with its tool calls</summary>
      {isOpen && <Entries name={name} />}
      {isOpen && may('operate') && <Open name={name} />}
    </details>
  );
}

function Entries({ name }: { readonly name: TurnName }): JSX.Element {
  const { data, problem } = useResource<Transcript>({
    key: `transcript ${name.run} ${name.agent} ${name.turn}`,
    load: () => api.transcript(name),
  });
  if (data === undefined)
    return problem === undefined ? <Loading what="the conversation" /> : <ProblemNote problem={problem} />;
  return (
    <ol class="conversation">
      {data.entries.map(({ by, text }, index) => (
        <li key={index} class={by}>
          {by === 'tool' ? (
            <details>
              <summary>{text.split('\n')[0]?.slice(0, 120) ?? 'tool'}</summary>
              <pre class="text">{text}</pre>
            </details>
          ) : (
            <>
              <h3>{by === 'person' ? 'Prompt' : 'Agent'}</h3>
              <Markdown text={text} />
            </>
          )}
        </li>
      ))}
    </ol>
  );
}

function Open({ name }: { readonly name: TurnName }): JSX.Element {
  const [state, setState] = useState<{ readonly opening?: Opening; readonly problem?: ApiProblem }>({});
  const open = (): Promise<void> =>
    api.opening(name).then(
      (opening) => setState({ opening }),
      (error: unknown) => setState({ problem: problemOf(error) }),
    );
  return (
    <div>
      <button type="button" onClick={() => void open()}>
        Open it in its program …
      </button>
      <ProblemNote problem={state.problem} />
      {state.opening !== undefined && (
        <>
          <p>It was copied to where its program finds it. In a terminal on the host of raymond serve:</p>
          <pre class="text" tabIndex={0} role="region" aria-label="The line that opens the conversation">
            {`cd ${state.opening.cwd} && ${state.opening.command}`}
          </pre>
        </>
      )}
    </div>
  );
}

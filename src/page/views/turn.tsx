// A turn: its prompt, its output and its outcome; its conversation with folded tool calls, and the
// command that opens it.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { dollars } from '../../protocol/text.js';
import { api, type ApiProblem, type TurnName } from '../api.js';
import { Facts, Fold, Heading, Loading, Moment, ProblemNote } from '../parts/bits.js';
import { changedFiles, FilesOfTurn } from '../parts/changed-files.js';
import { Conversation, startOfTurn } from '../parts/conversation.js';
import { Copy } from '../parts/copy.js';
import { LiveOutput } from '../parts/output.js';
import { problemOf, useResource } from '../resource.js';
import { hrefOf, type Route } from '../router.js';
import { may } from '../session.js';
import { useTurns } from '../turns.js';
import { duration, endOf, kindOf, tokensIn } from '../words.js';
import { ForkAction } from './fork-action.js';
import { Breadcrumb } from './breadcrumb.js';
import type { Opening, Run, Transcript, TurnDetail } from '../../serve/types.js';

/** The view. */
export function TurnView({ run, agent, turn, nth }: Extract<Route, { readonly view: 'turn' }>): JSX.Element {
  const name = { run, agent, turn, nth };
  const { data, problem } = useResource<TurnDetail>({
    key: `turn ${run} ${agent} ${turn} ${nth ?? ''}`,
    load: () => api.turn(name),
    when: (event) => event.type === 'turn.ended' && event.runId === run && event.agentId === agent,
    everyMs: 1000,
  });
  const { last, current, tries } = useLastTurn(name);
  const isMissing = problem?.code === 'NoSuchTurn';
  const isCurrent = current?.turn === turn && nth === undefined;
  return (
    <>
      <Breadcrumb run={run} agent={agent} />
      <Heading
        more={
          data !== undefined && (
            <span class={`status ${endOf(data).tone}`}>
              {data.end.kind === 'failed' ? '✗ failed' : endOf(data).text}
            </span>
          )
        }
      >
        Turn {turn}
        {nth !== undefined && `, try ${nth}`}
      </Heading>
      <nav class="row" aria-label="Other turns">
        {turn > 1 && <a href={hrefOf({ view: 'turn', run, agent, turn: turn - 1 })}>‹ Turn {turn - 1}</a>}
        {last !== undefined && turn < last && (
          <a href={hrefOf({ view: 'turn', run, agent, turn: turn + 1 })}>Turn {turn + 1} ›</a>
        )}
        {Array.from({ length: tries }, (_one, index) => index + 1).map((one) => (
          <a
            key={one}
            href={hrefOf({ view: 'turn', run, agent, turn, nth: one })}
            aria-current={one === nth ? 'page' : undefined}
          >
            Try {one} (failed)
          </a>
        ))}
        {nth !== undefined && <a href={hrefOf({ view: 'turn', run, agent, turn })}>Last try</a>}
      </nav>
      {isMissing ? <NotRecorded name={name} last={last} isCurrent={isCurrent} /> : <ProblemNote problem={problem} />}
      {data === undefined && problem === undefined && <Loading what="the turn" />}
      {data !== undefined && <Recorded name={name} turn={data} />}
      {data?.conversation === true ? (
        <RecordedConversation name={name} />
      ) : data === undefined && !isCurrent ? undefined : (
        <section class="card" aria-label="Output">
          <h2>Output</h2>
          <LiveOutput key={data?.endedAt ?? 'now'} turn={name} kind={data?.kind ?? kindOf(current?.state)} />
        </section>
      )}
    </>
  );
}

/** The number of an agent's last turn, recorded or running, and what it does now. */
function useLastTurn({ run, agent, turn }: TurnName): {
  readonly last: number | undefined;
  readonly current: Run['agents'][number] | undefined;
  readonly tries: number;
} {
  const { data } = useResource<Run>({
    key: `run ${run}`,
    load: () => api.run(run),
    when: (event) => event.type === 'agent' && event.runId === run && event.agentId === agent,
    everyMs: 1000,
  });
  const turns = useTurns(run, agent).data;
  const current = data?.agents.find(({ id }) => id === agent);
  const last = turns === undefined ? undefined : Math.max(turns.at(-1)?.number ?? 0, current?.turn ?? 0);
  const recorded = (turns ?? []).filter(({ number }) => number === turn).length;
  return { last, current, tries: Math.max(recorded - 1, 0) };
}

function NotRecorded({
  name: { run, agent },
  last,
  isCurrent,
}: {
  readonly name: TurnName;
  readonly last: number | undefined;
  readonly isCurrent: boolean;
}): JSX.Element | null {
  if (isCurrent) return <p class="note">This turn is running.</p>;
  if (last === undefined) return null;
  return (
    <p class="note">
      {last === 0 ? (
        `${agent} has no turns yet.`
      ) : (
        <>
          There is no such turn: {agent} ended after{' '}
          <a href={hrefOf({ view: 'turn', run, agent, turn: last })}>turn {last}</a>.
        </>
      )}
    </p>
  );
}

function Recorded({ name, turn }: { readonly name: TurnName; readonly turn: TurnDetail }): JSX.Element {
  const { warnings, end } = turn;
  return (
    <>
      <Facts of={factsOf(turn)} />
      <div class="row actions">{name.nth === undefined && <ForkAction name={name} turn={turn} />}</div>
      {warnings.map((warning) => (
        <p key={warning} class="note warn">
          {warning}
        </p>
      ))}
      {end.kind !== 'transition' && <p class="problem">{endOf(turn).text}</p>}
      {end.kind === 'transition' && (
        <Payload
          label={payloadLabel(end.transition)}
          value={end.transition.payload ?? end.transition.input ?? end.transition.prompt}
        />
      )}
      <Payload label="Input" value={turn.input} />
    </>
  );
}

/** What the value of a transition is. */
function payloadLabel({
  kind,
  target,
  next,
}: Extract<TurnDetail['end'], { kind: 'transition' }>['transition']): string {
  if (kind === 'ask') return 'Question';
  return kind === 'result' ? 'Result' : `Input for ${target ?? next ?? 'the next state'}`;
}

function factsOf(turn: TurnDetail): Parameters<typeof Facts>[0]['of'] {
  const {
    state,
    kind,
    replaced,
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
    sandbox,
    tokens,
    queuedAt,
    ranAt,
  } = turn;
  return [
    ['State', `${state} (${kind}${replaced === true ? ', replaced for this run' : ''})`],
    ['Reached by', via],
    ['Called by', callers.join(' ← ')],
    ['Queued', queuedAt && ranAt && duration(Date.parse(ranAt) - Date.parse(queuedAt))],
    ['Took', duration(durationMs)],
    ['Cost', dollars(costUsd)],
    ['Tokens', tokens && tokensIn(tokens)],
    ['Attempts', attempts > 1 ? String(attempts) : undefined],
    ['Model', session?.model],
    ['Account', account],
    ['Sandbox', sandbox?.kind ?? 'none'],
    ['Folder', cwd],
    ['Started', <Moment time={startedAt} />],
    ['Ended', <Moment time={endedAt} />],
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
    key: `prompt ${name.run} ${name.agent} ${name.turn} ${name.nth ?? ''}`,
    load: () => api.prompt(name),
  });
  if (data === undefined)
    return problem === undefined ? <Loading what="the prompt" /> : <ProblemNote problem={problem} />;
  return (
    <>
      <Copy text={data.text} what="the prompt" />
      <pre class="text" tabIndex={0} role="region" aria-label="The prompt">
        {data.text}
      </pre>
    </>
  );
}

function RecordedConversation({ name }: { readonly name: TurnName }): JSX.Element {
  const { data, problem } = useResource<Transcript>({
    key: `transcript ${name.run} ${name.agent} ${name.turn} ${name.nth ?? ''}`,
    load: () => api.transcript(name),
  });
  return (
    <>
      {data !== undefined && <FilesOfTurn files={changedFiles(data.entries.slice(startOfTurn(data.entries)))} />}
      <section class="card" aria-labelledby="conversation">
        <h2 id="conversation">Conversation</h2>
        <ProblemNote problem={problem} />
        {data === undefined ? (
          problem === undefined && <Loading what="the conversation" />
        ) : (
          <Conversation entries={data.entries} />
        )}
        {may('operate') && <Open name={name} />}
      </section>
      <Fold title="Raw output" look="card">
        {() => <LiveOutput turn={name} />}
      </Fold>
      <Fold title="Raw prompt" look="card">
        {() => <Prompt name={name} />}
      </Fold>
    </>
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
        Open in Claude Code
      </button>
      <ProblemNote problem={state.problem} />
      {state.opening !== undefined && (
        <>
          <p>
            Run this on the server’s machine: <Copy text={state.opening.command} what="the command" />
          </p>
          <pre class="text" tabIndex={0} role="region" aria-label="The command that opens the conversation">
            {state.opening.command}
          </pre>
        </>
      )}
    </div>
  );
}

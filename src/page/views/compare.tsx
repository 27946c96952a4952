// Two runs side by side: what they were given, what they cost, the path of their first agents, the state files that
// their turns read, the files that their agents changed, their errors, and their results.
import type { JSX } from 'preact';
import { dollars } from '../../protocol/text.js';
import { api, type TurnName } from '../api.js';
import { changedFiles, ComparedFiles, type ChangedFiles } from '../parts/changed-files.js';
import { startOfTurn } from '../parts/conversation.js';
import { failedAgents } from '../failed-agents.js';
import { failureGroups } from '../parts/failures.js';
import { Diff } from '../parts/tool-call.js';
import { Fold, Heading, Loading, ProblemNote, Table } from '../parts/bits.js';
import { useResource } from '../resource.js';
import { hrefOf, type Route } from '../router.js';
import { counted, duration, type Turn } from '../words.js';
import type { Run } from '../../serve/types.js';

interface Compared {
  readonly run: Run;
  /** The states of `main`, one a line. */
  readonly path: string;
  /** The last turn of each state file, which has the hash of what it read. */
  readonly files: ReadonlyMap<string, Turn>;
  /** The states that its agents reached. A turn that failed to start has not recorded the version of its file. */
  readonly reached: ReadonlySet<string>;
  readonly failedTurns: number;
  /** Its turns that have a conversation. */
  readonly prompts: readonly Turn[];
}

async function read(id: string): Promise<Compared> {
  const [run, { turns }] = await Promise.all([api.run(id, true), api.turns(id, {})]);
  const ofMain = turns.filter(({ agentId }) => agentId === 'main');
  const hashed = turns.filter(({ stateSha256 }) => stateSha256 !== undefined);
  return {
    run,
    path: ofMain.map(({ state }) => `${state}\n`).join(''),
    reached: new Set([...turns, ...run.agents].map(({ state }) => state)),
    failedTurns: turns.filter(({ end }) => end.kind === 'failed').length,
    files: new Map(hashed.map((turn) => [turn.state, turn])),
    prompts: turns.filter(({ session }) => session !== undefined),
  };
}

/** The view. */
export function CompareView({ one, other }: Extract<Route, { readonly view: 'compare' }>): JSX.Element {
  const { data, problem } = useResource({
    key: `compare ${one} ${other}`,
    load: () => Promise.all([read(one), read(other)]),
    when: (event) => event.type === 'run' && (event.runId === one || event.runId === other),
    everyMs: 2000,
  });
  return (
    <>
      <Heading>Compare two runs</Heading>
      <ProblemNote problem={problem} />
      {data === undefined && problem === undefined && <Loading what="both runs" />}
      {data !== undefined && <Comparison of={data} />}
    </>
  );
}

function Comparison({ of: [one, other] }: { readonly of: readonly [Compared, Compared] }): JSX.Element {
  const [lefts, rights] = [new Map(factsOf(one)), new Map(factsOf(other))];
  const names = [...new Set([...lefts.keys(), ...rights.keys()])];
  const rows = names.map((name) => [name, lefts.get(name) ?? '', rights.get(name) ?? ''] as const);
  return (
    <>
      <Table of="Both runs" look="compared" columns={['Fact', 'Left', 'Right']}>
        <tr>
          <th scope="row">Run</th>
          {[one, other].map(({ run: { runId } }) => (
            <td key={runId}>
              <a href={hrefOf({ view: 'run', run: runId, tab: 'agents' })}>{runId}</a>
            </td>
          ))}
        </tr>
        {rows
          .filter(([, left, right]) => left !== '' || right !== '')
          .map(([name, left, right]) => (
            <tr key={name} class={left === right ? '' : 'differs'}>
              <th scope="row">
                {name}
                {left !== right && <span class="unseen"> (differs)</span>}
              </th>
              <td>{left}</td>
              <td>{right}</td>
            </tr>
          ))}
      </Table>
      <Texts name="Input" before={one.run.given?.input ?? ''} after={other.run.given?.input ?? ''} />
      <Texts name="Path of main" before={one.path} after={other.path} />
      <StateFiles before={one} after={other} />
      <CompareFiles one={one} other={other} />
      <Texts name="Errors" before={errorsOf(one.run)} after={errorsOf(other.run)} />
      <Texts name="Result" before={one.run.result ?? ''} after={other.run.result ?? ''} />
    </>
  );
}

/** The state files of which the runs read different versions. */
function StateFiles({ before, after }: { readonly before: Compared; readonly after: Compared }): JSX.Element | null {
  const names = [...new Set([...before.files.keys(), ...after.files.keys()])].sort();
  if (names.length === 0) return null;
  const different = names.filter((name) => before.files.get(name)?.stateSha256 !== after.files.get(name)?.stateSha256);
  return (
    <section class="card" aria-label="State files">
      <h2>State files</h2>
      <p class="muted">
        {counted(names.length - different.length, 'file')} the same in both, {different.length} different.
      </p>
      {different.map((name) => {
        const [left, right] = [before.files.get(name), after.files.get(name)];
        if (left === undefined || right === undefined)
          return (
            <p key={name}>
              {name}: read {(left === undefined ? before : after).reached.has(name) ? 'by both runs; only' : 'only by'}{' '}
              the {left === undefined ? 'right' : 'left'} run
              {(left === undefined ? before : after).reached.has(name) &&
                ' recorded its version (a turn of the other failed)'}
            </p>
          );
        return (
          <Fold key={name} title={`${name} differs`}>
            {() => <FileDiff left={turnName(before, left)} right={turnName(after, right)} />}
          </Fold>
        );
      })}
    </section>
  );
}

function turnName({ run: { runId } }: Compared, { agentId, number }: Turn): TurnName {
  return { run: runId, agent: agentId, turn: number };
}

/** Both versions of a file, as far as they still exist. */
function FileDiff({ left, right }: { readonly left: TurnName; readonly right: TurnName }): JSX.Element {
  const { data, problem } = useResource({
    key: `files ${left.run} ${right.run} ${left.agent} ${left.turn} ${right.turn}`,
    load: () => Promise.all([api.stateFile(left), api.stateFile(right)]),
  });
  if (data === undefined)
    return problem === undefined ? <Loading what="the files" /> : <ProblemNote problem={problem} />;
  const [one, other] = data;
  const changed = [one.changed && left.run, other.changed && right.run].filter(Boolean);
  return (
    <>
      {changed.length > 0 && (
        <p class="note">The file was changed after {changed.join(' and ')}: what is shown is its present text.</p>
      )}
      <Diff change={{ before: one.text, after: other.text }} label={`${one.file}: left (−) and right (+)`} />
    </>
  );
}

function factsOf({ run, failedTurns }: Compared): readonly (readonly [name: string, value: string])[] {
  const {
    workflow,
    status,
    costUsd,
    budgetUsd,
    startedAt,
    endedAt,
    agents,
    agentsBefore,
    given,
    labels = {},
    costs,
  } = run;
  const { by = '', model = '', effort = '', cwd = '' } = given ?? {};
  const failed = agents.filter((agent) => agent.status === 'failed' || agent.status === 'lost').length;
  return [
    ['Workflow', workflow],
    ['Status', status.replace('-', ' ')],
    ['Cost', dollars(costUsd)],
    ['Budget', budgetUsd === undefined ? '' : dollars(budgetUsd)],
    ['Took', endedAt === undefined ? 'not ended yet' : duration(Date.parse(endedAt) - Date.parse(startedAt))],
    ['Turns', String((costs?.byState ?? []).reduce((sum, { turns }) => sum + turns, 0))],
    ['Agents', String(agents.length + agentsBefore)],
    ['Failed agents', String(failed)],
    ['Failed turns', String(failedTurns)],
    ['Started by', by],
    ['Model', model],
    ['Effort', effort],
    ['Folder', cwd],
    [
      'Labels',
      Object.entries(labels)
        .map(([key, value]) => `${key}=${value}`)
        .join(' '),
    ],
    ...(costs?.byState ?? [])
      .filter((state) => state.costUsd > 0)
      .map((state) => [`Cost of ${state.name}`, dollars(state.costUsd)] as const),
  ];
}

/** The errors of its agents, those of one kind in one line. */
function errorsOf(run: Run): string {
  return failureGroups(failedAgents(run))
    .map(({ agents, state, message }) => `${counted(agents.length, 'agent')} at ${state}: ${message}\n`)
    .join('');
}

/** The most conversations of a run that are read for its files. */
const MOST_READ = 100;

/** The files that its agents changed in their newest conversations. */
async function filesOf({ run: { runId: run }, prompts }: Compared): Promise<ChangedFiles> {
  const parts = await Promise.all(
    prompts.slice(-MOST_READ).map(async ({ agentId: agent, number: turn }) => {
      const { entries } = await api.transcript({ run, agent, turn });
      return entries.slice(startOfTurn(entries));
    }),
  );
  return changedFiles(parts.flat());
}

function CompareFiles({ one, other }: { readonly one: Compared; readonly other: Compared }): JSX.Element | null {
  const count = Math.max(one.prompts.length, other.prompts.length);
  if (count === 0) return null;
  return (
    <section class="card" aria-label="Files">
      <h2>Files</h2>
      <Fold title="Files changed by tools">{() => <FilesOfBoth one={one} other={other} />}</Fold>
      <p class="muted">
        Changes by commands are not recorded.
        {count > MOST_READ && ` Of each run the last ${MOST_READ} turns of prompts are read.`}
      </p>
    </section>
  );
}

function FilesOfBoth({ one, other }: { readonly one: Compared; readonly other: Compared }): JSX.Element {
  const { data, problem } = useResource({
    key: `changed files ${one.run.runId} ${other.run.runId}`,
    load: () => Promise.all([filesOf(one), filesOf(other)]),
  });
  if (data === undefined)
    return problem === undefined ? <Loading what="the conversations" /> : <ProblemNote problem={problem} />;
  return <ComparedFiles left={data[0]} right={data[1]} />;
}

function Texts({
  name,
  before,
  after,
}: {
  readonly name: string;
  readonly before: string;
  readonly after: string;
}): JSX.Element | null {
  if (before === '' && after === '') return null;
  return (
    <section class="card" aria-label={name}>
      <h2>{name}</h2>
      {before === after && <p class="muted">The same in both.</p>}
      <Diff change={{ before, after }} label={`${name}: left (−) and right (+)`} />
    </section>
  );
}

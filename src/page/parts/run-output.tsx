// What all agents of a run print, together: each line with the name of its agent, filtered by agent.
import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { api } from '../api.js';
import { useResource } from '../resource.js';
import { Tick } from './action.js';
import { Empty, Loading, ProblemNote } from './bits.js';
import { TerminalText } from './terminal-text.js';
import { byNumber } from './waterfall-lanes.js';
import type { Outputs } from '../../serve/types.js';

type Printed = Outputs['turns'][number];

interface Known {
  readonly turns: readonly Printed[];
  readonly live: readonly Printed[];
  readonly next: string;
}

/** More agents share colours. */
const COLOURS = [36, 33, 35, 32, 34, 91, 96, 93, 95, 92];

/** The view. */
export function RunOutput({ run, open }: { readonly run: string; readonly open: boolean }): JSX.Element {
  const [agent, setAgent] = useState('');
  const [follow, setFollow] = useState(true);
  const { data, problem } = useResource<Known>({
    key: `output of ${run}`,
    load: (before) => later(run, before),
    when: (event) => 'turn' in event && event.runId === run,
    everyMs: 1000,
  });
  const all = useMemo(() => inOrder(data), [data]);
  const agents = useMemo(() => [...new Set(all.map(({ agentId }) => agentId))].sort(byNumber), [all]);
  const text = useMemo(() => textOf(all, { agents, agent }), [all, agent]);
  if (data === undefined)
    return problem === undefined ? <Loading what="the output" /> : <ProblemNote problem={problem} />;
  if (all.length === 0) return <Empty>No output yet.</Empty>;
  return (
    <>
      <div class="row">
        <select aria-label="Agent" value={agent} onChange={({ currentTarget }) => setAgent(currentTarget.value)}>
          <option value="">All agents</option>
          {agents.map((id) => (
            <option key={id} value={id}>
              {id}
            </option>
          ))}
        </select>
        {open && <Tick label="Auto-scroll" value={follow} set={setFollow} />}
      </div>
      <TerminalText
        text={text}
        label={`Output of ${agent === '' ? run : agent}`}
        follow={open && follow}
        file={`${run}.log`}
      />
    </>
  );
}

async function later(run: string, before: Known | undefined): Promise<Known> {
  let [turns, next] = [before?.turns ?? [], before?.next];
  for (;;) {
    const page = await api.outputs(run, next);
    const known = new Set(turns.slice(-1000).map(keyOf));
    const fresh = page.turns.filter((turn) => !known.has(keyOf(turn)));
    turns = [...turns, ...fresh];
    if (fresh.length === 0 || page.next === next) return { turns, live: page.live, next: page.next };
    next = page.next;
  }
}

function keyOf({ agentId, turn, endedAt = '' }: Printed): string {
  return `${agentId}/${turn}/${endedAt}`;
}

function inOrder(data: Known | undefined): readonly Printed[] {
  if (data === undefined) return [];
  const ended = new Set(data.turns.map(({ agentId, turn }) => `${agentId}/${turn}`));
  const live = data.live.filter(({ agentId, turn }) => !ended.has(`${agentId}/${turn}`));
  return [...data.turns, ...live].filter(({ text }) => text.trim() !== '');
}

function textOf(
  printed: readonly Printed[],
  { agents, agent }: { readonly agents: readonly string[]; readonly agent: string },
): string {
  const colours = new Map(agents.map((id, index) => [id, COLOURS[index % COLOURS.length] ?? 36]));
  const lines = printed.flatMap(({ agentId, state, text }) => {
    if (agent !== '' && agent !== agentId) return [];
    const prefix = `\u001b[${colours.get(agentId) ?? 36}m${agentId} ${state}\u001b[0m │ `;
    return text
      .replace(/\n$/, '')
      .split('\n')
      .map((line) => `${prefix}${line}`);
  });
  return lines.join('\n');
}

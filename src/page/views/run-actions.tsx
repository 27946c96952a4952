// The actions on a run and on an agent, each with its consequence. Actions that are impossible now
// are not shown.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { dollars } from '../../protocol/text.js';
import { api } from '../api.js';
import { Action, Field, Tick } from '../parts/action.js';
import { failedAgents } from '../failed-agents.js';
import { isPausing } from '../parts/run-status.js';
import { order, orderOf } from '../pending.js';
import { useResource } from '../resource.js';
import { hrefOf } from '../router.js';
import { may } from '../session.js';
import type { Run, WorkflowDetail } from '../../serve/types.js';

type Agent = Run['agents'][number];

/** What the actions need to know of a run; runs in lists have it, too. */
type RunFacts = Pick<Run, 'runId' | 'status' | 'open' | 'served' | 'pausedBy' | 'endedAt'>;

/** The actions on a run. */
export function RunActions({ run }: { readonly run: Run }): JSX.Element | null {
  if (!may('operate') || orderOf(run) !== undefined) return null;
  const { runId, status, open, served, workflowId } = run;
  const isPaused = run.pausedBy !== undefined || status === 'paused';
  const isOver = status === 'over-budget';
  const canResume = !isOver && (open ? isPaused || served === false : status !== 'completed');
  return (
    <div class="row actions" role="group" aria-label="Actions on the run">
      {open && !isPaused && <PauseAction runId={runId} />}
      {canResume && (
        <ResumeAction
          run={run}
          label={isPausing(run) ? 'Undo pause' : 'Resume'}
          isPrimary={failedAgents(run).length === 0}
        />
      )}
      {status !== 'completed' && <BudgetAction run={run} />}
      {workflowId !== undefined && (
        <a class="button" href={hrefOf({ view: 'start', workflow: workflowId, again: runId })}>
          Start again
        </a>
      )}
      {open && (
        <Action
          label="Cancel run"
          tone="bad"
          keep="Keep running"
          consequence="All its agents stop now, turns in progress are interrupted, and the run ends as cancelled. “Resume” can continue it later."
          done={`${runId} is stopping.`}
          act={() => api.cancel(runId)}
        />
      )}
    </div>
  );
}

/** Continues a run. */
export function ResumeAction({
  run,
  label = 'Resume',
  isPrimary = true,
}: {
  readonly run: RunFacts;
  readonly label?: string;
  readonly isPrimary?: boolean;
}): JSX.Element {
  const { runId, open } = run;
  return (
    <Action
      label={label}
      isPrimary={isPrimary}
      consequence={
        open
          ? 'Its agents continue where they stopped; this server executes them.'
          : 'The same run continues: all agents that did not complete start again from their last recorded turns. Its cost so far still counts.'
      }
      done={`${runId} continues.`}
      act={async () => {
        await api.resume(runId);
        order(run, 'Resuming…');
      }}
    />
  );
}

function PauseAction({ runId }: { readonly runId: string }): JSX.Element {
  const [isNow, setNow] = useState(false);
  return (
    <Action
      label="Pause"
      consequence={
        isNow
          ? 'Turns in progress are interrupted and run again from the start when the run continues; what they have cost stays spent.'
          : 'Every agent stops at the end of its turn. Nothing is lost; “Resume” continues the run.'
      }
      done={`${runId} is asked to pause.`}
      act={() => api.pause(runId, isNow)}
    >
      <Tick label="Now, without waiting for the ends of turns" value={isNow} set={setNow} />
    </Action>
  );
}

/** What changing a budget needs to know. */
type Spending = Pick<RunFacts, 'runId' | 'status'> & Pick<Run, 'costUsd' | 'budgetUsd'> & { readonly agents?: unknown };

/** Changes the budget; a run that is over it continues. */
export function BudgetAction({ run }: { readonly run: Spending }): JSX.Element {
  const { runId, status, costUsd, budgetUsd } = run;
  const isOver = status === 'over-budget';
  const initial = isOver ? Math.ceil(2 * Math.max(budgetUsd ?? 0, costUsd)) : (budgetUsd ?? 0);
  const [budget, setBudget] = useState(String(initial));
  const amount = Number(budget);
  const isEnough = amount === 0 || amount > costUsd;
  return (
    <Action
      label={isOver ? 'Raise budget and continue' : 'Budget'}
      submit={isOver ? 'Raise budget and continue' : 'Set budget'}
      isPrimary={isOver}
      consequence={`It has spent ${dollars(costUsd)} so far; the limit includes that. 0 = no limit.${isOver ? ' It continues at once.' : ''}`}
      done={
        isOver ? `${runId} continues with up to ${dollars(amount)}.` : `The budget of ${runId} is ${dollars(amount)}.`
      }
      isReady={budget.trim() !== '' && amount >= 0 && (isEnough || !isOver)}
      act={() => api.budget(runId, amount)}
    >
      <Field
        label="Budget in USD"
        type="number"
        value={budget}
        set={setBudget}
        required
        error={isEnough ? undefined : `It has already spent ${dollars(costUsd)}.`}
      />
      <TurnCost run={runId} />
    </Action>
  );
}

/** What a prompt of the run has cost on average. */
function TurnCost({ run }: { readonly run: string }): JSX.Element | null {
  const { data } = useResource({ key: `costs ${run}`, load: () => api.run(run, true) });
  const prompts = (data?.costs?.byState ?? []).filter(({ costUsd }) => costUsd > 0);
  const [cost, turns] = [sumOf(prompts.map(({ costUsd }) => costUsd)), sumOf(prompts.map(({ turns: its }) => its))];
  return turns === 0 ? null : <p class="muted">A prompt of this run has cost {dollars(cost / turns)} on average.</p>;
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, one) => sum + one, 0);
}

interface AgentProps {
  readonly run: Run;
  readonly agent: Agent;
  /** The states that it may be sent to, as far as they are known. */
  readonly states: WorkflowDetail['states'];
}

/** The actions on an agent. */
export function AgentActions(props: AgentProps): JSX.Element | null {
  if (!may('operate')) return null;
  const { runId, open } = props.run;
  const { id, status } = props.agent;
  const isDone = status === 'completed' || status === 'failed' || status === 'cancelled' || status === 'lost';
  return (
    <div class="row actions" role="group" aria-label="Actions on the agent">
      {open && !isDone && takesNotes(props.states) && <TellAction {...props} />}
      {status !== 'completed' && <GotoAction {...props} />}
      {(status === 'paused' || status === 'failed' || status === 'lost') && (
        <Action
          label="Retry"
          isPrimary
          consequence="It runs the failed turn again, from the same conversation."
          done={`${id} retries its last turn.`}
          act={() => api.retry(runId, id)}
        />
      )}
      {open && !isDone && (
        <Action
          label="Stop agent"
          tone="bad"
          keep="Keep running"
          consequence="This agent stops now and ends as cancelled; the others continue. Agents waiting for it are notified."
          done={`${id} is stopping.`}
          act={() => api.cancelAgent(runId, id)}
        />
      )}
    </div>
  );
}

/** Only prompts read messages; without a list of states it is unknown. */
function takesNotes(states: AgentProps['states']): boolean {
  return states.length === 0 || states.some(({ kind }) => kind === 'prompt');
}

function TellAction({ run: { runId }, agent: { id } }: AgentProps): JSX.Element {
  const [words, setWords] = useState('');
  return (
    <Action
      label="Tell"
      submit="Send message"
      consequence="Its next prompt begins with this message. A turn in progress does not get it."
      done={`${id} gets the message with its next prompt.`}
      isReady={words.trim() !== ''}
      act={() => api.tell(runId, id, words).then(() => setWords(''))}
    >
      <Field label="Message to the agent" value={words} set={setWords} rows={4} required />
    </Action>
  );
}

/** Sends an agent to a state. */
export function GotoAction({ run: { runId }, agent: { id }, states }: AgentProps): JSX.Element {
  const [to, setTo] = useState({ state: '', input: '', reset: false, now: false });
  const { state, input, reset, now } = to;
  return (
    <Action
      label="Go to state"
      submit="Move agent"
      consequence={
        now
          ? 'A turn in progress is interrupted and its work is lost; the agent goes to the state at once.'
          : 'If the agent waits, it stops waiting and goes to the state now; if it runs a turn, it goes there when the turn ends.'
      }
      done={`${id} goes to ${state}.`}
      isReady={state.trim() !== ''}
      act={() => api.goto(runId, id, { state: state.trim(), reset, now, ...(input === '' ? {} : { input }) })}
    >
      <Field
        label="State"
        value={state}
        set={(one) => setTo({ ...to, state: one })}
        list={states.map(({ file }) => file)}
        required
      />
      <Field label="Input (may be empty)" value={input} set={(one) => setTo({ ...to, input: one })} rows={3} />
      <Tick label="Start a fresh conversation" value={reset} set={(one) => setTo({ ...to, reset: one })} />
      <Tick
        label="Now (interrupts the current turn; its work is lost)"
        value={now}
        set={(one) => setTo({ ...to, now: one })}
      />
    </Action>
  );
}

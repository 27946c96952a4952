// The actions on a run and on an agent, each with its consequence. Actions that are impossible now
// are not shown.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../api.js';
import { Action, Field, Tick } from '../parts/action.js';
import { go, hrefOf } from '../router.js';
import { may } from '../session.js';
import { usd } from '../words.js';
import type { ForkRequest, Run, TurnDetail } from '../../serve/types.js';

type Agent = Run['agents'][number];

/** The actions on a run. */
export function RunActions({ run }: { readonly run: Run }): JSX.Element | null {
  if (!may('operate')) return null;
  const { runId, status, open, served, workflowId } = run;
  const isPaused = run.pausedBy !== undefined || status === 'paused';
  const canResume = open ? isPaused || served === false : status !== 'completed';
  return (
    <div class="row actions" role="group" aria-label="What can be done with the run">
      {open && !isPaused && <PauseAction runId={runId} />}
      {canResume && (
        <Action
          label="Resume"
          consequence={
            open
              ? 'Its agents continue where they stopped; this server executes them.'
              : 'The same run continues: its agents start again from their last recorded turns. Its cost so far still counts.'
          }
          done={`${runId} continues.`}
          act={() => api.resume(runId)}
        />
      )}
      <BudgetAction run={run} />
      {workflowId !== undefined && (
        <a class="button" href={hrefOf({ view: 'start', workflow: workflowId, again: runId })}>
          Start again
        </a>
      )}
      {open && (
        <Action
          label="Cancel run"
          tone="bad"
          consequence="All its agents stop now, turns that are under way are torn, and the run ends as cancelled. “Resume” can take it up again later."
          done={`${runId} is asked to stop.`}
          act={() => api.cancel(runId)}
        />
      )}
    </div>
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

function BudgetAction({ run: { runId, costUsd } }: { readonly run: Run }): JSX.Element {
  const [budget, setBudget] = useState('');
  return (
    <Action
      label="Budget"
      consequence={`It has spent ${usd(costUsd)} so far; the limit is over all of it. 0 = no limit. A run that stopped over its budget continues when some is left.`}
      done={`The budget of ${runId} is changed.`}
      isReady={budget.trim() !== '' && Number(budget) >= 0}
      act={() => api.budget(runId, Number(budget))}
    >
      <Field label="Budget in USD" type="number" value={budget} set={setBudget} required />
    </Action>
  );
}

interface AgentProps {
  readonly run: Run;
  readonly agent: Agent;
  /** The states that it may be sent to, as far as they are known. */
  readonly states: readonly string[];
}

/** The actions on an agent. */
export function AgentActions(props: AgentProps): JSX.Element | null {
  if (!may('operate')) return null;
  const { runId, open } = props.run;
  const { id, status } = props.agent;
  const isDone = status === 'completed' || status === 'failed' || status === 'cancelled' || status === 'lost';
  return (
    <div class="row actions" role="group" aria-label="What can be done with the agent">
      {open && !isDone && <TellAction {...props} />}
      {status !== 'completed' && <GotoAction {...props} />}
      {(status === 'paused' || status === 'failed' || status === 'lost') && (
        <Action
          label="Try again"
          consequence="It does the turn again that it could not do, from the same conversation."
          done={`${id} tries again.`}
          act={() => api.retry(runId, id)}
        />
      )}
      {open && !isDone && (
        <Action
          label="Stop agent"
          tone="bad"
          consequence="This agent stops now and ends as cancelled; the others continue. An agent that awaits it learns of that."
          done={`${id} is asked to stop.`}
          act={() => api.cancelAgent(runId, id)}
        />
      )}
    </div>
  );
}

function TellAction({ run: { runId }, agent: { id } }: AgentProps): JSX.Element {
  const [words, setWords] = useState('');
  return (
    <Action
      label="Tell"
      consequence="Its next prompt begins with these words. A turn that is under way does not hear them."
      done={`${id} will hear it.`}
      isReady={words.trim() !== ''}
      act={() => api.tell(runId, id, words).then(() => setWords(''))}
    >
      <Field label="Words" value={words} set={setWords} rows={4} required />
    </Action>
  );
}

function GotoAction({ run: { runId }, agent: { id }, states }: AgentProps): JSX.Element {
  const [to, setTo] = useState({ state: '', input: '', reset: false, now: false });
  const { state, input, reset, now } = to;
  return (
    <Action
      label="Send to a state"
      consequence={
        now
          ? 'A turn that is under way is torn and not recorded; the agent goes to the state at once.'
          : 'The agent goes there instead of what it waits for, or after its turn.'
      }
      done={`${id} goes to ${state}.`}
      isReady={state.trim() !== ''}
      act={() => api.goto(runId, id, { state: state.trim(), reset, now, ...(input === '' ? {} : { input }) })}
    >
      <Field label="State" value={state} set={(one) => setTo({ ...to, state: one })} list={states} required />
      <Field label="Input (may be empty)" value={input} set={(one) => setTo({ ...to, input: one })} rows={3} />
      <Tick label="Without its conversation" value={reset} set={(one) => setTo({ ...to, reset: one })} />
      <Tick label="Now, tearing a turn that is under way" value={now} set={(one) => setTo({ ...to, now: one })} />
    </Action>
  );
}

/** Forks a run from a turn. */
export function ForkAction({ run, turn }: { readonly run: string; readonly turn: TurnDetail }): JSX.Element | null {
  const { agentId: agent, number, state, input = '' } = turn;
  const [form, setForm] = useState<{
    keep: boolean;
    input: string;
    fresh: boolean;
    pause: boolean;
    budget: string;
  }>({
    keep: false,
    input,
    fresh: false,
    pause: false,
    budget: '',
  });
  if (!may('operate')) return null;
  const request: ForkRequest = {
    agent,
    ...(form.keep ? { after: number } : { at: number }),
    ...(form.input !== input ? { input: form.input } : {}),
    ...(form.fresh ? { fresh: true } : {}),
    ...(form.pause ? { pause: true } : {}),
    ...(form.budget.trim() === '' ? {} : { budget: Number(form.budget) }),
  };
  return (
    <Action
      label="Fork from here"
      consequence={`A new run begins with this agent ${form.keep ? `after this turn: it takes the transition that ${state} has made` : `before this turn and does ${state} again`}. This run is not touched.`}
      done="The new run has begun."
      act={() => api.fork(run, request).then(({ runId }) => go({ view: 'run', run: runId, tab: 'agents' }))}
    >
      <fieldset>
        <legend>This turn</legend>
        <label class="tick">
          <input type="radio" name="fork-how" checked={!form.keep} onChange={() => setForm({ ...form, keep: false })} />{' '}
          is done again
        </label>
        <label class="tick">
          <input type="radio" name="fork-how" checked={form.keep} onChange={() => setForm({ ...form, keep: true })} />{' '}
          is kept
        </label>
      </fieldset>
      <Field
        label="Input of the first state"
        value={form.input}
        set={(text) => setForm({ ...form, input: text })}
        rows={4}
      />
      <Field
        label="Budget in USD (empty = as this run)"
        type="number"
        value={form.budget}
        set={(budget) => setForm({ ...form, budget })}
      />
      <Tick label="Without the conversation so far" value={form.fresh} set={(fresh) => setForm({ ...form, fresh })} />
      <Tick label="Paused at once" value={form.pause} set={(pause) => setForm({ ...form, pause })} />
    </Action>
  );
}

// Forks a run from a turn: again or after it, with another input, and with an edited prompt.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { api, type TurnName } from '../api.js';
import { Action, Field, Tick } from '../parts/action.js';
import { Fold, Loading, ProblemNote } from '../parts/bits.js';
import { useResource } from '../resource.js';
import { go } from '../router.js';
import { may } from '../session.js';
import type { ForkRequest, TurnDetail } from '../../serve/types.js';

interface Form {
  readonly keep: boolean;
  readonly input: string;
  /** The edited prompt; absent = as its file is. */
  readonly prompt: string | undefined;
  readonly fresh: boolean;
  readonly pause: boolean;
  readonly budget: string;
}

/** The button with its dialog. */
export function ForkAction({ name, turn }: { readonly name: TurnName; readonly turn: TurnDetail }): JSX.Element | null {
  const { state, kind, input = '' } = turn;
  const [form, setForm] = useState<Form>({
    keep: false,
    input,
    prompt: undefined,
    fresh: false,
    pause: false,
    budget: '',
  });
  const set = (change: Partial<Form>): void => setForm({ ...form, ...change });
  if (!may('operate')) return null;
  return (
    <Action
      label="Fork from here"
      consequence={`A new run starts with this agent ${form.keep ? `after this turn: it takes the transition that ${state} has made` : `before this turn and runs ${state} again`}. This run does not change.`}
      done="The new run has started."
      act={() =>
        api.fork(name.run, requestOf(turn, form)).then(({ runId }) => go({ view: 'run', run: runId, tab: 'agents' }))
      }
    >
      <fieldset>
        <legend>This turn</legend>
        <label class="tick">
          <input type="radio" name="fork-how" checked={!form.keep} onChange={() => set({ keep: false })} /> Re-run this
          turn
        </label>
        <label class="tick">
          <input type="radio" name="fork-how" checked={form.keep} onChange={() => set({ keep: true })} /> Keep this turn
          and continue after it
        </label>
      </fieldset>
      <Field label="Input of the first state" value={form.input} set={(text) => set({ input: text })} rows={4} />
      {kind === 'prompt' && (
        <Fold title={`Edit ${state} for the new run`}>
          {() => <PromptField name={name} text={form.prompt} set={(prompt) => set({ prompt })} />}
        </Fold>
      )}
      <Field
        label="Budget in USD (empty = as this run)"
        type="number"
        value={form.budget}
        set={(budget) => set({ budget })}
      />
      <Tick label="Start a fresh conversation" value={form.fresh} set={(fresh) => set({ fresh })} />
      <Tick label="Start paused" value={form.pause} set={(pause) => set({ pause })} />
    </Action>
  );
}

function requestOf({ agentId: agent, number, state, input = '' }: TurnDetail, form: Form): ForkRequest {
  return {
    agent,
    ...(form.keep ? { after: number } : { at: number }),
    ...(form.input !== input ? { input: form.input } : {}),
    ...(form.prompt === undefined ? {} : { replace: { [state]: form.prompt } }),
    ...(form.fresh ? { fresh: true } : {}),
    ...(form.pause ? { pause: true } : {}),
    ...(form.budget.trim() === '' ? {} : { budget: Number(form.budget) }),
  };
}

/** The file of the prompt, to be edited. */
function PromptField({
  name,
  text,
  set,
}: {
  readonly name: TurnName;
  readonly text: string | undefined;
  readonly set: (text: string | undefined) => void;
}): JSX.Element {
  const { data, problem } = useResource({
    key: `state of ${name.run} ${name.agent} ${name.turn}`,
    load: () => api.stateFile(name),
  });
  if (data === undefined)
    return problem === undefined ? <Loading what="the prompt" /> : <ProblemNote problem={problem} />;
  return (
    <>
      {data.changed === true && <p class="note">The file was changed after this turn.</p>}
      <Field
        label={`Text of ${data.file}`}
        value={text ?? data.text}
        set={(next) => set(next === data.text ? undefined : next)}
        rows={10}
        hint="Only the new run uses the edited text; the file stays as it is."
      />
    </>
  );
}

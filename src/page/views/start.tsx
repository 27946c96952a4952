// The form that starts a run, from the workflow's manifest; with `again`, it has the input of an
// earlier run. The id of the run is the idempotency key: clicking twice, or again after a lost
// answer, starts one run.
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { api, type ApiProblem } from '../api.js';
import { Field, said, Tick } from '../parts/action.js';
import { Heading, Loading, ProblemNote } from '../parts/bits.js';
import { useDraft } from '../drafts.js';
import { problemOf, useResource } from '../resource.js';
import { go, type Route } from '../router.js';
import type { StartRequest, WorkflowDetail } from '../../serve/types.js';

/** The view. */
export function StartView({ workflow: id, again }: Extract<Route, { readonly view: 'start' }>): JSX.Element {
  const { data, problem } = useResource({
    key: `start ${id} ${again ?? ''}`,
    load: async () => ({ workflow: await api.workflow(id), input: again === undefined ? '' : await inputOf(again) }),
  });
  return (
    <>
      <Heading>Start {data?.workflow.name ?? id}</Heading>
      <ProblemNote problem={problem} />
      {data === undefined && problem === undefined && <Loading what="the workflow" />}
      {data !== undefined && (
        <StartForm key={`${id} ${again ?? ''}`} workflow={data.workflow} initial={data.input} again={again} />
      )}
    </>
  );
}

/** The input of a run: that of its first agent's first turn. */
async function inputOf(run: string): Promise<string> {
  return (await api.turn({ run, agent: 'main', turn: 1 }).catch(() => undefined))?.input ?? '';
}

interface StartOptions {
  readonly name: string;
  readonly budget: string;
  readonly model: string;
  readonly effort: string;
  readonly cwd: string;
  readonly isDangerous: boolean;
  readonly isPinned: boolean;
}

const NO_OPTIONS: Omit<StartOptions, 'name'> = {
  budget: '',
  model: '',
  effort: '',
  cwd: '',
  isDangerous: false,
  isPinned: false,
};

interface StartProps {
  readonly workflow: WorkflowDetail;
  readonly initial: string;
  readonly again: string | undefined;
}

function StartForm({ workflow, initial, again }: StartProps): JSX.Element {
  const { id, input, description } = workflow;
  const [text, setText, forget] = useDraft(`input:${id}:${again ?? ''}`, initial);
  const [options, setOptions] = useState<StartOptions>(() => ({ ...NO_OPTIONS, name: newName(workflow.name) }));
  const [problem, setProblem] = useState<ApiProblem>();
  const [isBusy, setBusy] = useState(false);
  useEffect(() => setProblem(undefined), [options, text]);
  const isReady = input.mode !== 'required' || text.trim() !== '';
  const start = async (): Promise<void> => {
    setBusy(true);
    try {
      const { runId } = await api.start(requestOf(id, { text: input.mode === 'none' ? '' : text, options }));
      forget();
      said.value = `Started ${runId}.`;
      go({ view: 'run', run: runId, tab: 'agents' });
    } catch (error) {
      setProblem(problemOf(error));
      setBusy(false);
    }
  };
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (isReady && !isBusy) void start();
  };
  return (
    <form class="card" onSubmit={submit}>
      {description !== undefined && <p>{description}</p>}
      <InputField workflow={workflow} text={text} set={setText} />
      <Options workflow={workflow} options={options} setOption={(change) => setOptions({ ...options, ...change })} />
      <ProblemNote problem={problem} />
      <div class="row end">
        <button type="submit" class="primary" disabled={!isReady || isBusy}>
          Start the run
        </button>
      </div>
    </form>
  );
}

interface InputProps {
  readonly workflow: WorkflowDetail;
  readonly text: string;
  readonly set: (text: string) => void;
}

function InputField({ workflow: { input }, text, set }: InputProps): JSX.Element {
  if (input.mode === 'none') return <p class="muted">It takes no input.</p>;
  const isRequired = input.mode === 'required';
  const label = `${input.label ?? 'Input'}${isRequired ? '' : ' (may be empty)'}`;
  const hint = input.description === undefined ? {} : { hint: input.description };
  return <Field label={label} value={text} set={set} rows={6} required={isRequired} {...hint} />;
}

interface OptionsProps {
  readonly workflow: WorkflowDetail;
  readonly options: StartOptions;
  readonly setOption: (change: Partial<StartOptions>) => void;
}

function Options({ workflow: { defaultBudgetUsd }, options, setOption }: OptionsProps): JSX.Element {
  const usual = defaultBudgetUsd === undefined ? 'as the project says' : `$${defaultBudgetUsd}, as the workflow says`;
  return (
    <>
      <Field
        label="Budget in USD"
        type="number"
        value={options.budget}
        set={(budget) => setOption({ budget })}
        hint={`Empty = ${usual}; 0 = no limit. When it is spent, the run stops; a higher budget lets it continue.`}
      />
      <details>
        <summary>More</summary>
        <Field label="Name of the run" value={options.name} set={(name) => setOption({ name })} required />
        <Field
          label="Model"
          value={options.model}
          set={(model) => setOption({ model })}
          list={['opus', 'sonnet', 'haiku']}
          hint="For prompts whose state names none."
        />
        <Field
          label="Effort"
          value={options.effort}
          set={(effort) => setOption({ effort })}
          list={['low', 'medium', 'high']}
        />
        <Field
          label="Folder"
          value={options.cwd}
          set={(cwd) => setOption({ cwd })}
          hint="Where agents work, in the project; empty = the project's folder."
        />
        <Tick
          label="Go on with the workflow as it is now, whatever is changed in its files meanwhile"
          value={options.isPinned}
          set={(isPinned) => setOption({ isPinned })}
        />
        <Tick
          label="Agents may use every tool without being allowed it (dangerous outside a sandbox)"
          value={options.isDangerous}
          set={(isDangerous) => setOption({ isDangerous })}
        />
      </details>
    </>
  );
}

function requestOf(
  workflow: string,
  { text, options }: { readonly text: string; readonly options: StartOptions },
): StartRequest & { readonly id: string } {
  const { name, budget, model, effort, cwd, isDangerous, isPinned } = options;
  const given = { input: text, model: model.trim(), effort: effort.trim(), cwd: cwd.trim() };
  const texts = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ''));
  return {
    workflow,
    id: name.trim(),
    ...texts,
    ...(budget.trim() === '' ? {} : { budget: Number(budget) }),
    ...(isDangerous ? { dangerouslySkipPermissions: true } : {}),
    ...(isPinned ? { pin: true } : {}),
  };
}

/** A new run id: the workflow's name and a few letters. */
function newName(workflow: string): string {
  const base = workflow
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 40);
  const [random = 0] = crypto.getRandomValues(new Uint32Array(1));
  return `${base === '' ? 'run' : base}-${random.toString(36).padStart(6, '0').slice(-6)}`;
}

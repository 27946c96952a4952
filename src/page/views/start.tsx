// The form that starts a run, from the workflow's manifest; with `again`, it has the input and the
// settings of an earlier run. The id of the run is the idempotency key: clicking twice, or again after a lost
// answer, starts one run.
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { dollars } from '../../protocol/text.js';
import { api, type ApiProblem } from '../api.js';
import { Field, say, Tick } from '../parts/action.js';
import { Fold, Heading, Loading, ProblemNote } from '../parts/bits.js';
import { Graph } from '../parts/graph.js';
import { useDraft } from '../drafts.js';
import { problemOf, useResource } from '../resource.js';
import { go, hrefOf, type Route } from '../router.js';
import { may } from '../session.js';
import { Expected } from './workflow.js';
import type { Run, StartRequest, WorkflowDetail } from '../../serve/types.js';

/** The view. */
export function StartView({ workflow: id, again }: Extract<Route, { readonly view: 'start' }>): JSX.Element {
  const { data, problem } = useResource({
    key: `start ${id} ${again ?? ''}`,
    load: async () => ({
      workflow: await api.workflow(id),
      before: again === undefined ? undefined : await api.run(again).catch(() => undefined),
      input: again === undefined ? '' : await inputOf(again),
    }),
  });
  return (
    <>
      <Heading>{data?.workflow.name ?? id}</Heading>
      <ProblemNote problem={problem} />
      {data === undefined && problem === undefined && <Loading what="the workflow" />}
      {data !== undefined && !may('operate') && (
        <p class="note">You can only look: starting runs is not allowed for you.</p>
      )}
      {data !== undefined && may('operate') && <StartForm key={`${id} ${again ?? ''}`} {...data} again={again} />}
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

/** The settings of an earlier run, or none. */
function optionsOf(before: Run | undefined): StartOptions {
  const { model = '', effort = '', cwd = '', skipsPermissions = false, pinned = false } = before?.given ?? {};
  // A run without a budget has no limit, which is written 0.
  const budget = before === undefined ? '' : String(before.budgetUsd ?? 0);
  return { name: '', budget, model, effort, cwd, isDangerous: skipsPermissions, isPinned: pinned };
}

interface StartProps {
  readonly workflow: WorkflowDetail;
  /** The run that is started again. */
  readonly before: Run | undefined;
  readonly input: string;
  readonly again: string | undefined;
}

/** The settings, kept over a reload like the input. */
function useOptions(
  key: string,
  initial: StartOptions,
): readonly [options: StartOptions, set: (options: StartOptions) => void, forget: () => void] {
  const [json, setJson, forget] = useDraft(key, JSON.stringify(initial));
  const options = { ...initial, ...(json === '' ? {} : (JSON.parse(json) as Partial<StartOptions>)) };
  return [options, (next) => setJson(JSON.stringify(next)), forget];
}

function StartForm({ workflow, before, input: initial, again }: StartProps): JSX.Element {
  const { id, name, input, description } = workflow;
  const [text, setText, forgetInput] = useDraft(`input:${id}:${again ?? ''}`, initial);
  const [options, setOptions, forgetOptions] = useOptions(`options:${id}:${again ?? ''}`, optionsOf(before));
  const [freeName] = useState(() => newName(name));
  const [problem, setProblem] = useState<ApiProblem>();
  const [isBusy, setBusy] = useState(false);
  useEffect(() => setProblem(undefined), [JSON.stringify(options), text]);
  const isReady = input.mode !== 'required' || text.trim() !== '';
  const start = async (): Promise<void> => {
    setBusy(true);
    try {
      const { runId } = await api.start(
        requestOf(id, { text: input.mode === 'none' ? '' : text, options, freeName, before }),
      );
      forgetInput();
      forgetOptions();
      say(`Started ${runId}.`);
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
      <Repeats run={again} before={before} />
      {description !== undefined && <p>{description}</p>}
      <Expected id={id} />
      <InputField workflow={workflow} text={text} set={setText} />
      <Options
        workflow={workflow}
        options={options}
        setOption={(change) => setOptions({ ...options, ...change })}
        problem={problem}
        freeName={freeName}
      />
      <ProblemNote problem={problem !== undefined && fieldOf(problem) !== undefined ? undefined : problem} />
      <div class="row end">
        <button type="submit" class="primary" disabled={!isReady || isBusy}>
          Start the run
        </button>
      </div>
      <Fold title="Show graph">
        {() => (
          <Graph
            name={`of ${id}`}
            words={`The states of ${name} and how they follow each other`}
            load={() => api.workflowDiagram(id)}
          />
        )}
      </Fold>
    </form>
  );
}

/** Which run is repeated, if any. */
function Repeats({
  run,
  before,
}: {
  readonly run: string | undefined;
  readonly before: Run | undefined;
}): JSX.Element | null {
  if (run === undefined) return null;
  return (
    <p class="note">
      Repeats <a href={hrefOf({ view: 'run', run, tab: 'agents' })}>{run}</a>
      {before === undefined ? ', which cannot be read.' : ` with its input and settings${labelsOf(before)}.`}
    </p>
  );
}

/** `, and the labels env=prod`. */
function labelsOf({ labels = {} }: Run): string {
  const words = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
  return words.length === 0 ? '' : `, and the ${words.length === 1 ? 'label' : 'labels'} ${words.join(' ')}`;
}

/** The fields of a request that the form has, besides the input. */
const FIELDS = ['id', 'budget', 'cwd'] as const;

/** The field that the server rejected; undefined = the problem stands at the foot of the form. */
function fieldOf({ field }: ApiProblem): (typeof FIELDS)[number] | undefined {
  return FIELDS.find((one) => one === field);
}

interface InputProps {
  readonly workflow: WorkflowDetail;
  readonly text: string;
  readonly set: (text: string) => void;
}

function InputField({ workflow: { input }, text, set }: InputProps): JSX.Element {
  if (input.mode === 'none') return <p class="muted">This workflow takes no input.</p>;
  const isRequired = input.mode === 'required';
  const label = `${input.label ?? 'Input'}${isRequired ? '' : ' (may be empty)'}`;
  const hint = input.description === undefined ? {} : { hint: input.description };
  return <Field label={label} value={text} set={set} rows={6} required={isRequired} {...hint} />;
}

interface OptionsProps {
  readonly workflow: WorkflowDetail;
  readonly options: StartOptions;
  readonly setOption: (change: Partial<StartOptions>) => void;
  readonly problem: ApiProblem | undefined;
  /** The name of a run that is given none. */
  readonly freeName: string;
}

function Options({ workflow, options, setOption, problem, freeName }: OptionsProps): JSX.Element {
  const { defaultBudgetUsd: usual = 0 } = workflow;
  const errorAt = (field: ReturnType<typeof fieldOf>): string | undefined =>
    problem !== undefined && fieldOf(problem) === field
      ? problem.message.replace('run id', 'name').replace('another --id', 'another name')
      : undefined;
  return (
    <>
      <Field
        label="Budget in USD"
        type="number"
        value={options.budget}
        set={(budget) => setOption({ budget })}
        error={errorAt('budget')}
        hint={`Empty = ${usual === 0 ? 'no limit' : dollars(usual)}; 0 = no limit. A run that has spent it stops, and continues with a higher budget.`}
      />
      <details open={problem !== undefined && fieldOf(problem) !== 'budget'}>
        <summary>More</summary>
        <Field
          label="Name of the run"
          value={options.name}
          set={(name) => setOption({ name })}
          error={errorAt('id')}
          hint={`Empty = ${freeName}`}
        />
        <Field
          label="Model"
          value={options.model}
          set={(model) => setOption({ model })}
          list={['opus', 'sonnet', 'haiku']}
          hint="Used where a state does not set its own."
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
          error={errorAt('cwd')}
          hint="Where agents work, in the project; empty = the project's folder."
        />
        <Tick
          label="Pin this version: later edits to the workflow do not affect the run"
          value={options.isPinned}
          set={(isPinned) => setOption({ isPinned })}
        />
        <Tick
          label="Skip permission prompts (dangerous outside a sandbox)"
          value={options.isDangerous}
          set={(isDangerous) => setOption({ isDangerous })}
        />
      </details>
    </>
  );
}

function requestOf(
  workflow: string,
  {
    text,
    options,
    freeName,
    before,
  }: {
    readonly text: string;
    readonly options: StartOptions;
    readonly freeName: string;
    readonly before: Run | undefined;
  },
): StartRequest & { readonly id: string } {
  const { name, budget, model, effort, cwd, isDangerous, isPinned } = options;
  const given = { input: text, model: model.trim(), effort: effort.trim(), cwd: cwd.trim() };
  const texts = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ''));
  return {
    workflow,
    id: name.trim() === '' ? freeName : name.trim(),
    ...texts,
    ...(budget.trim() === '' ? {} : { budget: Number(budget) }),
    ...(isDangerous ? { dangerouslySkipPermissions: true } : {}),
    ...(isPinned ? { pin: true } : {}),
    ...(before?.labels === undefined ? {} : { labels: before.labels }),
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

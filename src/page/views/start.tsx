// The form that starts a run, from what the workflow says of itself; with `again`, filled with the input of an earlier run. The name of the run is
// the key of the call: pressing twice, or again after a lost answer, starts one run.
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

/** What a run was given: the input of the first turn of its first agent. */
async function inputOf(run: string): Promise<string> {
  return (await api.turn({ run, agent: 'main', turn: 1 }).catch(() => undefined))?.input ?? '';
}

interface Wishes {
  readonly name: string;
  readonly budget: string;
  readonly model: string;
  readonly effort: string;
  readonly cwd: string;
  readonly isDangerous: boolean;
  readonly isPinned: boolean;
}

function StartForm({
  workflow,
  initial,
  again,
}: {
  readonly workflow: WorkflowDetail;
  readonly initial: string;
  readonly again: string | undefined;
}): JSX.Element {
  const { id, input, description, defaultBudgetUsd } = workflow;
  const [text, setText, forget] = useDraft(`input:${id}:${again ?? ''}`, initial);
  const [wishes, setWishes] = useState<Wishes>(() => ({
    name: newName(workflow.name),
    budget: '',
    model: '',
    effort: '',
    cwd: '',
    isDangerous: false,
    isPinned: false,
  }));
  const [problem, setProblem] = useState<ApiProblem>();
  const [isBusy, setBusy] = useState(false);
  const wish = (change: Partial<Wishes>): void => setWishes({ ...wishes, ...change });
  useEffect(() => setProblem(undefined), [wishes, text]);
  const isReady = input.mode !== 'required' || text.trim() !== '';
  const start = async (): Promise<void> => {
    setBusy(true);
    try {
      const { runId } = await api.start(requestOf(id, { text: input.mode === 'none' ? '' : text, wishes }));
      forget();
      said.value = `Started ${runId}.`;
      go({ view: 'run', run: runId, tab: 'agents' });
    } catch (error) {
      setProblem(problemOf(error));
      setBusy(false);
    }
  };
  return (
    <form
      class="card"
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady && !isBusy) void start();
      }}
    >
      {description !== undefined && <p>{description}</p>}
      {input.mode === 'none' ? (
        <p class="muted">It takes no input.</p>
      ) : (
        <Field
          label={`${input.label ?? 'Input'}${input.mode === 'required' ? '' : ' (may be empty)'}`}
          value={text}
          set={setText}
          rows={6}
          required={input.mode === 'required'}
          {...(input.description === undefined ? {} : { hint: input.description })}
        />
      )}
      <Field
        label="Budget in USD"
        type="number"
        value={wishes.budget}
        set={(budget) => wish({ budget })}
        hint={
          defaultBudgetUsd === undefined
            ? 'Empty = as the project says; 0 = no limit. When it is spent, the run stops and can go on with more.'
            : `Empty = $${defaultBudgetUsd}, as the workflow says; 0 = no limit. When it is spent, the run stops and can go on with more.`
        }
      />
      <details>
        <summary>More</summary>
        <Field label="Name of the run" value={wishes.name} set={(name) => wish({ name })} required />
        <Field
          label="Model"
          value={wishes.model}
          set={(model) => wish({ model })}
          list={['opus', 'sonnet', 'haiku']}
          hint="For prompts whose state names none."
        />
        <Field
          label="Effort"
          value={wishes.effort}
          set={(effort) => wish({ effort })}
          list={['low', 'medium', 'high']}
        />
        <Field
          label="Folder"
          value={wishes.cwd}
          set={(cwd) => wish({ cwd })}
          hint="Where agents work, in the project; empty = the project's folder."
        />
        <Tick
          label="Go on with the workflow as it is now, whatever is changed in its files meanwhile"
          value={wishes.isPinned}
          set={(isPinned) => wish({ isPinned })}
        />
        <Tick
          label="Agents may use every tool without being allowed it (dangerous outside a sandbox)"
          value={wishes.isDangerous}
          set={(isDangerous) => wish({ isDangerous })}
        />
      </details>
      <ProblemNote problem={problem} />
      <div class="row end">
        <button type="submit" class="primary" disabled={!isReady || isBusy}>
          Start the run
        </button>
      </div>
    </form>
  );
}

function requestOf(
  workflow: string,
  { text, wishes }: { readonly text: string; readonly wishes: Wishes },
): StartRequest & { readonly id: string } {
  const { name, budget, model, effort, cwd, isDangerous, isPinned } = wishes;
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

/** A name that no other run has: that of the workflow and a few letters. */
function newName(workflow: string): string {
  const base = workflow
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 40);
  const [random = 0] = crypto.getRandomValues(new Uint32Array(1));
  return `${base === '' ? 'run' : base}-${random.toString(36).padStart(6, '0').slice(-6)}`;
}

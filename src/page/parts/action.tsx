// A button for an action on a run. A dialog first describes its consequence; errors appear in the
// same place.
import type { ComponentChildren, JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { signal } from '@preact/signals';
import type { ApiProblem } from '../api.js';
import { problemOf } from '../resource.js';
import { ProblemNote } from './bits.js';

/** The last action, for screen readers. */
export const said = signal('');

interface ActionProps {
  /** On the button, and in the dialog. */
  readonly label: string;
  /** The consequence, for the dialog. */
  readonly consequence: string;
  /** The message after the action. */
  readonly done: string;
  readonly act: () => Promise<unknown>;
  /** Whether the typed values are sufficient. */
  readonly isReady?: boolean;
  readonly tone?: 'bad';
  /** The fields of the dialog. */
  readonly children?: ComponentChildren;
}

/** The button with its dialog. */
export function Action({ label, consequence, done, act, isReady = true, tone, children }: ActionProps): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const [problem, setProblem] = useState<ApiProblem>();
  const [isBusy, setBusy] = useState(false);
  const run = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    if (isBusy || !isReady) return;
    setBusy(true);
    setProblem(undefined);
    try {
      await act();
      dialog.current?.close();
      said.value = done;
    } catch (error) {
      setProblem(problemOf(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <button type="button" class={tone ?? ''} onClick={() => dialog.current?.showModal()}>
        {label} …
      </button>
      <dialog ref={dialog} aria-label={label}>
        <form onSubmit={(event) => void run(event)}>
          <h2>{label}</h2>
          <p class="consequence">{consequence}</p>
          {children}
          <ProblemNote problem={problem} />
          <div class="row end">
            <button type="button" onClick={() => dialog.current?.close()}>
              Not now
            </button>
            <button type="submit" class={`primary ${tone ?? ''}`} disabled={!isReady || isBusy}>
              {label}
            </button>
          </div>
        </form>
      </dialog>
    </>
  );
}

interface FieldProps {
  readonly label: string;
  readonly value: string;
  readonly set: (value: string) => void;
  readonly hint?: string;
  readonly rows?: number;
  readonly type?: 'text' | 'number';
  readonly required?: boolean;
  readonly list?: readonly string[];
}

let fields = 0;

/** A labelled field of one or more lines. */
export function Field({ label, value, set, hint, rows, type = 'text', required, list }: FieldProps): JSX.Element {
  const [id] = useState(() => `field-${++fields}`);
  const common = {
    id,
    value,
    required: required === true,
    'aria-describedby': hint === undefined ? undefined : `${id}-hint`,
    onInput: (event: { readonly currentTarget: { readonly value: string } }) => set(event.currentTarget.value),
  };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {rows === undefined ? (
        <input type={type} min={0} step="any" list={list === undefined ? undefined : `${id}-list`} {...common} />
      ) : (
        <textarea rows={rows} {...common} />
      )}
      {list !== undefined && (
        <datalist id={`${id}-list`}>
          {list.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
      )}
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}

/** A box to tick. */
export function Tick({
  label,
  value,
  set,
}: {
  readonly label: string;
  readonly value: boolean;
  readonly set: (value: boolean) => void;
}): JSX.Element {
  return (
    <label class="tick">
      <input type="checkbox" checked={value} onChange={({ currentTarget }) => set(currentTarget.checked)} /> {label}
    </label>
  );
}

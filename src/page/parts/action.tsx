// A button for an action on a run. A dialog first describes its consequence; errors appear in the
// same place.
import type { ComponentChildren, JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { signal } from '@preact/signals';
import type { ApiProblem } from '../api.js';
import { refresh } from '../live.js';
import { problemOf } from '../resource.js';
import { ProblemNote } from './bits.js';

/** The last action: shown for a while, and read by screen readers. */
export const said = signal('');

const SHOWN_MS = 6000;
let timer: ReturnType<typeof setTimeout> | undefined;

/** Shows a sentence about what was done. */
export function say(sentence: string): void {
  said.value = sentence;
  clearTimeout(timer);
  timer = setTimeout(() => (said.value = ''), SHOWN_MS);
}

interface ActionProps {
  /** On the button, and in the dialog. */
  readonly label: string;
  /** On the button that does it; absent = the label. */
  readonly submit?: string;
  readonly isPrimary?: boolean;
  /** The consequence, for the dialog. */
  readonly consequence: string;
  /** The message after the action. */
  readonly done: string;
  readonly act: () => Promise<unknown>;
  /** Whether the typed values are sufficient. */
  readonly isReady?: boolean;
  readonly tone?: 'bad';
  /** On the button that does nothing; absent = Cancel. */
  readonly keep?: string;
  /** The fields of the dialog. */
  readonly children?: ComponentChildren;
}

/** The button with its dialog. */
export function Action({ label, consequence, done, act, isReady = true, tone, ...more }: ActionProps): JSX.Element {
  const { submit = label, isPrimary = false, keep = 'Cancel', children } = more;
  const dialog = useRef<HTMLDialogElement>(null);
  const [problem, setProblem] = useState<ApiProblem>();
  const [isBusy, setBusy] = useState(false);
  const [isOpen, setOpen] = useState(false);
  const run = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    if (isBusy || !isReady) return;
    setBusy(true);
    setProblem(undefined);
    try {
      await act();
      dialog.current?.close();
      say(done);
      refresh();
    } catch (error) {
      setProblem(problemOf(error));
    } finally {
      setBusy(false);
    }
  };
  const open = (): void => {
    setProblem(undefined);
    setOpen(true);
    dialog.current?.showModal();
  };
  return (
    <>
      <button type="button" class={isPrimary ? 'primary' : (tone ?? '')} onClick={open}>
        {label} …
      </button>
      <dialog ref={dialog} aria-label={label} onClose={() => setOpen(false)}>
        <form onSubmit={(event) => void run(event)}>
          <h2>{label}</h2>
          <p class="consequence">{consequence}</p>
          {isOpen && children}
          <ProblemNote problem={problem} />
          <div class="row end">
            <button type="button" onClick={() => dialog.current?.close()}>
              {keep}
            </button>
            <button type="submit" class={`primary ${tone ?? ''}`} disabled={!isReady || isBusy}>
              {isBusy ? 'Working …' : submit}
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
  /** What is wrong with the value. */
  readonly error?: string | undefined;
}

let fields = 0;

/** A labelled field of one or more lines. */
export function Field({
  label,
  value,
  set,
  hint,
  rows,
  type = 'text',
  required,
  list,
  error,
}: FieldProps): JSX.Element {
  const [id] = useState(() => `field-${++fields}`);
  const common = {
    id,
    value,
    required: required === true,
    'aria-describedby': [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ') || undefined,
    'aria-invalid': error === undefined ? undefined : ('true' as const),
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
      {error !== undefined && (
        <p class="bad" id={`${id}-error`} role="alert">
          {error}
        </p>
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

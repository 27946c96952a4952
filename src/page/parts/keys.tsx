// The list of keyboard shortcuts, and the switch that turns single keys off.
import type { JSX } from 'preact';
import { closeDialog, hasShortcuts, openDialog, setShortcuts, VIEW_KEYS } from '../keyboard.js';
import { Tick } from './action.js';
import { Modal } from './modal.js';

const KEYS: readonly (readonly [keys: string, what: string])[] = [
  ['Ctrl K', 'Go to a view, a run or a workflow'],
  ['/', 'Find'],
  ...VIEW_KEYS.map(([key, name]) => [`g ${key}`, name] as const),
  ['j', 'Next row'],
  ['k', 'Previous row'],
  ['Enter', 'Open it'],
  ['Ctrl Enter', 'Send an answer'],
  ['?', 'This list'],
];

/** The dialog while it is open. */
export function Keys(): JSX.Element {
  const close = (): void => closeDialog('keys');
  return (
    <Modal isOpen={openDialog.value === 'keys'} label="Keyboard shortcuts" close={close}>
      <h2>Keyboard shortcuts</h2>
      <dl class="keys">
        {KEYS.map(([keys, what]) => (
          <div key={keys}>
            <dt>
              {keys.split(' ').map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <Tick label="Single keys are shortcuts" value={hasShortcuts.value} set={setShortcuts} />
      <div class="row end">
        <button type="button" onClick={close}>
          Close
        </button>
      </div>
    </Modal>
  );
}

// The buttons and the keys that zoom a picture: closer, farther, and back to the whole of it.
import type { JSX } from 'preact';

/** What a button or a key does. */
export type ZoomStep = 'in' | 'out' | 'fit';

const KEYS: Readonly<Record<string, ZoomStep>> = { '+': 'in', '=': 'in', '-': 'out', '0': 'fit' };

/** The step of a key; undefined = none. */
export function zoomStepOf(key: string): ZoomStep | undefined {
  return KEYS[key];
}

interface ZoomButtonsProps {
  /** The whole picture is shown. */
  readonly isFit: boolean;
  /** The picture may become smaller than its box. */
  readonly shrinks?: boolean;
  readonly step: (step: ZoomStep) => void;
}

/** The three buttons. */
export function ZoomButtons({ isFit, shrinks = false, step }: ZoomButtonsProps): JSX.Element {
  return (
    <>
      <button type="button" class="quiet" onClick={() => step('out')} disabled={isFit && !shrinks}>
        Zoom out
      </button>
      <button type="button" class="quiet" onClick={() => step('in')}>
        Zoom in
      </button>
      <button type="button" class="quiet" onClick={() => step('fit')} disabled={isFit}>
        Fit
      </button>
    </>
  );
}

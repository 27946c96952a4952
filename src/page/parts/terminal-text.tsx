// The output of processes: colours become classes, other control sequences are removed. Of very
// long output the end is shown first.
import Anser from 'anser';
import type { JSX } from 'preact';
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';

const SHOWN = 100_000;

/** Everything but colours: titles and links (OSC), movements (CSI other than `m`), single escapes, and other control characters. */
/* eslint-disable no-control-regex -- those are what it is about */
const OTHERS =
  /\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)|\u001b\[[0-9;?<=>]*[A-Za-ln-z@`~]|\u001b[^[\]]|[\u0000-\u0008\u000b\u000c\u000e-\u001a\u007f]/g;
/* eslint-enable no-control-regex */

/** Output. `follow` = keeps its end in view. */
export function TerminalText({
  text,
  follow,
  label,
}: {
  readonly text: string;
  readonly follow: boolean;
  readonly label: string;
}): JSX.Element {
  const [shown, setShown] = useState(SHOWN);
  const hidden = Math.max(text.length - shown, 0);
  const pieces = useMemo(() => piecesOf(text.slice(hidden)), [text, hidden]);
  const place = useRef<HTMLPreElement>(null);
  useLayoutEffect(() => {
    if (follow && place.current !== null) place.current.scrollTop = place.current.scrollHeight;
  }, [text, follow]);
  return (
    <div>
      {hidden > 0 && (
        <button type="button" class="quiet" onClick={() => setShown(shown + 4 * SHOWN)}>
          Show more from before ({Math.ceil(hidden / 1000)},000 characters)
        </button>
      )}
      {/* It scrolls, so it can be reached by keyboard. */}
      <pre ref={place} class="terminal" tabIndex={0} role="region" aria-label={label}>
        {pieces.map(({ text: words, classes }, index) => (
          <span key={index} class={classes}>
            {words}
          </span>
        ))}
      </pre>
    </div>
  );
}

/** A text without control sequences. */
export function plain(text: string): string {
  return Anser.ansiToText(text.replaceAll(OTHERS, ''));
}

function piecesOf(text: string): readonly { readonly text: string; readonly classes: string }[] {
  const clean = text.replaceAll('\r\n', '\n').replaceAll(OTHERS, '');
  return Anser.ansiToJson(clean, { json: true, use_classes: true, remove_empty: true }).map(
    ({ content, fg, bg, decorations }) => ({
      text: content,
      classes: [...(fg ? [`fg-${fg}`] : []), ...(bg ? [`bg-${bg}`] : []), ...decorations].join(' '),
    }),
  );
}

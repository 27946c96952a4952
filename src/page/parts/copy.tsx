// Buttons that copy a text or save it as a file.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

/** Copies a text. `what` = its content, for screen readers; `text` as a function is made on a click. */
export function Copy({ text, what }: { readonly text: string | (() => string); readonly what: string }): JSX.Element {
  const [isCopied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    await toClipboard(textOf(text));
    setCopied(true);
    setTimeout(() => setCopied(false), 2000);
  };
  return (
    <button type="button" class="quiet copy" aria-label={`Copy ${what}`} onClick={() => void copy()}>
      {isCopied ? 'Copied' : 'Copy'}
    </button>
  );
}

/** Saves a text as a file. */
export function Download({
  text,
  name,
}: {
  readonly text: string | (() => string);
  readonly name: string;
}): JSX.Element {
  const save = (): void => {
    const url = URL.createObjectURL(new Blob([textOf(text)], { type: 'text/plain' }));
    const link = Object.assign(document.createElement('a'), { href: url, download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), 1000);
  };
  return (
    <button type="button" class="quiet" onClick={save}>
      Download
    </button>
  );
}

function textOf(text: string | (() => string)): string {
  return typeof text === 'string' ? text : text();
}

async function toClipboard(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Without https or permission there is no clipboard object; a selection can still be copied.
    const field = Object.assign(document.createElement('textarea'), { value: text });
    (document.querySelector('dialog[open]') ?? document.body).append(field);
    field.select();
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- the only way without a clipboard object
    document.execCommand('copy');
    field.remove();
  }
}

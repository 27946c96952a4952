// A tool call: its name, its main argument, whether it succeeded; unfolded, its input (a change of
// a file as a diff) and its result. A call that failed is open.
import { diffLines } from 'diff';
import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { bytes } from '../words.js';
import { Copy } from './copy.js';
import { TerminalText } from './terminal-text.js';
import type { Transcript } from '../../serve/types.js';

/** A recorded call. */
export type Call = Extract<Transcript['entries'][number], { readonly by: 'tool' }>;

/** How much of a result is shown at first, in characters. */
const SHOWN = 4000;

/** Longer texts are shown without comparing them. */
const MAX_DIFF = 200_000;

/** The call as a fold. */
export function ToolCall({ call }: { readonly call: Call }): JSX.Element {
  const { text, tool, result, isError = false } = call;
  const detail = text.slice(1, -1).slice(tool.length).trim();
  return (
    <details class="tool" open={isError}>
      <summary>
        <CallSign result={result} isError={isError} /> <strong>{tool}</strong> <code>{detail}</code>
        {result !== undefined && <span class="muted size">{bytes(new Blob([result]).size)}</span>}
      </summary>
      <CallInput call={call} />
      {result === undefined ? (
        <p class="muted">No result was recorded.</p>
      ) : (
        <Result text={result} isError={isError} tool={tool} />
      )}
    </details>
  );
}

/** A call in progress, of which only the label is known. */
export function LiveCall({ label }: { readonly label: string }): JSX.Element {
  const [, tool = '', detail = ''] = /^\[(\S+) ?([^]*)\]$/.exec(label) ?? [];
  return (
    <p class="tool">
      <span class="muted" aria-hidden="true">
        ▸
      </span>{' '}
      <strong>{tool}</strong> <code>{detail}</code>
    </p>
  );
}

function CallSign({
  result,
  isError,
}: {
  readonly result: string | undefined;
  readonly isError: boolean;
}): JSX.Element {
  const [sign, words, tone] =
    result === undefined ? ['–', 'no result', 'wait'] : isError ? ['✗', 'failed', 'bad'] : ['✓', 'succeeded', 'good'];
  return (
    <span class={tone}>
      <span aria-hidden="true">{sign}</span>
      <span class="unseen">{words}</span>
    </span>
  );
}

function Result({
  text,
  isError,
  tool,
}: {
  readonly text: string;
  readonly isError: boolean;
  readonly tool: string;
}): JSX.Element {
  const [isWhole, setWhole] = useState(false);
  const isCut = !isWhole && text.length > SHOWN * 1.2;
  return (
    <div class="result">
      <div class="row">
        <h4 class={isError ? 'bad' : ''}>{isError ? 'Error' : 'Result'}</h4>
        <Copy text={text} what={`the result of ${tool}`} />
      </div>
      {text === '' ? (
        <p class="muted">Empty.</p>
      ) : (
        <TerminalText text={isCut ? text.slice(0, SHOWN) : text} label={`Result of ${tool}`} />
      )}
      {isCut && (
        <button type="button" class="quiet" onClick={() => setWhole(true)}>
          Show all of it ({bytes(new Blob([text]).size)})
        </button>
      )}
    </div>
  );
}

/** A change of a file that a call makes. */
export interface Change {
  readonly before: string;
  readonly after: string;
}

function CallInput({ call: { tool, input } }: { readonly call: Call }): JSX.Element {
  const changes = changesOf(input);
  const rest = Object.entries(input).filter(([key]) => changes.length === 0 || !CHANGED.has(key));
  return (
    <div class="input">
      {rest.length > 0 && (
        <dl class="arguments">
          {rest.map(([key, value]) => (
            <div key={key}>
              <dt>{key}</dt>
              <dd>
                <pre class="text">{typeof value === 'string' ? value : JSON.stringify(value, undefined, 2)}</pre>
              </dd>
            </div>
          ))}
        </dl>
      )}
      {changes.map((change, index) => (
        <Diff key={index} change={change} label={`Change by ${tool}`} />
      ))}
    </div>
  );
}

/** The fields of inputs that `changesOf` reads. */
const CHANGED = new Set(['old_string', 'new_string', 'oldText', 'newText', 'content', 'edits']);

/** The changes of a file in the input of a call. */
export function changesOf(input: Readonly<Record<string, unknown>>): readonly Change[] {
  const { edits, content } = input;
  const all = [input, ...(Array.isArray(edits) ? (edits as readonly unknown[]) : [])];
  const found = all.flatMap((edit): readonly Change[] => {
    if (typeof edit !== 'object' || edit === null) return [];
    const fields = edit as Readonly<Record<string, unknown>>;
    const before = fields['old_string'] ?? fields['oldText'];
    const after = fields['new_string'] ?? fields['newText'];
    return typeof before === 'string' && typeof after === 'string' ? [{ before, after }] : [];
  });
  const isWritten = typeof content === 'string' && ('file_path' in input || 'path' in input);
  return found.length === 0 && isWritten ? [{ before: '', after: content }] : found;
}

/** The lines of a change. */
export function Diff({
  change: { before, after },
  label,
}: {
  readonly change: Change;
  readonly label: string;
}): JSX.Element {
  const lines = useMemo(() => linesOf(before, after), [before, after]);
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? lines : lines.slice(0, 200);
  return (
    <>
      <pre class="text diff" tabIndex={0} role="region" aria-label={label}>
        {shown.map(({ sign, text }, index) => (
          <span key={index} class={sign === '+' ? 'added' : sign === '-' ? 'removed' : ''}>
            {`${sign} ${text}\n`}
          </span>
        ))}
      </pre>
      {shown.length < lines.length && (
        <button type="button" class="quiet" onClick={() => setWhole(true)}>
          Show all of it ({lines.length} lines)
        </button>
      )}
    </>
  );
}

/** The lines of both texts; a sign says which were added and removed. */
export function linesOf(before: string, after: string): readonly { readonly sign: string; readonly text: string }[] {
  const parts =
    before.length + after.length > MAX_DIFF
      ? [
          { removed: true, added: false, value: before },
          { removed: false, added: true, value: after },
        ]
      : diffLines(before, after);
  return parts.flatMap(({ added, removed, value }) =>
    value === ''
      ? []
      : value
          .replace(/\n$/, '')
          .split('\n')
          .map((text) => ({ sign: added ? '+' : removed ? '-' : ' ', text })),
  );
}

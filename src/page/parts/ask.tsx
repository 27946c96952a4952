// A question of an agent with its answer: its text, the files that it shows and requests, and the
// answer, which is kept as a draft until it is sent.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { api, ApiProblem } from '../api.js';
import { storedDraft, useDraft } from '../drafts.js';
import { problemOf, useResource } from '../resource.js';
import { hrefOf } from '../router.js';
import { may } from '../session.js';
import { bytes, clipped } from '../words.js';
import { say } from './action.js';
import { Ago, Fold, Loading, ProblemNote, Until } from './bits.js';
import { Markdown, plainText } from './markdown.js';
import type { OpenAsk, SentFile } from '../../serve/types.js';

/** The key of the draft of its answer. */
export function draftOf({ runId, askId }: Pick<OpenAsk, 'runId' | 'askId'>): string {
  return `answer:${runId}/${askId}`;
}

interface AskCardProps {
  readonly ask: OpenAsk;
  readonly changed: () => void;
  /** Unfolded at first. */
  readonly isOpen?: boolean;
}

/** The question as a card. */
export function AskCard({ ask, changed, isOpen = true }: AskCardProps): JSX.Element {
  const { runId, askId, agentId, workflow, state, prompt, askedAt, until, input } = ask;
  const name = `${runId}/${askId}`;
  const [isShown, setShown] = useState(isOpen || storedDraft(draftOf(ask)) !== undefined);
  return (
    <article class="card ask" aria-label={`Question of ${agentId} in ${runId}`}>
      <header class="row">
        <span class="sign ask" aria-hidden="true">
          ?
        </span>
        <div>
          <h2>
            {runId} <span class="muted">asks</span>
          </h2>
          <p>
            <a href={hrefOf({ view: 'run', run: runId, tab: 'agents' })}>{workflow}</a> ·{' '}
            <a href={hrefOf({ view: 'agent', run: runId, agent: agentId })}>{agentId}</a> at {state}
            {input !== undefined && input !== '' && <span class="muted"> · given: {clipped(input)}</span>}
          </p>
          {(askedAt ?? until) !== undefined && (
            <p>
              {askedAt !== undefined && (
                <span class="muted">
                  Asked <Ago time={askedAt} />.
                </span>
              )}{' '}
              {until !== undefined && (
                <>
                  Times out <Until time={until} warns />.
                </>
              )}
            </p>
          )}
        </div>
      </header>
      {!isShown && (
        <p>
          {clipped(plainText(prompt))}{' '}
          <button type="button" aria-label={`Answer ${runId}`} onClick={() => setShown(true)}>
            Answer
          </button>
        </p>
      )}
      {isShown && (
        <>
          <Markdown text={prompt} />
          <ShownFiles ask={ask} />
          {may('answer') ? (
            <Answer key={name} ask={ask} changed={changed} />
          ) : (
            <p class="muted">You can only look: answering is not allowed for you.</p>
          )}
        </>
      )}
    </article>
  );
}

/** Larger files are only downloaded, in bytes. */
const MOST_SHOWN = 500_000;

/** The text of a file. */
function FileText({
  href,
  name,
  isMarkdown,
}: {
  readonly href: string;
  readonly name: string;
  readonly isMarkdown: boolean;
}): JSX.Element {
  const { data, problem } = useResource({ key: `file ${href}`, load: () => api.text(href) });
  if (data === undefined) return problem === undefined ? <Loading what={name} /> : <ProblemNote problem={problem} />;
  if (isMarkdown) return <Markdown text={data} />;
  return (
    <pre class="text" tabIndex={0} role="region" aria-label={name}>
      {data}
    </pre>
  );
}

function ShownFiles({ ask: { runId, askId, files } }: { readonly ask: OpenAsk }): JSX.Element | null {
  if (files.length === 0) return null;
  return (
    <ul class="files" aria-label="Files to look at">
      {files.map(({ name, type, bytes: size }) => {
        const href = api.askFile({ run: runId, ask: askId, name });
        return (
          <li key={name}>
            {/^image\/(?:png|jpeg|gif|webp|avif|bmp)$/.test(type) && (
              <img src={href} alt={`${name}, shown with the question`} loading="lazy" />
            )}
            {type === 'application/pdf' ? (
              <a href={href} target="_blank" rel="noopener">
                Open {name}
              </a>
            ) : (
              <a href={href} download={name}>
                {name}
              </a>
            )}{' '}
            <span class="muted">{size === undefined ? 'on another host' : `${type}, ${bytes(size)}`}</span>
            {size !== undefined && size <= MOST_SHOWN && /^text\/|json|yaml|toml|xml/.test(type) && (
              <Fold title={`Show ${name}`}>
                {() => <FileText href={href} isMarkdown={type === 'text/markdown'} name={name} />}
              </Fold>
            )}
          </li>
        );
      })}
    </ul>
  );
}

function Answer({ ask, changed }: { readonly ask: OpenAsk; readonly changed: () => void }): JSX.Element {
  const { runId, askId, upload, sent, choices = [] } = ask;
  const [text, setText, forget] = useDraft(draftOf(ask));
  const [problem, setProblem] = useState<ApiProblem>();
  const [isBusy, setBusy] = useState(false);
  const attempt = async (act: () => Promise<void>): Promise<void> => {
    setBusy(true);
    setProblem(undefined);
    await act().catch((error: unknown) => setProblem(problemOf(error)));
    setBusy(false);
    changed();
  };
  const missing =
    upload?.kind === 'slots' ? upload.slots.filter(({ name }) => sent.every((file) => file.name !== name)) : [];
  const isReady = missing.length === 0 && (text.trim() !== '' || sent.length > 0);
  const send = (answer: string): Promise<void> =>
    attempt(async () => {
      await api.answer(runId, askId, answer);
      forget();
      say(choices.includes(answer) ? `Answered ${runId}: ${answer}.` : `Answered ${runId}.`);
    });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady && !isBusy) void send(text);
      }}
    >
      <Uploads ask={ask} attempt={attempt} />
      <Choices ask={ask} isReady={missing.length === 0 && !isBusy} choose={(choice) => void send(choice)} />
      <label for={`answer-${runId}-${askId}`}>
        {choices.length > 0 ? 'Another answer' : 'Answer'}
        <span class="unseen"> to {runId}</span>
      </label>
      <textarea
        id={`answer-${runId}-${askId}`}
        rows={3}
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) event.currentTarget.form?.requestSubmit();
        }}
      />
      <ProblemNote problem={problem} />
      <div class="row end">
        <span class="hint">
          {missing.length > 0
            ? `Missing: ${missing.map(({ name }) => name).join(', ')}`
            : matchMedia('(hover: hover)').matches && 'Ctrl+Enter to send'}
        </span>
        <button type="submit" class="primary" disabled={!isReady || isBusy}>
          Send answer<span class="unseen"> to {runId}</span>
        </button>
      </div>
    </form>
  );
}

function Choices({
  ask: { runId, choices = [] },
  isReady,
  choose,
}: {
  readonly ask: OpenAsk;
  readonly isReady: boolean;
  readonly choose: (choice: string) => void;
}): JSX.Element | null {
  if (choices.length === 0) return null;
  return (
    <div class="row choices" role="group" aria-label={`Answers to ${runId}`}>
      {choices.map((choice) => (
        <button key={choice} type="button" class="primary" disabled={!isReady} onClick={() => choose(choice)}>
          {choice}
        </button>
      ))}
    </div>
  );
}

function Uploads({
  ask: { runId, askId, upload, sent },
  attempt,
}: {
  readonly ask: OpenAsk;
  readonly attempt: (act: () => Promise<void>) => Promise<void>;
}): JSX.Element | null {
  if (upload === undefined) return null;
  const send = (files: readonly File[], types: readonly string[], slot?: string): Promise<void> =>
    attempt(async () => {
      for (const file of files) checkType(file, types);
      for (const file of files) await api.sendFile({ run: runId, ask: askId, name: slot ?? file.name }, file);
    });
  const remove = (name: string): Promise<void> => attempt(() => api.removeFile({ run: runId, ask: askId, name }));
  if (upload.kind === 'slots')
    return (
      <ul class="files" aria-label="Files to send">
        {upload.slots.map(({ name, types }) => (
          <li key={name}>
            <FileInput
              label={`${name} (${types.length === 0 ? 'any type' : types.join(', ')})`}
              accept={types}
              take={(files) => send(files.slice(0, 1), types, name)}
            />
            <Sent files={sent.filter((file) => file.name === name)} remove={remove} />
          </li>
        ))}
      </ul>
    );
  const { maxCount, maxBytes, types } = upload;
  const label = `Files: up to ${maxCount}, ${bytes(maxBytes)} each${types.length === 0 ? '' : `, ${types.join(', ')}`}`;
  return (
    <div class="files">
      <FileInput label={label} accept={types} isMany take={(files) => send(files, types)} />
      <Sent files={sent} remove={remove} />
    </div>
  );
}

/** Throws for a file of another type; one whose type the browser does not know is checked by the server. */
function checkType({ name, type }: File, types: readonly string[]): void {
  const [family = ''] = type.split('/');
  const fits = types.length === 0 || type === '' || types.includes(type) || types.includes(`${family}/*`);
  if (!fits)
    throw new ApiProblem(`${name} is ${type}; choose a file of type ${types.join(', ')}`, -1, { code: 'WrongType' });
}

function FileInput({
  label,
  accept,
  isMany = false,
  take,
}: {
  readonly label: string;
  readonly accept: readonly string[];
  readonly isMany?: boolean;
  readonly take: (files: readonly File[]) => Promise<void>;
}): JSX.Element {
  return (
    <label class="file">
      <span>{label}</span>
      <span class="button" aria-hidden="true">
        Take a photo or choose a file
      </span>
      <input
        type="file"
        accept={accept.join(',')}
        multiple={isMany}
        onChange={({ currentTarget }) => {
          const files = [...(currentTarget.files ?? [])];
          void take(files).then(() => (currentTarget.value = ''));
        }}
      />
    </label>
  );
}

function Sent({
  files,
  remove,
}: {
  readonly files: readonly SentFile[];
  readonly remove: (name: string) => Promise<void>;
}): JSX.Element {
  return (
    <>
      {files.map(({ name, bytes: size, type }) => (
        <p key={name} class="row sent">
          <span>
            <span aria-hidden="true">✓</span> {name} attached ({type}, {bytes(size)})
          </span>
          <button type="button" class="quiet" onClick={() => void remove(name)}>
            Remove<span class="unseen"> {name}</span>
          </button>
        </p>
      ))}
    </>
  );
}

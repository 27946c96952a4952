// The conversation of a turn, live and recorded: prompts and answers as Markdown, tool calls as
// folds. A recorded turn shows its own part; what came before it is folded.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { counted } from '../words.js';
import { Copy } from './copy.js';
import { Markdown } from './markdown.js';
import { LiveCall, ToolCall, type Call } from './tool-call.js';
import type { Transcript } from '../../serve/types.js';

type Entry = Transcript['entries'][number];
type Message = Exclude<Entry, Call>;

/** How many entries before the turn are shown at once. */
const EARLIER = 50;

/** A recorded conversation. */
export function Conversation({ entries }: { readonly entries: readonly Entry[] }): JSX.Element {
  const start = startOfTurn(entries);
  return (
    <>
      {start > 0 && <Earlier entries={entries.slice(0, start)} />}
      <Entries entries={entries.slice(start)} />
    </>
  );
}

/** Where the turn begins: a conversation has those before it, too. */
export function startOfTurn(entries: readonly Entry[]): number {
  return Math.max(
    entries.findLastIndex(({ by }) => by === 'person'),
    0,
  );
}

function Earlier({ entries }: { readonly entries: readonly Entry[] }): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const [shown, setShown] = useState(EARLIER);
  return (
    <details class="earlier" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Earlier in this conversation ({counted(entries.length, 'message')})</summary>
      {isOpen && entries.length > shown && (
        <button type="button" class="quiet" onClick={() => setShown(shown + 4 * EARLIER)}>
          Show {entries.length - shown} more
        </button>
      )}
      {isOpen && <Entries entries={entries.slice(-shown)} />}
    </details>
  );
}

function Entries({ entries }: { readonly entries: readonly Entry[] }): JSX.Element {
  return (
    <ol class="conversation">
      {entries.map((entry, index) => (
        <li key={index} class={entry.by}>
          {entry.by === 'tool' ? <ToolCall call={entry} /> : <MessageText message={entry} />}
        </li>
      ))}
    </ol>
  );
}

function MessageText({ message: { by, text } }: { readonly message: Message }): JSX.Element {
  const name = by === 'person' ? 'Prompt' : 'Agent';
  return (
    <>
      <div class="row">
        <h3>{name}</h3>
        <Copy text={text} what={by === 'person' ? 'the prompt' : 'the message'} />
      </div>
      <Markdown text={text} />
    </>
  );
}

/** What a prompt turn has printed so far: lines that are labels of calls, and messages between them. */
export function LiveConversation({ text }: { readonly text: string }): JSX.Element {
  return (
    <ol class="conversation">
      {partsOf(text).map(({ by, text: words }, index) => (
        <li key={index} class={by}>
          {by === 'tool' ? <LiveCall label={words} /> : <Markdown text={words} />}
        </li>
      ))}
    </ol>
  );
}

/** The messages and the calls in the output of a prompt turn. */
export function partsOf(text: string): readonly { readonly by: 'agent' | 'tool'; readonly text: string }[] {
  return text.split(/^(\[[A-Za-z][\w.-]*(?: .*)?\])$/m).flatMap((part, index) => {
    const words = part.trim();
    return words === '' ? [] : [{ by: index % 2 === 1 ? ('tool' as const) : ('agent' as const), text: words }];
  });
}

// The command palette (Ctrl+K): views, runs, workflows and themes by a few letters, as a combobox.
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { api } from '../api.js';
import { closeDialog, openDialog, VIEW_KEYS } from '../keyboard.js';
import { useResource } from '../resource.js';
import { go, route, RUN_TABS, TAB_WORDS, type Route } from '../router.js';
import { may } from '../session.js';
import { setTheme, THEMES } from '../theme.js';
import { Modal } from './modal.js';

interface Command {
  readonly name: string;
  /** What kind of thing it is. */
  readonly kind: string;
  readonly act: () => void;
}

const SHOWN = 12;
const RUNS = 30;

/** The dialog while it is open. */
export function Palette(): JSX.Element {
  return (
    <Modal isOpen={openDialog.value === 'palette'} label="Go to" close={() => closeDialog('palette')}>
      <Choice />
    </Modal>
  );
}

function Choice(): JSX.Element {
  const [words, setWords] = useState('');
  const [at, setAt] = useState(0);
  const found = fitting([...fixed(), ...useFound(words)], words);
  const chosen = Math.min(at, found.length - 1);
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => list.current?.children[chosen]?.scrollIntoView({ block: 'nearest' }), [chosen]);
  const press = (event: KeyboardEvent): void => {
    const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (by !== 0) setAt((chosen + by + found.length) % Math.max(found.length, 1));
    else if (event.key === 'Enter') run(found[chosen]);
    else return;
    event.preventDefault();
  };
  return (
    <>
      <input
        type="text"
        role="combobox"
        aria-label="Go to a view, a run or a workflow"
        placeholder="Go to a view, a run or a workflow"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-autocomplete="list"
        aria-activedescendant={found.length > 0 ? `palette-${chosen}` : undefined}
        autoComplete="off"
        value={words}
        onInput={({ currentTarget }) => {
          setWords(currentTarget.value);
          setAt(0);
        }}
        onKeyDown={press}
      />
      <ul class="plain palette" role="listbox" id="palette-list" aria-label="Matches" ref={list}>
        {found.map((command, index) => (
          <li
            key={`${command.kind} ${command.name}`}
            role="option"
            id={`palette-${index}`}
            aria-selected={index === chosen}
            onClick={() => run(command)}
          >
            {command.name} <span class="muted">{command.kind}</span>
          </li>
        ))}
      </ul>
      {found.length === 0 && <p class="muted">No match.</p>}
    </>
  );
}

function run(command: Command | undefined): void {
  if (command === undefined) return;
  openDialog.value = undefined;
  command.act();
}

/** Every typed word is in the name or the kind. */
function fitting(commands: readonly Command[], words: string): readonly Command[] {
  const wanted = words.toLowerCase().split(/\s+/);
  return commands
    .filter(({ name, kind }) => wanted.every((word) => `${name} ${kind}`.toLowerCase().includes(word)))
    .slice(0, SHOWN);
}

function fixed(): readonly Command[] {
  const to = route.value;
  const tabs =
    to.view === 'run' ? RUN_TABS.map((tab) => toView(`${to.run}: ${TAB_WORDS[tab]}`, 'section', { ...to, tab })) : [];
  return [
    ...tabs,
    ...VIEW_KEYS.map(([, name, view]) => toView(name, 'view', view)),
    ...THEMES.map((name) => ({ name: `Theme: ${name}`, kind: 'setting', act: () => setTheme(name) })),
    { name: 'Keyboard shortcuts', kind: 'help', act: () => (openDialog.value = 'keys') },
  ];
}

function toView(name: string, kind: string, to: Route): Command {
  return { name, kind, act: () => go(to) };
}

/** Runs that the words are found in, and the workflows. */
function useFound(words: string): readonly Command[] {
  const q = useLate(words.trim());
  const { data } = useResource({ key: `palette ${q}`, load: () => api.runs({ q, limit: RUNS }) });
  // Those of the words before stay until the answer is there: Enter always finds what is shown.
  const known = useRef(data);
  known.current = data ?? known.current;
  const runs = known.current?.runs ?? [];
  const workflows = useResource({ key: 'palette workflows', load: () => api.workflows(false) }).data?.workflows ?? [];
  return [
    ...useAgents(),
    ...runs.map(({ runId, status, workflow = '' }) =>
      toView(runId, `run · ${workflow} · ${status}`, { view: 'run', run: runId, tab: 'agents' }),
    ),
    ...workflows.map(({ id, name }) => toView(name, 'workflow', { view: 'workflow', workflow: id })),
    ...workflows.flatMap(({ id, name, problem }) =>
      may('operate') && problem === undefined
        ? [toView(`Start ${name}`, 'start', { view: 'start', workflow: id })]
        : [],
    ),
  ];
}

/** The agents of the run that is shown. */
function useAgents(): readonly Command[] {
  const to = route.value;
  const run = 'run' in to ? to.run : undefined;
  const { data } = useResource({
    key: `palette agents ${run ?? ''}`,
    load: async () => (run === undefined ? [] : (await api.run(run)).agents),
  });
  return run === undefined
    ? []
    : (data ?? []).map(({ id, status }) =>
        toView(id, `agent of ${run} · ${status}`, { view: 'agent', run, agent: id }),
      );
}

const LATE_MS = 150;

/** The text once no key was pressed for a moment. */
function useLate(text: string): string {
  const [late, setLate] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setLate(text), LATE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return late;
}

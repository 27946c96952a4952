// Finds states that look for the files which a person has sent with an answer, but not in the folder asks/<ask id> of the task folder.
import type { Mention } from '../../mention.js';
import { reachableFrom, type Edge, type StateNode } from '../../graph.js';
import { isOwnTransition } from '../../loops.js';
import { plainText, statesOf } from '../helpers.js';
import { edgesWithValue } from '../passed.js';
import type { Analysis } from '../rule.js';
import { ASK_ID, folderOf, inTaskFolder, isRelativePath, mayBeSamePath, patternOf } from './path.js';
import type { PathUse } from './path.js';
import { fillsTaskFolder, inOneLine, pathUses } from './path-uses.js';

/** A use of a path at which there is no uploaded file, in the state that gets the answer or in a later one. */
export interface MisplacedUpload {
  readonly state: StateNode;
  readonly use: PathUse;
}

/** The first such use of each state. */
export function* misplacedUploads(analysis: Analysis): Generator<MisplacedUpload> {
  const asked = statesOf(analysis).filter(({ file }) => getsUploads(analysis, file));
  if (asked.length === 0) return;
  const states = statesOf(analysis);
  const later = reachableFrom(analysis.graph, { from: asked.map(({ file }) => file), accepts: isOwnTransition });
  const slots = slotsOf(states);
  const context: Context = {
    states,
    all: states.flatMap(pathUses),
    isKnown: states.some((state) => /\basks\b[^\n]*(?:ask_id|askId)/i.test(plainText(state))),
    // Behind the question, a program gets an uploaded file to read it.
    fillsFolder: states.some((state) => fillsTaskFolder(state, later.has(state.file) ? slots : [])),
    slots,
  };
  for (const state of states) {
    if (!later.has(state.file)) continue;
    const use = pathUses(state).find((one) => isMisplaced(one, { ...context, state, isFirst: asked.includes(state) }));
    if (use !== undefined) yield { state, use };
  }
}

const CHANGES_DIRECTORY = /(?:^|[\s;&|(])(?:cd|pushd)\s|chdir|\bcwd\b/m;

interface Context {
  readonly states: readonly StateNode[];
  readonly all: readonly PathUse[];
  /** True if a state names the right folder: what it takes from there may then be in another one. */
  readonly isKnown: boolean;
  readonly fillsFolder: boolean;
  /** The names under which files are uploaded. */
  readonly slots: readonly string[];
}

/** True for a state whose input is always the answer to a question with files. */
function getsUploads(analysis: Analysis, file: string): boolean {
  const edges = edgesWithValue(analysis, file);
  return (
    edges.length > 0 &&
    edges.every(({ tag, from, mention }) => tag === 'ask' && takesFiles(analysis, { from, mention }))
  );
}

/** True for a question with files. */
function takesFiles(analysis: Analysis, edge: Pick<Edge, 'from' | 'mention'>): boolean {
  return asksShown(analysis, edge).every(
    ({ attributes }) => attributes.has('upload_bucket') || attributes.has('upload_slots'),
  );
}

/** The tags of a question: a policy leaves its attributes to the tags that the text shows. */
export function asksShown({ graph }: Analysis, { from, mention }: Pick<Edge, 'from' | 'mention'>): readonly Mention[] {
  const shown = (graph.states.get(from)?.mentions ?? []).filter(
    ({ tag, source }) => tag === 'ask' && source === 'text',
  );
  return mention.source === 'script' || shown.length === 0 ? [mention] : shown;
}

function slotsOf(states: readonly StateNode[]): readonly string[] {
  const lists = states.flatMap(({ mentions }) =>
    mentions.map(({ attributes }) => attributes.get('upload_slots')?.value),
  );
  const names = lists.flatMap((list) => (list ?? '').split(',').map((slot) => slot.trim().split(':')[0] ?? ''));
  return names.filter((name) => /^[\w.-]+$/.test(name));
}

function isMisplaced(
  use: PathUse,
  {
    state,
    isFirst,
    all,
    isKnown,
    slots,
    fillsFolder: isFilled,
  }: Context & { readonly state: StateNode; readonly isFirst: boolean },
): boolean {
  const { path, kind } = use;
  const isSlot = isFirst && state.kind === 'script' && /^[\w-]+\.\w+$/.test(path) && slots.includes(path);
  const rest = inTaskFolder(path);
  const isSlotOfTask = kind !== 'write' && slots.some((slot) => rest === slot || rest?.replace(/\.\w+$/, '') === slot);
  if ((kind !== 'read' && kind !== 'list' && !isSlot && !isSlotOfTask) || path.includes('**')) return false;
  if (state.source.kind === 'prompt' && !speaksOfFiles(state.source.prompt.body.text, use)) return false;
  if (rest !== undefined && /^asks(?:\/|$)/.test(rest))
    return /^asks\/[^/{}…]*\.\w+$/.test(rest) || /^asks\/[A-Za-z]\w*\/\{RAYMOND_ASK_ID\}/.test(rest);
  const written = all.filter((one) => one.kind === 'write');
  if (path.includes(ASK_ID)) {
    const folder = `${path.split(ASK_ID)[0] ?? ''}${ASK_ID}`;
    const isMade = written.some((one) => one.path.startsWith(folder));
    if (isMade) return false;
    const isRelative = isRelativePath(path) || path.startsWith(ASK_ID);
    return rest !== undefined || (isRelative && !CHANGES_DIRECTORY.test(plainText(state)));
  }
  if (isSlot) return !isKnown && written.every((one) => one.path !== path);
  if (rest === undefined || isKnown || isFilled || (!isFirst && kind !== 'list' && !isSlotOfTask)) return false;
  if (/[{…]/.test(rest) || (kind === 'read' && !isFolderName(rest) && !isSlotOfTask)) return false;
  if (rest === '' && isLogged(plainText(state), use.at)) return false;
  return written.every((one) => {
    const other = inTaskFolder(one.path);
    return other === undefined || !mayContain(rest, other);
  });
}

/** True for a list that bash only prints for people. */
function isLogged(code: string, at: number): boolean {
  const line = code.slice(code.lastIndexOf('\n', at - 1) + 1).split('\n', 1)[0] ?? '';
  return /^\s*ls\b[^|()]*>&2\s*$/.test(line);
}

/** True for a name without an extension, or with a wildcard: a file of a fixed name may be another one. */
function isFolderName(rest: string): boolean {
  return /\*/.test(rest) || /^[\w-]+$/.test(rest);
}

/** True if a written path may be in a folder that is read, or match a pattern. */
function mayContain(rest: string, written: string): boolean {
  if (rest === '') return true;
  return (
    mayBeSamePath(rest, written) ||
    patternOf(written).startsWith(`${rest}/`) ||
    (rest.includes('/') && folderOf(rest) === folderOf(written)) ||
    folderOf(rest) === written
  );
}

/** True for a sentence about files that are there, and that says nothing of writing. */
function speaksOfFiles(text: string, { at }: PathUse): boolean {
  const plain = inOneLine(text);
  const before =
    plain
      .slice(Math.max(0, at - 240), at)
      .split(/[.!?]\s/)
      .at(-1) ?? '';
  const after = plain.slice(at, at + 240).split(/[.!?](?:\s|$)/, 1)[0] ?? '';
  const sentence = before + after;
  if (/\b(?:writ|creat|sav|stor|put|mak|append|record|cop[iy]|mov|leav)\w*/i.test(sentence)) return false;
  return /\b(?:is|are|read|look|open|see|find|sent|uploaded|check|compare|view)\b/i.test(before);
}

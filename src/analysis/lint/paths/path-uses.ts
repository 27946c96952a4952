// The paths of files that a state names, in whichever language it is written. Pure.
import { executorOf } from '../../../protocol/language/resolve.js';
import type { StateNode } from '../../graph.js';
import { plainText, withoutLongLines } from '../helpers.js';
import { useIn } from '../files/places.js';
import { inTaskFolder, normalPath, type PathUse } from './path.js';
import { programPaths } from './program-paths.js';
import { shellPaths } from './shell-paths.js';

const known = new WeakMap<StateNode['source'], readonly PathUse[]>();

/** What a state does with the paths that it names. Several rules ask for them, so they are found once. */
export function pathUses(state: Pick<StateNode, 'source' | 'file'>): readonly PathUse[] {
  const found = known.get(state.source) ?? usesIn(state).map((use) => ({ ...use, path: normalPath(use.path) }));
  known.set(state.source, found);
  return found;
}

function usesIn({ source, file }: Pick<StateNode, 'source' | 'file'>): readonly PathUse[] {
  if (source.kind === 'prompt') return promptPaths(withoutLongLines(source.prompt.body.text));
  if (source.kind !== 'script') return [];
  if (source.script.program !== undefined) return programPaths(source.script.program);
  return executorOf(file) === 'bash' ? shellPaths(plainText({ source })) : [];
}

/** A word of a prompt that is a path: with a slash, a variable or an extension. */
const PROMPT_PATH =
  /(?<![\w/}{@.-])(?=[\w.{*-]*[/{.])(?:[\w*-]|\.(?=\w)|\{\{\w+\}\})(?:[\w*/-]|\.(?=[\w*{/])|\{\{\w+\}\})*/g;

/** A folder that a prompt names in a code span. */
const PROMPT_FOLDER =
  /\b(?:folder|directory)\s+(?:called\s+|named\s+)?`([\w.-]+)\/?`|`([\w.-]+)\/?`\s+(?:folder|directory)\b/g;

function promptPaths(text: string): readonly PathUse[] {
  const plain = inOneLine(text.replace(/<[^<>]*>/g, (tag) => tag.replace(/[^\n]/g, ' ')));
  const kindAt = (index: number): PathUse['kind'] => promptKind(plain.slice(Math.max(0, index - 240), index));
  const paths = [...plain.matchAll(PROMPT_PATH)].flatMap(({ index, 0: word }): readonly PathUse[] => {
    const path = word.replace(/\{\{(\w+)\}\}/g, (_whole, name: string) => `{${VARIABLES[name] ?? name}}`);
    return [{ path, kind: kindAt(index), at: index }];
  });
  const folders = [...plain.matchAll(PROMPT_FOLDER)].map(({ index, 1: one, 2: other }): PathUse => ({
    path: one ?? other ?? '',
    kind: 'list',
    at: index,
  }));
  return [...paths, ...folders];
}

/** A text in one line, in which a full stop ends each paragraph. */
export function inOneLine(text: string): string {
  return text.replace(/\n(?=[ \t]*\n)/g, '.').replaceAll('\n', ' ');
}

/** The variables of Raymond under the names that scripts use. */
const VARIABLES: Readonly<Record<string, string>> = {
  task_folder: 'RAYMOND_TASK_FOLDER',
  ask_id: 'RAYMOND_ASK_ID',
  state_dir: 'RAYMOND_STATE_DIR',
  workflow_id: 'RAYMOND_WORKFLOW_ID',
  agent_id: 'RAYMOND_AGENT_ID',
};

/** A sentence without a verb of writing says where a file is. */
function promptKind(before: string): PathUse['kind'] {
  const use = useIn(before);
  // "Write tests for src/a.js" writes no file of this name.
  if (use === 'write' && /\b(?:for|of|about|from|against)\s+(?:the\s+)?(?:\w+\s+)?`?$/i.test(before)) return 'read';
  if (use === 'write' || use === 'append') return 'write';
  const sentence = before.split(/[.!?;:]\s/).at(-1) ?? '';
  if (use === 'read') return 'read';
  return /\bif\b|\bexists?\b|\bunless\b|\bwhether\b/i.test(sentence) ? 'test' : 'read';
}

/** True for a state that may put files into its task folder whose names its text does not show, apart from files that are known. */
export function fillsTaskFolder(state: StateNode, knownNames: readonly string[] = []): boolean {
  const text = plainText(state);
  if (!/task_folder/i.test(text)) return false;
  if (/chdir|\bcwd\b|extractall|unpack_archive|\.parent\b|dirname/.test(text)) return true;
  return pathUses(state).some(({ kind, path }) => {
    const rest = inTaskFolder(path);
    if (rest === undefined || /^asks(?:\/|$)/.test(rest) || knownNames.includes(rest)) return false;
    return kind === 'unknown' || (kind === 'write' && (rest === '' || /^[*{…]/.test(rest)));
  });
}

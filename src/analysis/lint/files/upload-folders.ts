// Finds states that look for uploaded files in another folder than asks/<ask id>/. Pure.
import type { StateNode } from '../../graph.js';
import { plainText } from '../helpers.js';

/** A path that leads to no uploaded file: the part of it that is wrong, and where. */
export interface OtherFolder {
  readonly at: number;
  readonly path: string;
}

const ASK_ID = String.raw`(?:os\.environ\[["']|process\.env\.|\$?\{{0,2})(?:RAYMOND_ASK_ID|ask_id|askId)\b`;

/** The first path of a state that should lead to an uploaded file but does not. */
export function otherUploadFolder(state: StateNode, slots: readonly string[]): OtherFolder | undefined {
  const code = plainText(state);
  const names = slots.filter((slot) => /^[\w.-]+$/.test(slot)).map((slot) => slot.replace(/[.-]/g, '\\$&'));
  if (names.length === 0 || WRITES.test(code)) return undefined;
  const slot = `(?:${names.join('|')})`;
  return folderBeforeId(code, slot) ?? first(code, `\\basks["']?\\s*[/,]\\s*["']?${slot}(?![\\w/-])`);
}

/** A script or a prompt that may put files into the folder. */
const WRITES =
  /\b(?:mkdir|makedirs|cp|mv|copy\w*(?=\()|move(?=\()|rename\w*|ln)\b[^\n]*(?:task_folder|ask_id|askId|folder)|>\s*"?\$\{?RAYMOND_TASK_FOLDER|\b(?:save|write|copy|store|put|move)\b[^.\n]*\{\{task_folder\}\}/i;

/** `uploads/$RAYMOND_ASK_ID`, or the id directly below the task folder, in a state that names a slot. */
function folderBeforeId(code: string, slot: string): OtherFolder | undefined {
  if (!new RegExp(`[/"'\`]${slot}(?![\\w/-])`).test(code)) return undefined;
  const patterns = [
    String.raw`(?<![\w.$-])([\w.-]+)/["']?${ASK_ID}`,
    String.raw`["']([\w.-]+)["']\s*[/,]\s*${ASK_ID}`,
    String.raw`\b(task_folder)\}?\}?["']?/["']?${ASK_ID}`,
  ];
  const found = patterns.flatMap((pattern) => [...code.matchAll(new RegExp(pattern, 'gi'))]);
  const wrong = found.find(({ 1: name }) => name !== 'asks');
  return wrong && { at: wrong.index, path: wrong[0] };
}

function first(code: string, pattern: string): OtherFolder | undefined {
  const match = new RegExp(pattern).exec(code);
  return match === null ? undefined : { at: match.index, path: match[0] };
}

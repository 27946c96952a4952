// The names in a run's debug folder: safe on every file system, whatever agents and states are called, and readable back.
// Pure text; must not touch the folder.
import { createHash } from 'node:crypto';
import { stem } from '../../protocol/names.js';

/** The longest part of a name, in bytes: two of them and the rest stay below 255. */
const MAX_PART_BYTES = 100;

/** Attempts of one turn that can be told apart; a number of two digits is never taken for a turn. */
export const MAX_ATTEMPTS = 99;

/** The folder of a run. In UTC, so that workers of any time zone mean the same one. */
export function folderName(runId: string, startedAt: number): string {
  const [day = '', time = ''] = new Date(startedAt).toISOString().split(/[T.]/);
  return `${runId}_${day.replaceAll('-', '')}_${time.replaceAll(':', '')}`;
}

/** How all files of a turn begin: `main_START_001`; the attempts after the first `main_START_001_2`. */
export function turnName(
  { agentId, state, turn }: { readonly agentId: string; readonly state: string; readonly turn: number },
  attempt: number,
): string {
  const number = String(turn).padStart(3, '0');
  return `${part(agentId)}_${part(stem(state))}_${number}${attempt === 1 ? '' : `_${attempt}`}`;
}

/** The agent with its state, and the turn, that a file belongs to; undefined for other files. */
export function turnOf(file: string): { readonly state: string; readonly turn: number } | undefined {
  const [, state, turn] = /^(.+)_(\d{3,})(?:_\d{1,2})?\.(?:json|meta\.json|stdout\.txt|stderr\.txt)$/s.exec(file) ?? [];
  return state === undefined ? undefined : { state, turn: Number(turn) };
}

/** A name as part of a file name. What had to be changed is told apart by a hash. */
function part(name: string): string {
  const safe = name.replaceAll(/[^\p{L}\p{N}._-]/gu, '-');
  if (safe === name && Buffer.byteLength(name) <= MAX_PART_BYTES) return name;
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 8);
  const cut = Buffer.from(safe).subarray(0, MAX_PART_BYTES - hash.length - 1);
  // A character that the cut has split is left out.
  return `${cut.toString('utf8').replace(/\ufffd+$/, '')}-${hash}`;
}

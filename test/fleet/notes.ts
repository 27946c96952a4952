// What the states of all hosts have noted of themselves, with the host of each, in the order of this machine's clock.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { effectsIn, type Effect } from '../trials/effects.js';

/** A line of a state, and the host on which it ran. */
export interface Noted extends Effect {
  readonly host: string;
}

/** The file into which states write, as they see it below the folder of their notes. */
export const EFFECTS = 'effects';

/** All that was noted of a run. */
export async function notesOf(folder: string, runId: string): Promise<readonly Noted[]> {
  const names = (await readdir(folder)).filter((name) => name.startsWith('notes-'));
  const all = await Promise.all(
    names.map(async (name) => {
      const [, host = ''] = name.split('-');
      return (await effectsIn(join(folder, name, EFFECTS), runId)).map((effect) => ({ ...effect, host }));
    }),
  );
  return all.flat().sort((one, other) => one.at - other.at);
}

/** The attempts after which the same turn was begun once more, on another host: one that is cut off may end them, and nobody hears of it. */
export function supersededIn(notes: readonly Noted[]): ReadonlySet<string> {
  return followedIn(notes, (one, other) => other.host !== one.host);
}

/** The attempts after which the same turn was begun once more, on any host. */
export function repeatedIn(notes: readonly Noted[]): ReadonlySet<string> {
  return followedIn(notes, () => true);
}

function followedIn(notes: readonly Noted[], counts: (one: Noted, other: Noted) => boolean): ReadonlySet<string> {
  const begun = notes.filter(({ kind }) => kind === 'B');
  const later = (one: Noted): boolean =>
    begun.some((other) => sameTurn(one, other) && other.at > one.at && counts(one, other));
  return new Set(begun.filter(later).map(({ attempt }) => attempt));
}

const sameTurn = (one: Noted, other: Noted): boolean => one.agent === other.agent && one.turn === other.turn;

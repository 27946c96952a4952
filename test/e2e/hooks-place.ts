// A place whose hooks note each event that they get, for the tests of hooks.
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { Place } from '../support/cli.js';

/** Notes each event that it gets as a line of `events`. */
const NOTE = '#!/bin/sh\ncat >> events\n';

/** A state that asks, and the one that ends the run with the answer. */
export const ASK = 'echo \'<ask next="SAY" timeout="1h">Which colour?</ask>\'\n';
export const SAY = 'echo "<result>$RAYMOND_INPUT</result>"\n';

/** A config with the same command for each of these events. */
export function config(command: string, ...events: readonly string[]): string {
  return ['[raymond]', ...events.map((event) => `hook_${event} = ${JSON.stringify(command)}`), ''].join('\n');
}

/** A config that notes all events. */
export const ALL = config('./note.sh', 'ask', 'fail', 'done', 'budget', 'limit');

/** A place with these files, whose hooks note all events. */
export async function placeWith(
  files: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string>> = {},
): Promise<Place> {
  const place = await Place.sharing({ '.raymond/config.toml': ALL, 'note.sh': NOTE, ...files }, env);
  await chmod(join(place.cwd, 'note.sh'), 0o755);
  return place;
}

/** An event as a hook gets it. */
export interface Told {
  readonly event: string;
  readonly runId: string;
}

/** The events that the hooks of a place have noted. */
export async function eventsOf(place: Place): Promise<readonly Told[]> {
  const lines = ((await place.read('events')) ?? '').split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as Told);
}

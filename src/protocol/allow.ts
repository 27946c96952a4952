// Whether a policy allows what an output asks for. Names are compared after they were resolved to files.
// Must not resolve them (resolve-change.ts).
import { comparedKeys, literalTag, stateKeys, type AllowedTransition } from './allowed-transition.js';
import type { Change } from './combine.js';
import type { Policy } from './policy.js';
import type { Problem } from './problem.js';
import type { Attributes, Tag, TagName } from './tag.js';
import { clip } from './text.js';

/** How many entries a problem shows. */
const SHOWN = 20;

/** Why a policy does not allow a change, or undefined. Of several forks each must be allowed, with the `next` that they share. */
export function disallowed({ allowed }: Policy, change: Change): Problem | undefined {
  if (allowed.length === 0) return undefined;
  const tags: readonly Tag[] =
    change.kind === 'one' ? [change.tag] : change.workers.map((fork) => ({ ...fork, next: change.next }));
  const stranger = tags.find((tag) => !allowed.some((entry) => matches(entry, tag)));
  if (stranger === undefined) return undefined;
  return {
    kind: 'not-allowed',
    tag: outline(stranger.kind, comparedValues(stranger)),
    allowed: allowed.slice(0, SHOWN).map(({ tag, attributes }) => outline(tag, attributes)),
    count: allowed.length,
  };
}

function matches({ tag, attributes }: AllowedTransition, emitted: Tag): boolean {
  if (tag !== emitted.kind) return false;
  const values = comparedValues(emitted);
  const names = stateKeys(tag);
  return comparedKeys(tag).every((key) => {
    const wanted = attributes[key];
    const given = values[key];
    if (wanted === undefined) return true;
    return given !== undefined && (names.includes(key) ? isFileOf(wanted, given) : wanted.trim() === given.trim());
  });
}

/** A name with a dot is a file name; any other is one of the files that it could be resolved to. */
function isFileOf(name: string, file: string): boolean {
  if (name.includes('.')) return name === file;
  return file.startsWith(name) && /^\.(md|sh|bat|ps1)$/.test(file.slice(name.length));
}

function comparedValues(tag: Tag): Attributes {
  const values: Readonly<Record<string, unknown>> = { ...tag };
  const texts = comparedKeys(tag.kind).flatMap((key) => {
    const value = values[key];
    return typeof value === 'string' ? [[key, value] as const] : [];
  });
  return Object.fromEntries(texts);
}

/** In short: a problem travels through Temporal. */
function outline(tag: TagName, attributes: Attributes): string {
  const compared = comparedKeys(tag).flatMap((key) => {
    const value = attributes[key];
    return value === undefined ? [] : [[key, clip(value.replace(/\s+/g, ' '), 60)] as const];
  });
  return literalTag({ tag, attributes: Object.fromEntries(compared) });
}

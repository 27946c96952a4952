// Documents of the store that are JSON: one that is none any more is named, with what to do about it.
import { messageOf } from '../protocol/text.js';
import { StoreDamaged, type ArtifactStore } from './store.js';

/** Which document, and what it must be. */
interface DocumentRequest<T> {
  readonly name: string;
  /** True for what was kept under such a name. */
  readonly accepts: (value: unknown) => value is T;
  /** What a person does about a damaged one. */
  readonly next: string;
}

/** The value of a document; undefined when there is none. Throws `StoreDamaged`. */
export async function readDocument<T>(
  store: ArtifactStore,
  { name, accepts, next }: DocumentRequest<T>,
): Promise<T | undefined> {
  const text = await store.read(name);
  if (text === undefined) return undefined;
  const damaged = (why: string): StoreDamaged => new StoreDamaged({ path: `${store.place}/${name}`, why, next });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw damaged(`it is no JSON (${messageOf(error)})`);
  }
  if (accepts(value)) return value;
  throw damaged('it is JSON, but not what was written');
}

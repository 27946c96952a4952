// JSON documents of the store; a damaged one is reported with its name, and what to do about it.
import { messageOf } from '../protocol/text.js';
import { StoreDamaged, type ArtifactStore } from './store.js';

/** The name of a document, and its type. */
interface DocumentRequest<T> {
  readonly name: string;
  /** True for a document that was stored under such a name. */
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
  const damaged = (why: string): StoreDamaged => new StoreDamaged({ path: `${store.location}/${name}`, why, next });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw damaged(`it is not JSON (${messageOf(error)})`);
  }
  if (accepts(value)) return value;
  throw damaged('it is JSON, but not the document that was stored');
}

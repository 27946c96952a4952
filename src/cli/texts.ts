// Values of a run as text on this host.
// Must not print.
import { ArtifactMissing, type ArtifactStore } from '../store/folder.js';
import { ClientError } from '../client/error.js';
import type { Value } from '../protocol/text.js';

/** A value's text. Throws `ResultElsewhere` when its artifact is not on this host. */
export async function textOf(value: Value, artifacts: ArtifactStore): Promise<string> {
  try {
    return await artifacts.text(value);
  } catch (error) {
    if (error instanceof ArtifactMissing)
      throw new ClientError('ResultElsewhere', `the result is large: ${error.message}`);
    throw error;
  }
}

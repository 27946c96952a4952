// Records the current host of a workspace: a host that was offline reads it before it starts a turn.
import { z } from 'zod';
import { fileNameOfRun } from '../protocol/ids.js';
import { readDocument } from '../store/document.js';
import type { ArtifactStore } from '../store/store.js';

/** The workspace. */
interface WorkspaceName {
  readonly runId: string;
  readonly owner: string;
}

/** The host of a workspace. */
interface Placement {
  readonly host: string;
  readonly queue: string;
  readonly generation: number;
}

const writtenSchema = z.object({ generation: z.number() });

function nameOf({ runId, owner }: WorkspaceName): string {
  return `places/${fileNameOfRun(runId)}/${owner}.json`;
}

/** Records it. */
export async function keepPlacement(
  artifacts: ArtifactStore,
  { placement, ...whose }: WorkspaceName & { readonly placement: Placement },
): Promise<void> {
  await artifacts.write(nameOf(whose), JSON.stringify(placement));
}

/** The latest generation of a workspace in the store; 0 = unknown. Throws `StoreDamaged`. */
export async function latestGeneration(artifacts: ArtifactStore, whose: WorkspaceName): Promise<number> {
  const written = await readDocument(artifacts, {
    name: nameOf(whose),
    accepts: (value): value is z.infer<typeof writtenSchema> => writtenSchema.safeParse(value).success,
    next: `restore it from a backup, then run: raymond resume ${whose.runId}`,
  });
  return written?.generation ?? 0;
}

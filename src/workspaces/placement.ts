// Where the latest place of a workspace is written down: a host that was away asks there before it begins a turn.
import { z } from 'zod';
import { fileNameOfRun } from '../protocol/ids.js';
import { readDocument } from '../store/document.js';
import type { ArtifactStore } from '../store/store.js';

/** Whose workspace. */
interface WorkspaceName {
  readonly runId: string;
  readonly owner: string;
}

/** Where a workspace is. */
interface Placement {
  readonly host: string;
  readonly queue: string;
  readonly generation: number;
}

const writtenSchema = z.object({ generation: z.number() });

function nameOf({ runId, owner }: WorkspaceName): string {
  return `places/${fileNameOfRun(runId)}/${owner}.json`;
}

/** Writes it down. */
export async function keepPlacement(
  artifacts: ArtifactStore,
  { placement, ...whose }: WorkspaceName & { readonly placement: Placement },
): Promise<void> {
  await artifacts.write(nameOf(whose), JSON.stringify(placement));
}

/** How often a workspace has been placed, as the store knows; 0 = it knows nothing. Throws `StoreDamaged`. */
export async function latestGeneration(artifacts: ArtifactStore, whose: WorkspaceName): Promise<number> {
  const written = await readDocument(artifacts, {
    name: nameOf(whose),
    accepts: (value): value is z.infer<typeof writtenSchema> => writtenSchema.safeParse(value).success,
    next: `put it back from a backup, then run: raymond resume ${whose.runId}`,
  });
  return written?.generation ?? 0;
}

// Gathers what forked agents ended with into the JSON text that `<await>` gives to the next state.
// Must not ask Temporal: the run brings what it still lists, the archive has the rest.
import type { Value } from '../protocol/value.js';
import type { ArtifactStore } from '../store/folder.js';
import type { ArchivedAgents, EndedFork, Gathering } from './types.js';

/** The results in the order of the forks: `[{"id","state","status","result"|"error"}, …]`. */
export async function gatherResults(artifacts: ArtifactStore, gathering: Gathering): Promise<Value> {
  const ended = await allOf(artifacts, gathering);
  const lines = await Promise.all(ended.map((fork) => lineOf(artifacts, fork)));
  return await artifacts.value(JSON.stringify(lines));
}

async function allOf(
  artifacts: ArtifactStore,
  { parent, after, last, ended, archive }: Gathering,
): Promise<readonly EndedFork[]> {
  const found = new Map(ended.map((fork) => [fork.number ?? 0, fork]));
  for (let piece = archive; piece !== undefined && found.size < last - after;) {
    const { agents, previous } = JSON.parse(await artifacts.text(piece)) as ArchivedAgents;
    for (const fork of agents) {
      const number = fork.number ?? 0;
      if (fork.parent === parent && number > after && number <= last) found.set(number, fork);
    }
    piece = previous;
  }
  return [...found.entries()].sort(([a], [b]) => a - b).map(([, fork]) => fork);
}

async function lineOf(
  artifacts: ArtifactStore,
  { id, state, status, result, error }: EndedFork,
): Promise<Readonly<Record<string, string>>> {
  return {
    id,
    state,
    status,
    ...(result === undefined ? {} : { result: await artifacts.text(result) }),
    ...(error === undefined ? {} : { error }),
  };
}

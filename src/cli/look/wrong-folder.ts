// A command in the wrong folder reads the wrong project: the error names that project, and how to list other engines.
import { ClientError } from '../../client/error.js';
import { clusterOf } from '../../client/open.js';
import { engineStatus } from '../../engine/record.js';
import { findProject } from '../../client/project/project.js';
import { runningServers } from '../../server/index.js';
import type { ConnectionFlags } from '../flags.js';
import type { Io } from '../io.js';

/** Runs `work`; when it finds no run in a local project, the error names that project. */
export async function namingProject<T>(
  io: Io,
  { flags, work }: { readonly flags: ConnectionFlags; readonly work: () => Promise<T> },
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ClientError) || error.code !== 'RunNotFound') throw error;
    const project = await findProject(io.cwd);
    if (clusterOf(project, { choice: flags, env: io.env }) !== undefined) throw error;
    const text = `project ${project.root}: ${error.message}${await otherEngines(project.root)}`;
    throw new ClientError('RunNotFound', text, { cause: error });
  }
}

/** The end of a sentence when engines of other projects run; else nothing. */
export async function otherEngines(root: string): Promise<string> {
  const projects = (await runningServers()).flatMap(({ project }) => project ?? []);
  const others = projects.filter((one) => one !== root && engineStatus(`${one}/.raymond`).kind !== 'stopped');
  return others.length === 0 ? '' : '; to list other projects, run: raymond ps';
}

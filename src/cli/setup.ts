// `raymond setup`: registers Raymond's search attributes on a cluster, once. Running it again changes nothing.
import { registerAttributes } from '../client/cluster.js';
import type { ConnectionFlags } from './flags.js';
import { findProject } from '../project.js';
import { clusterOf, openContext } from './context.js';
import type { Io } from './io.js';

/** Registers what is missing; gives the exit code. */
export async function setup(io: Io, flags: ConnectionFlags): Promise<number> {
  if (clusterOf(await findProject(io.cwd), { flags, env: io.env }) === undefined) {
    io.say('the embedded server has its search attributes from birth; name a cluster with --address HOST:PORT');
    return 0;
  }
  const { link } = await openContext(io, flags);
  const added = await registerAttributes(link);
  await io.print(added.length === 0 ? 'all search attributes are registered' : `registered ${added.join(', ')}`);
  return 0;
}

// `raymond fleet setup`: registers Raymond's search attributes on a cluster, once. Running it again changes nothing.
import { registerAttributes } from '../../client/fleet/cluster.js';
import { clusterOf } from '../../client/open.js';
import type { ConnectionFlags } from '../flags.js';
import { findProject } from '../../client/project/project.js';
import { contextToServe } from '../context.js';
import type { Io } from '../io.js';
import { printDocument } from '../view/json.js';

/** Flags of `setup`. */
export interface SetupFlags extends ConnectionFlags {
  readonly json?: boolean;
}

/** Registers what is missing; returns the exit code. */
export async function setup(io: Io, flags: SetupFlags): Promise<number> {
  if (clusterOf(await findProject(io.cwd), { choice: flags, env: io.env }) === undefined) {
    io.say('the embedded server already has its search attributes; name a cluster with --address HOST:PORT');
    if (flags.json === true) await printDocument(io, 'setup', { registered: [] });
    return 0;
  }
  const { link } = await contextToServe(await findProject(io.cwd), { io, flags });
  const added = await registerAttributes(link);
  if (flags.json === true) await printDocument(io, 'setup', { registered: added });
  else await io.print(added.length === 0 ? 'all search attributes are registered' : `registered ${added.join(', ')}`);
  return 0;
}

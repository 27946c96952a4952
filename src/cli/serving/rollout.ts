// `raymond fleet rollout`: makes a worker version current.
import { clusterOf } from '../../client/open.js';
import { rollOut } from '../../client/fleet/rollout.js';
import { ClientError } from '../../client/error.js';
import { findProject } from '../../client/project/project.js';
import { defined } from '../../protocol/text.js';
import { openForQuestion } from '../context.js';
import { EXIT } from '../exit.js';
import type { ConnectionFlags } from '../flags.js';
import type { Io } from '../io.js';
import { printDocument } from '../view/json.js';

/** Flags of `rollout`; the duration in milliseconds. */
export interface RolloutFlags extends ConnectionFlags {
  readonly deployment: string;
  readonly buildId: string;
  readonly timeout?: number;
  readonly json?: boolean;
}

/** Waits for a worker of the version and makes it current; returns the exit code. */
export async function rollout(io: Io, flags: RolloutFlags): Promise<number> {
  const { deployment, buildId, timeout: patienceMs, json } = flags;
  if (clusterOf(await findProject(io.cwd), { choice: flags, env: io.env }) === undefined)
    throw new ClientError('InvalidUsage', 'only a cluster has worker versions: give --address HOST:PORT');
  const context = await openForQuestion(io, { flags });
  const { before } = await rollOut(context, { deployment, buildId, ...defined({ patienceMs }) });
  if (json === true) await printDocument(io, 'rollout', { deployment, buildId, ...defined({ before }) });
  else
    await io.show(
      `${deployment}: the current version is ${buildId}${before === undefined ? '' : ` (before: ${before})`}`,
    );
  return EXIT.completed;
}

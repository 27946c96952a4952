// `raymond fleet hosts`: the hosts of a fleet, with their workers, current turns, and the agents whose files they have.
import { hostDocument } from '../../client/documents/fleet-documents.js';
import { ClientError } from '../../client/error.js';
import { listHosts, type HostView } from '../../client/fleet/hosts.js';
import { clusterOf } from '../../client/open.js';
import { findProject } from '../../client/project/project.js';
import { openForQuestion } from '../context.js';
import { EXIT } from '../exit.js';
import type { ConnectionFlags } from '../flags.js';
import type { Io } from '../io.js';
import { columns } from '../view/columns.js';
import { duration } from '../view/format.js';
import { printDocument } from '../view/json.js';

/** Flags of `hosts`. */
export interface HostsFlags extends ConnectionFlags {
  readonly json?: boolean;
}

/** Lists them, by name; returns the exit code. */
export async function hosts(io: Io, flags: HostsFlags): Promise<number> {
  if (clusterOf(await findProject(io.cwd), { choice: flags, env: io.env }) === undefined)
    throw new ClientError('InvalidUsage', 'only a cluster has hosts: give --address HOST:PORT');
  const context = await openForQuestion(io, { flags });
  const views = await listHosts(context);
  if (flags.json === true) await printDocument(io, 'hosts', views.map(hostDocument));
  else if (views.length > 0) await io.show(table(views));
  else {
    const { mode, link } = context;
    const queue = mode.kind === 'cluster' ? ` --task-queue ${mode.taskQueue}` : '';
    io.say(`no worker polls the queue; start one with: raymond fleet worker --address ${link.address}${queue}`);
  }
  return EXIT.completed;
}

const HEADER = ['HOST', 'STATUS', 'WORKERS', 'VERSION', 'SANDBOXES', 'LAST POLL', 'AGENTS PLACED', 'TURNS'];

function table(views: readonly HostView[]): string {
  return columns([HEADER, ...views.map(rowOf)]);
}

/** How many turns of a host are named. */
const NAMED = 3;

function rowOf({ host, alive, workers, turns, placed }: HostView): readonly string[] {
  const last = Math.max(...workers.map(({ lastPoll }) => lastPoll.getTime()));
  const versions = new Set(workers.flatMap(({ buildId }) => buildId ?? []));
  const named = turns.slice(0, NAMED).map(({ runId, agentId, state, phase }) => {
    const waits = phase === 'queued' ? ' (queued)' : '';
    return `${runId}/${agentId} ${state}${waits}`;
  });
  const more = turns.length > NAMED ? [`and ${turns.length - NAMED} more`] : [];
  return [
    host,
    alive ? 'alive' : 'gone',
    workers.map(({ pid }) => pid ?? '?').join(' '),
    [...versions].join(' '),
    [...new Set(workers.flatMap(({ sandboxes }) => sandboxes ?? []))].join(' '),
    workers.length === 0 ? '' : `${duration(Date.now() - last)} ago`,
    `${placed.length}`,
    [...named, ...more].join(', '),
  ];
}

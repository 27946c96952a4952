// `raymond server start|stop|status`: the embedded Temporal server of this project.
import { ClientError } from '../client/error.js';
import { servedRuns } from '../local.js';
import { findProject, makeRaymondDir } from '../project.js';
import { assertNever } from '../protocol/failure.js';
import { ensureServer, serverStatus, stopServer } from '../server/index.js';
import { temporalCliOf } from './context.js';
import type { Io } from './io.js';

/** What to do with the server. */
type ServerAction = 'start' | 'stop' | 'status';

/** Does it; gives the exit code. With `force` it is also stopped under the runs that are being served. */
export async function server(
  { cwd, show, say }: Io,
  { action, force = false }: { readonly action: ServerAction; readonly force?: boolean },
): Promise<number> {
  const project = await findProject(cwd);
  const { raymondDir } = project;
  switch (action) {
    case 'start': {
      await makeRaymondDir(raymondDir);
      const info = await ensureServer({ raymondDir, report: say, ...temporalCliOf(project) });
      await show(
        `${info.started ? 'started' : 'already running'}: ${info.address} (pid ${info.pid}), Web UI ${info.uiUrl}`,
      );
      return 0;
    }
    case 'stop': {
      if (!force) await refuseWhileServing(raymondDir);
      const outcome = await stopServer({ raymondDir });
      await show(outcome.kind === 'stopped' ? `stopped (pid ${outcome.server.pid})` : 'not running');
      return 0;
    }
    case 'status':
      return await showStatus(raymondDir, show);
    default:
      return assertNever(action);
  }
}

/** Runs that are under way would lose their server. */
async function refuseWhileServing(raymondDir: string): Promise<void> {
  const { kind } = await serverStatus({ raymondDir });
  const served = kind === 'stopped' || kind === 'gone' ? [] : await servedRuns(raymondDir);
  if (served.length === 0) return;
  const names = served.map(({ runId, pid }) => `${runId} (process ${pid})`).join(', ');
  const next = 'wait until they end, end them by "raymond cancel RUN", or stop it all the same by --force';
  throw new ClientError('RunServed', `runs are being served: ${names}; ${next}`);
}

async function showStatus(raymondDir: string, show: Io['show']): Promise<number> {
  const status = await serverStatus({ raymondDir });
  if (status.kind !== 'running') {
    await show('not running; it starts by itself, or by: raymond server start');
    return 1;
  }
  const { address, uiUrl, pid, database, logFile, serverVersion } = status.server;
  await show(
    `running: ${address} (pid ${pid}, server ${serverVersion}), Web UI ${uiUrl}\ndatabase ${database}\nlog ${logFile}`,
  );
  return 0;
}

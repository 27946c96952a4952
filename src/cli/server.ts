// `raymond server start|stop|status`: the embedded Temporal server of this project.
import { findProject } from '../project.js';
import { assertNever } from '../protocol/failure.js';
import { ensureServer, serverStatus, stopServer } from '../server/index.js';
import type { Io } from './io.js';

/** What to do with the server. */
type ServerAction = 'start' | 'stop' | 'status';

/** Does it; gives the exit code. */
export async function server({ cwd, print, say }: Io, action: ServerAction): Promise<number> {
  const { raymondDir, config } = await findProject(cwd);
  switch (action) {
    case 'start': {
      const cli = config.temporal_cli === undefined ? {} : { cli: config.temporal_cli };
      const info = await ensureServer({ raymondDir, report: say, ...cli });
      await print(
        `${info.started ? 'started' : 'already running'}: ${info.address} (pid ${info.pid}), Web UI ${info.uiUrl}`,
      );
      return 0;
    }
    case 'stop': {
      const outcome = await stopServer({ raymondDir });
      await print(outcome.kind === 'stopped' ? `stopped (pid ${outcome.server.pid})` : 'not running');
      return 0;
    }
    case 'status':
      return await printStatus(raymondDir, print);
    default:
      return assertNever(action);
  }
}

async function printStatus(raymondDir: string, print: Io['print']): Promise<number> {
  const status = await serverStatus({ raymondDir });
  if (status.kind !== 'running') {
    await print('not running; it starts by itself, or by: raymond server start');
    return 1;
  }
  const { address, uiUrl, pid, database, logFile, serverVersion } = status.server;
  await print(
    `running: ${address} (pid ${pid}, server ${serverVersion}), Web UI ${uiUrl}\ndatabase ${database}\nlog ${logFile}`,
  );
  return 0;
}

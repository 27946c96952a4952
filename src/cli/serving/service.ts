// `raymond service install|remove|status`: the engine of this project as a service of its user.
import { ClientError } from '../../client/error.js';
import { DRAIN_SECONDS, stopEngine } from '../../engine/ensure.js';
import { engineStatus } from '../../engine/record.js';
import { Service, type ServiceStatus } from '../../engine/service/service.js';
import { makeRaymondDir, type Project } from '../../client/project/project.js';
import { assertNever } from '../../protocol/failure.js';
import { localProject } from '../context.js';
import { EXIT } from '../exit.js';
import type { Io } from '../io.js';
import { printDocument } from '../view/json.js';
import { engineFacts } from './engine.js';

/** What to do with the service. */
interface ServiceRequest {
  readonly action: 'install' | 'remove' | 'status';
  readonly json?: boolean;
}

/** Runs it; returns the exit code. */
export async function service(io: Io, { action, json = false }: ServiceRequest): Promise<number> {
  const project = await localProject(io);
  const { root, raymondDir } = project;
  const known = Service.of({ root, raymondDir, env: io.env });
  if (known === undefined)
    throw new ClientError('InvalidUsage', 'a service needs systemd or launchd; start the engine with: raymond up');
  switch (action) {
    case 'install':
      return await install(io, { project, known });
    case 'remove':
      await io.show((await known.remove()) ? `removed: ${known.name}` : 'not installed');
      return EXIT.completed;
    case 'status':
      return await showStatus(io, { known, raymondDir, json });
    default:
      return assertNever(action);
  }
}

async function install(
  io: Io,
  { project: { raymondDir, config }, known }: { readonly project: Project; readonly known: Service },
): Promise<number> {
  refuseOtherKinds(raymondDir);
  const drainSeconds = config.drain ?? DRAIN_SECONDS;
  // Called only when a service manager exists: else nothing is written.
  const release = async (): Promise<void> => {
    await makeRaymondDir(raymondDir);
    if (engineStatus(raymondDir).kind === 'stopped') return;
    io.say('the service replaces the running engine after its current turns');
    await stopEngine({ raymondDir, drainSeconds, isReplaced: true });
  };
  await known.install({ drainSeconds, release });
  await io.show(`installed: ${known.name} (${known.file})`);
  io.say('it starts at login; show it with: raymond service status');
  return EXIT.completed;
}

/** A process in a terminal ends only when its user stops it. */
function refuseOtherKinds(raymondDir: string): void {
  const status = engineStatus(raymondDir);
  if (status.kind !== 'running' || status.engine.kind === 'background') return;
  const what = `process ${status.engine.pid} (${status.engine.kind}) is the engine of this project`;
  throw new ClientError('RunServed', `${what}; stop it first: raymond down`);
}

interface Shown {
  readonly known: Service;
  readonly raymondDir: string;
  readonly json: boolean;
}

async function showStatus(io: Io, { known, raymondDir, json }: Shown): Promise<number> {
  const { name, file } = known;
  const status = await known.status();
  const engine = engineFacts(engineStatus(raymondDir));
  if (json) await printDocument(io, 'service status', { ...status, name, file, engine });
  else if (!status.installed) await io.show('not installed; install it with: raymond service install');
  else {
    const pid = engine.pid === undefined ? '' : ` (process ${engine.pid})`;
    await io.show(`installed: ${name}, ${stateText(status)}\nengine ${engine.status}${pid}\nfile ${file}`);
  }
  return status.installed ? EXIT.completed : EXIT.failed;
}

function stateText({ state = 'unknown to its manager', outdated }: ServiceStatus): string {
  return outdated ? `${state}; the file is from another installation, replace it with: raymond service install` : state;
}

// The environment of a prompt's process: what a model may see of the worker's environment, the
// variables of the package, and those that identify the turn.
import { makePrivateFolder } from '../../host/files.js';
import { join } from 'node:path';
import type { BackendName } from '../../protocol/language/policy.js';
import { turnVariables } from '../../protocol/language/variables.js';
import type { Attempt } from '../attempt/attempt.js';
import { promptEnvironment, type Environment } from './environment.js';

/**
 * The path of the state's file, the task folder, whether `@path` in the prompt means a file, and
 * the backend.
 */
interface EnvironmentOptions {
  readonly path: string;
  readonly folder: string;
  readonly mentions: 'on' | 'off';
  readonly backendName: BackendName;
  /** The variables that the sandbox passes, instead of `env_pass`. */
  readonly envPass?: readonly string[];
}

/** pi's own settings; it does not check for updates. */
const PI = { names: ['PI_*'], added: { PI_SKIP_VERSION_CHECK: '1' } };

/** Builds the environment of a prompt's process. */
export async function environmentOf(
  attempt: Attempt,
  { path, folder, mentions, backendName, envPass: inside }: EnvironmentOptions,
): Promise<Environment> {
  const { request, worker } = attempt;
  const { raymond } = turnVariables({ ...attempt.names({ stateFile: path, taskFolder: folder }), attributes: {} });
  const { envPass, claudeProfile } = worker.settings;
  const { environment: added = {} } = request.settings;
  const isolated = claudeProfile === 'isolated' ? { isolatedIn: await isolatedHome(attempt) } : {};
  const own = { ...raymond, ...attempt.watched };
  const { names, added: quiet } = backendName === 'pi' ? PI : { names: [], added: {} };
  const given = {
    inherited: worker.environment,
    added: { ...quiet, ...added },
    raymond: own,
    envPass: [...(inside ?? envPass), ...names],
  };
  return promptEnvironment({ ...given, mentions, ...isolated }).env;
}

/** Removed after the turn: only the conversation reaches the next one. */
async function isolatedHome(attempt: Attempt): Promise<string> {
  const home = join(await attempt.temporaryFolder(), 'home');
  await makePrivateFolder(home);
  return home;
}

// The environment of a prompt's process: what the worker inherits as far as it is allowed to reach a model, what the package adds, and what says
// which turn it is.
import { makePrivateFolder } from '../../host/files.js';
import { join } from 'node:path';
import type { BackendName } from '../../protocol/language/policy.js';
import { turnVariables } from '../../protocol/language/variables.js';
import type { Attempt } from '../attempt/attempt.js';
import { promptEnvironment, type Environment } from './environment.js';

/** The place of the state's file, the task folder, whether `@path` in the prompt means a file, and who answers. */
interface EnvironmentOptions {
  readonly path: string;
  readonly folder: string;
  readonly mentions: 'on' | 'off';
  readonly backendName: BackendName;
}

/** pi's own settings, and no question whether there is a newer one. */
const PI = { names: ['PI_*'], added: { PI_SKIP_VERSION_CHECK: '1' } };

/** Makes it. */
export async function environmentOf(
  attempt: Attempt,
  { path, folder, mentions, backendName }: EnvironmentOptions,
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
    envPass: [...envPass, ...names],
  };
  return promptEnvironment({ ...given, mentions, ...isolated }).env;
}

/** Gone with the turn: nothing but the conversation reaches the next one. */
async function isolatedHome(attempt: Attempt): Promise<string> {
  const home = join(await attempt.temporaryFolder(), 'home');
  await makePrivateFolder(home);
  return home;
}

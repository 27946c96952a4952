// What `--verbose` tells about the environment: the variables that prompts do not get, and the line of the config that gives them.
// Must not show a value.
import { promptEnvironment } from '../activities/environment.js';
import type { WorkbenchSettings } from '../activities/workbench.js';

/** The line for people, or undefined when nothing is withheld. */
export function withheldLine(
  environment: NodeJS.ProcessEnv,
  { envPass, claudeProfile }: Pick<WorkbenchSettings, 'envPass' | 'claudeProfile'>,
): string | undefined {
  const inherited = Object.fromEntries(Object.entries(environment).map(([name, value = '']) => [name, value]));
  const isolated = claudeProfile === 'isolated' ? { isolatedIn: '' } : {};
  const { withheld } = promptEnvironment({ inherited, raymond: {}, envPass, ...isolated });
  if (withheld.length === 0) return undefined;
  const line = `env_pass = ${JSON.stringify([...envPass, ...withheld])}`;
  return `withheld from prompts: ${withheld.join(', ')}; what they need name in the config: ${line}`;
}

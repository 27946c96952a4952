// The accounts of Claude that a run names, looked up in the config before anything is started. Where the config knows of no accounts, those of
// the workers are meant, and a worker that lacks one says so.
import type { Project } from '../../project.js';
import { ClientError } from '../error.js';
import type { OpenPackage } from './package.js';

type Config = Project['config'];

/** Those of a flag, or of a program's options. Throws `InvalidUsage`. */
export function checkedAccounts(named: readonly string[] | undefined, config: Config): readonly string[] | undefined {
  const strange = named?.find((name) => isUnknown(name, config));
  if (strange === undefined) return named;
  throw new ClientError('InvalidUsage', `there is no account "${strange}"; the config has ${namesIn(config)}`);
}

/** Those that prompts name which the workflow can reach. Throws `InvalidWorkflow`. */
export function checkAccounts({ accounts }: OpenPackage, config: Config): void {
  const strange = accounts.filter(({ name }) => isUnknown(name, config));
  if (strange.length === 0) return;
  const lines = strange.map(({ name, place }) => `${place}: there is no account "${name}"`);
  const todo = `the config has ${namesIn(config)}: name one of them, or add it to accounts`;
  throw new ClientError('InvalidWorkflow', [...lines, todo].join('\n'));
}

function isUnknown(name: string, { accounts }: Config): boolean {
  return accounts !== undefined && !accounts.some((known) => known.name === name);
}

function namesIn({ accounts = [] }: Config): string {
  return accounts.map(({ name }) => name).join(', ');
}

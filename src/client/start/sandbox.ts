// The sandbox of a run: what flags, config and manifest ask for, and whether this host supports it.
import type { Project } from '../project/project.js';
import { mergeSandbox, parseSandbox, SANDBOX_FORM, strictest, type RunSandbox } from '../../protocol/sandbox.js';
import { defined } from '../../protocol/text.js';
import { missingFor, type Environment } from '../../sandbox/index.js';
import { ClientError } from '../error.js';
import type { RunOptions } from './options.js';
import type { OpenPackage } from './package.js';

export { sandboxesOf } from '../../sandbox/index.js';

type Config = Project['config'];

/** Refuses a run whose sandbox this host does not support. Throws `InvalidUsage`. */
export async function requireSandbox(
  { backends, sandboxes }: OpenPackage,
  {
    sandbox,
    config,
    env,
  }: { readonly sandbox: RunSandbox | undefined; readonly config: Config; readonly env: Environment },
): Promise<void> {
  const ofRun = { run: sandbox?.owner, package: sandbox?.package, profiles: config.sandbox_profiles };
  const asked = [
    { who: 'the run needs', policy: mergeSandbox(ofRun).policy, usesPi: backends.includes('pi') },
    ...sandboxes.map(({ request, position, usesPi }) => ({
      who: `${position}: the state needs`,
      policy: mergeSandbox({ ...ofRun, state: request }).policy,
      usesPi,
    })),
  ];
  for (const { who, policy, usesPi } of asked) {
    if (policy === undefined) continue;
    const why = (await missingFor(policy, env)) ?? (usesPi ? PI : undefined);
    if (why !== undefined)
      throw new ClientError('InvalidUsage', `${who} the sandbox "${policy.kind}": ${why.what}; ${why.todo}`);
  }
}

const PI = { what: 'pi cannot be kept in a sandbox', todo: 'use the backend claude for its prompts' };

/** What flags, config and manifest ask for. Throws `InvalidUsage`. */
export function sandboxOf(
  { manifest }: OpenPackage,
  { options, config }: { readonly options: RunOptions; readonly config: Config },
): RunSandbox | undefined {
  const asked = options.sandbox === undefined ? undefined : parseSandbox(options.sandbox);
  if (options.sandbox !== undefined && asked === undefined)
    throw new ClientError('InvalidUsage', `there is no sandbox "${options.sandbox}"; give ${SANDBOX_FORM}`);
  const kind = strictest([asked?.kind, config.sandbox?.kind]);
  const owner = asked === undefined && config.sandbox === undefined ? undefined : { ...config.sandbox, ...asked, kind };
  const sandbox = defined({ owner, package: manifest?.sandbox });
  return Object.keys(sandbox).length === 0 ? undefined : sandbox;
}

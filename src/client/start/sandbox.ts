// The sandbox of a run: what flags, config and manifest ask for, and whether this host can make it.
import type { Project } from '../../project.js';
import { mergeSandbox, parseSandbox, SANDBOX_FORM, strictest, type RunSandbox } from '../../protocol/sandbox.js';
import { defined } from '../../protocol/text.js';
import { missingFor } from '../../sandbox/index.js';
import { ClientError } from '../error.js';
import type { RunOptions } from './begin.js';
import type { OpenPackage } from './package.js';

type Config = Project['config'];

/** Refuses a run whose turns this host cannot keep in their sandbox. Throws `InvalidUsage`. */
export async function requireSandbox(
  { backends }: OpenPackage,
  {
    sandbox,
    config,
    path,
  }: { readonly sandbox: RunSandbox; readonly config: Config; readonly path: string | undefined },
): Promise<void> {
  const asked = { run: sandbox.owner, package: sandbox.package, profiles: config.sandbox_profiles };
  const { policy } = mergeSandbox(asked);
  if (policy === undefined) return;
  const missing = await missingFor(policy, path);
  const pi = { what: 'pi cannot be kept in a sandbox', todo: 'use the backend claude for its prompts' };
  const why = missing ?? (backends.includes('pi') ? pi : undefined);
  if (why === undefined) return;
  throw new ClientError('InvalidUsage', `the run needs the sandbox "${policy.kind}": ${why.what}; ${why.todo}`);
}

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

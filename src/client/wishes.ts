// What the manifest of a package asks of its start: an input, a directory, an environment. Checked before anything is spent.
// Must not read process.env or flags; callers bring both. The manifest of another workflow that a run enters is not asked.
import { resolve } from 'node:path';
import { originOf } from '../protocol/scope.js';
import { filledEnvironment, workingDirectoryOf } from '../packages/manifest.js';
import { isDirectory } from '../packages/state.js';
import { ClientError } from './error.js';
import type { OpenPackage } from './package.js';

/** A package's environment goes through Temporal's history whole, which has no room for more. */
const MAX_ENVIRONMENT_BYTES = 32 * 1024;

type Wishing = Pick<OpenPackage, 'name' | 'scope' | 'manifest'>;

/** Throws `InvalidUsage` when the package needs an input and there is none, or takes none and there is one. */
export function checkInput({ name, manifest }: Wishing, input: string | undefined): void {
  const { mode = 'optional', label, description } = manifest?.input ?? {};
  const given = input !== undefined && input.trim() !== '';
  if (mode === 'required' && !given) {
    const what = [label, description].filter((text) => text !== undefined && text.trim() !== '').join(': ');
    throw new ClientError('InvalidUsage', `${name} needs an input${what && ` (${what})`}; give it with --input TEXT`);
  }
  if (mode === 'none' && given) throw new ClientError('InvalidUsage', `${name} takes no input; leave --input out`);
}

/** Throws `InvalidUsage` when a person may be asked, for a run that is to reject questions. */
export function checkNoAsks({ name, scope, manifest, asks }: Wishing & Pick<OpenPackage, 'asks'>): void {
  const { requiresHumanInput: needed = 'auto' } = manifest ?? {};
  const next = 'start it with --on-ask=wait or --on-ask=exit';
  if (needed === 'true') {
    const why = `${name} needs answers of a person (requires_human_input in the manifest of ${originOf(scope)})`;
    throw new ClientError('InvalidUsage', `${why}, and --on-ask=reject allows none; ${next}`);
  }
  if (needed === 'false' || asks.length === 0) return;
  const lines = asks.map((place) => `${place}: this state may ask a person, and --on-ask=reject allows no questions`);
  const last = `${next}, or take ask out of allowed_transitions; requires_human_input: false in the manifest starts it all the same`;
  throw new ClientError('InvalidUsage', [...lines, last].join('\n'));
}

/** Where the run begins: the directory that was chosen, else the one of the manifest, else `here`. `local`: it must exist on this host. */
export async function startDirectory(
  { scope, manifest }: Wishing,
  { here, chosen, local }: { readonly here: string; readonly chosen?: string | undefined; readonly local: boolean },
): Promise<string> {
  const wished = manifest === undefined ? undefined : workingDirectoryOf(manifest, { scope, home: here });
  const path = chosen === undefined ? (wished ?? here) : resolve(here, chosen);
  if (!local || (await isDirectory(path))) return path;
  throw chosen === undefined
    ? new ClientError(
        'InvalidWorkflow',
        `the manifest of ${originOf(scope)} names the working_directory ${path}, which is no directory here; create it, or give --cwd`,
      )
    : new ClientError('InvalidUsage', `--cwd: there is no directory ${path}; create it, or name another one`);
}

/** The environment that the manifest gives to the processes of the run, filled in from `variables`. */
export function runEnvironment(
  { scope, manifest }: Wishing,
  variables: Readonly<Record<string, string | undefined>>,
): { readonly environment?: Readonly<Record<string, string>>; readonly warnings: readonly string[] } {
  if (manifest === undefined || Object.keys(manifest.environment).length === 0) return { warnings: [] };
  const { environment, warnings } = filledEnvironment(manifest, variables);
  const fault = faultOf(environment);
  if (fault !== undefined)
    throw new ClientError('InvalidWorkflow', `the manifest of ${originOf(scope)}: environment: ${fault}`);
  return { environment, warnings: warnings.map((text) => `${originOf(scope)}: ${text}`) };
}

function faultOf(environment: Readonly<Record<string, string>>): string | undefined {
  const unusable = Object.keys(environment).find((name) => environment[name]?.includes('\0'));
  if (unusable !== undefined) return `${unusable} holds a NUL character, which no variable can; remove it`;
  if (Buffer.byteLength(JSON.stringify(environment)) <= MAX_ENVIRONMENT_BYTES) return undefined;
  return `more than ${MAX_ENVIRONMENT_BYTES / 1024} KiB; put large values into a file of the package`;
}

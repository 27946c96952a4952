// The sandbox of a turn: combines what the config of this worker, the run, the package and the state ask for, and starts the process in it.
// Without a sandbox nothing here touches the disk.
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { realpath } from 'node:fs/promises';
import { ask } from '../../host/ask.js';
import { findOnPath } from '../../host/files.js';
import type { Backend } from '../../backends/backend.js';
import type { ProcessSpec } from '../../launcher/client.js';
import { givesVariable, mergeSandbox, type SandboxPolicy, type SandboxRequest } from '../../protocol/sandbox.js';
import { defined } from '../../protocol/text.js';
import {
  contain,
  SandboxRefused,
  SHARES_SOCKETS,
  SOCKET,
  startRelay,
  type BindMount,
  type Exceeded,
  type Look,
  type ModelAccess,
  type Places,
} from '../../sandbox/index.js';
import type { Attempt } from '../attempt/attempt.js';
import type { Environment } from '../environment/environment.js';
import { turnFailure } from '../failure.js';
import type { Ending } from './ending.js';

/** The policy of the turn; absent = no sandbox. `warnings` name what was asked for and is not allowed. */
interface TurnSandbox {
  readonly policy?: SandboxPolicy;
  readonly warnings: readonly string[];
}

/** What the turn of a state is kept in. */
export function sandboxOf(
  { worker: { settings }, request }: Pick<Attempt, 'worker' | 'request'>,
  state: SandboxRequest | undefined,
): TurnSandbox {
  const { owner, package: manifest } = request.settings.sandbox ?? {};
  const { sandbox: worker, sandboxProfiles: profiles } = settings;
  const { policy, refused } = mergeSandbox({ worker, run: owner, package: manifest, state, profiles });
  return { ...defined({ policy }), warnings: refused };
}

/** Sockets and key agents of the user; a turn gets them only if its policy names them. */
const SOCKETS =
  /^(?:SSH_AUTH_SOCK|SSH_AGENT_PID|GPG_TTY|GNUPGHOME|DBUS_SESSION_BUS_ADDRESS|XDG_RUNTIME_DIR|DISPLAY|WAYLAND_DISPLAY|DOCKER_HOST|DOCKER_CONTEXT|KUBECONFIG|\w*_PROXY|TMPDIR|TEMP|TMP)$/i;

/** What of the worker's own variables has a meaning in a container; the rest names programs and folders of the host. */
const PORTABLE =
  /^(?:HOME|USER|LOGNAME|LANG|LANGUAGE|LC_\w+|TERM|COLORTERM|NO_COLOR|FORCE_COLOR|TZ|CI|GIT_(?:AUTHOR|COMMITTER)_\w+|ANTHROPIC_\w+|CLAUDE_\w+|DISABLE_\w+|IS_SANDBOX|(?:BASH|MAX|MCP|API)_\w+)$/i;

/** The environment of a process inside, without the variables that lead out of the sandbox. */
export function environmentInside(
  env: Environment,
  { policy, inherited }: { readonly policy: SandboxPolicy; readonly inherited: Environment },
): Environment {
  const isForeign = (name: string): boolean =>
    policy.kind === 'container' &&
    env[name] === inherited[name] &&
    !PORTABLE.test(name) &&
    !givesVariable(policy, name);
  const entries = Object.entries(env).filter(
    ([name]) => (!SOCKETS.test(name) || policy.env.includes(name)) && !isForeign(name),
  );
  return { ...Object.fromEntries(entries), TMPDIR: '/tmp' };
}

/** What a sandbox needs besides the process: the state's file and the folders of the turn. */
interface KeptTurn {
  readonly policy: SandboxPolicy;
  readonly stateFile: string;
  readonly taskFolder: string;
  readonly temporary?: string;
  /** Files that are at another path inside. */
  readonly moved?: readonly BindMount[];
}

/** The process inside, how its limits are kept, and its clean-up, which returns what was denied. */
interface KeptProcess {
  readonly spec: ProcessSpec;
  readonly look?: Look;
  readonly exceeded?: () => Promise<Exceeded | undefined>;
  readonly close: () => Promise<readonly string[]>;
}

/** Puts the process of a turn into its sandbox. Throws `NeedsPerson` when this host has none: nothing has started. */
export async function kept(attempt: Attempt, given: ProcessSpec, turn: KeptTurn): Promise<KeptProcess> {
  const { environment } = attempt.worker;
  const { policy } = turn;
  const isContainer = policy.kind === 'container';
  const { stdin, ...spec } = given;
  // A container has programs of its own.
  const program = isContainer ? basename(spec.command) : await programOf(spec);
  const folder = isContainer || policy.network.length > 0 ? await attempt.temporaryFolder() : undefined;
  const places = placesOf(attempt, spec, { ...turn, ...defined(isContainer ? { folder } : { program }) });
  const env = { ...(await gitIdentity(environment)), ...spec.env };
  try {
    const { record, close, look, exceeded, ...inside } = await contain({
      ...{ policy, places, environment, env, attempt: attempt.attemptId },
      inner: { command: program, args: spec.args, cwd: spec.cwd },
      ...defined({ folder, stdin }),
    });
    attempt.sandbox = record;
    const contained = isContainer ? {} : { contained: true as const };
    return { spec: { ...spec, ...inside, ...contained }, close, ...defined({ look, exceeded }) };
  } catch (error) {
    if (!(error instanceof SandboxRefused)) throw error;
    throw cannotKeep(attempt, policy, error.message);
  }
}

async function programOf({ command, env, cwd }: ProcessSpec): Promise<string> {
  const found = findOnPath(command, { ...defined({ path: env['PATH'] }), cwd }) ?? command;
  return await realpath(found).catch(() => found);
}

function placesOf(
  { worker: { environment, settings } }: Attempt,
  { cwd, env }: ProcessSpec,
  {
    program,
    folder,
    stateFile,
    taskFolder,
    temporary = folder,
    moved,
  }: Omit<KeptTurn, 'policy'> & { readonly program?: string; readonly folder?: string },
): Places {
  const home = environment['HOME'] ?? homedir();
  const own =
    program === undefined
      ? { path: '' }
      : { path: `${env['PATH'] ?? ''}:${dirname(program)}`, reads: programFiles(program, home) };
  const { raymondDir } = settings;
  return { home, cwd, raymondDir, taskFolder, stateFile, ...own, ...defined({ temporary, moved }) };
}

const identities = new Map<string, Promise<Environment>>();

/** The author of commits, from the settings of the user, whose other settings may hold credentials. Read once. */
async function gitIdentity(environment: Environment): Promise<Environment> {
  const key = environment['HOME'] ?? '';
  const known = identities.get(key) ?? readIdentity(environment);
  identities.set(key, known);
  return await known;
}

async function readIdentity(env: Environment): Promise<Environment> {
  const words = ['config', '--global', '--get-regexp', '^user\\.(name|email)$'];
  // Without git or settings there is nothing to pass.
  const { stdout } = await ask('git', words, { env, timeoutMs: IDENTITY_MS });
  const found = [...stdout.matchAll(/^(\S+) (.+)$/gm)];
  const pairs = found.flatMap(([, key = '', value = ''], index): readonly (readonly [string, string])[] => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  return found.length === 0 ? {} : { GIT_CONFIG_COUNT: String(found.length), ...Object.fromEntries(pairs) };
}

const IDENTITY_MS = 20_000;

/** What bubblewrap, a runtime or the supervisor of a container prints before anything of a turn has run. */
const NOT_MADE = {
  process: /^bwrap: /,
  container: /^(?:docker|raymond): |^Error: /m,
} as const;
const CONTAINER_FAILED = [125, 126, 127];

/** Why the sandbox of a turn could not be made; undefined when it was, or there is none. */
export function whyNotMade({ sandbox }: Attempt, ending: Ending, stderr: string): string | undefined {
  if (sandbox === undefined || ending.kind !== 'exited' || ending.end.kind !== 'exited') return undefined;
  const isOwn = sandbox.kind === 'process' || CONTAINER_FAILED.includes(ending.end.code);
  if (ending.end.code === 0 || !isOwn || !NOT_MADE[sandbox.kind].test(stderr)) return undefined;
  return `the sandbox could not be made; run: raymond doctor\n${stderr}`;
}

function cannotKeep({ request: { agent }, worker }: Attempt, { kind }: SandboxPolicy, why: string): Error {
  const where = worker.settings.host === undefined ? '' : ` on host ${worker.settings.host.name}`;
  return turnFailure(
    'NeedsPerson',
    `${agent.id}, ${agent.state}: the turn needs the sandbox "${kind}"${where}: ${why}`,
  );
}

/** A prompt that is prepared for its sandbox. */
export interface ConfinedPrompt {
  readonly policy: SandboxPolicy;
  /** The environment inside, without credentials. */
  readonly env: Environment;
  readonly access: ModelAccess;
  readonly moved: readonly BindMount[];
}

/** Where the way to the model is inside. */
const SOCKET_INSIDE = '/tmp/.raymond-model.sock';

/** What a prompt gets inside. Throws `NeedsPerson` when its backend does not run in a sandbox. */
export async function confinePrompt(
  attempt: Attempt,
  { policy, backend, env }: { readonly policy: SandboxPolicy; readonly backend: Backend; readonly env: Environment },
): Promise<ConfinedPrompt> {
  const folder = await attempt.temporaryFolder();
  const confined = (await backend.confine?.({ env, folder, socket: SOCKET_INSIDE })) ?? {
    kind: 'refused' as const,
    why: 'its backend cannot be kept in a sandbox; use the backend claude',
  };
  if (confined.kind === 'refused') throw cannotKeep(attempt, policy, confined.why);
  if (!SHARES_SOCKETS) throw cannotKeep(attempt, policy, 'prompts reach their model in it on Linux only');
  const socket = { source: join(folder, SOCKET), path: SOCKET_INSIDE };
  return {
    policy,
    env: environmentInside(confined.env, { policy, inherited: attempt.worker.environment }),
    access: confined.access,
    moved: [socket, ...confined.files],
  };
}

/** Puts the process of a prompt into its sandbox, with access to its model. Throws `NeedsPerson`. */
export async function keptPrompt(
  attempt: Attempt,
  spec: ProcessSpec,
  { access, ...turn }: Omit<ConfinedPrompt, 'env'> & Pick<KeptTurn, 'stateFile' | 'taskFolder'>,
): Promise<KeptProcess> {
  const temporary = await attempt.temporaryFolder();
  const relay = await startRelay(temporary, access);
  try {
    const inside = await kept(attempt, spec, { ...turn, temporary });
    return { ...inside, close: async () => [...(await relay.close()), ...(await inside.close())] };
  } catch (error) {
    await relay.close();
    throw error;
  }
}

/** The program, and the package or folder that it is in. */
function programFiles(program: string, home: string): readonly string[] {
  const inPackage = /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(program)?.[1];
  const folder = inPackage ?? dirname(program);
  return home === folder || home.startsWith(`${folder}/`) ? [program] : [folder, program];
}

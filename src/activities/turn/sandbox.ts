// The sandbox of a turn: combines what the config of this worker, the run, the package and the state ask for, and starts the process in it.
// Without a sandbox nothing here touches the disk.
import { execFile } from 'node:child_process';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { realpath } from 'node:fs/promises';
import { findOnPath } from '../../host/files.js';
import type { Backend } from '../../backends/backend.js';
import type { ProcessSpec } from '../../launcher/client.js';
import { mergeSandbox, type SandboxPolicy, type SandboxRequest } from '../../protocol/sandbox.js';
import { defined } from '../../protocol/text.js';
import { contain, SandboxRefused, SOCKET, startRelay, type BindMount, type ModelAccess } from '../../sandbox/index.js';
import type { Attempt } from '../attempt/attempt.js';
import type { Environment } from '../environment/environment.js';
import { turnFailure } from '../failure.js';

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
  return {
    ...defined({ policy }),
    warnings: refused.map((entry) => `the sandbox does not give ${entry}: the config does not allow it`),
  };
}

/** Sockets and key agents of the user; a turn gets them only if its policy names them. */
const SOCKETS =
  /^(?:SSH_AUTH_SOCK|SSH_AGENT_PID|GPG_TTY|GNUPGHOME|DBUS_SESSION_BUS_ADDRESS|XDG_RUNTIME_DIR|DISPLAY|WAYLAND_DISPLAY|DOCKER_HOST|DOCKER_CONTEXT|KUBECONFIG|\w*_PROXY|TMPDIR|TEMP|TMP)$/i;

/** The environment of a process inside, without the variables that lead out of the sandbox. */
export function environmentInside(env: Environment, { env: granted }: SandboxPolicy): Environment {
  const entries = Object.entries(env).filter(([name]) => !SOCKETS.test(name) || granted.includes(name));
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

/** The process inside, and its clean-up, which returns what was denied. */
interface KeptProcess {
  readonly spec: ProcessSpec;
  readonly close: () => Promise<readonly string[]>;
}

/** Puts the process of a turn into its sandbox. Throws `NeedsPerson` when this host has none: nothing has started. */
export async function kept(attempt: Attempt, spec: ProcessSpec, turn: KeptTurn): Promise<KeptProcess> {
  const { worker } = attempt;
  const { policy, stateFile, taskFolder, temporary, moved } = turn;
  const home = worker.environment['HOME'] ?? homedir();
  const found = findOnPath(spec.command, { ...defined({ path: spec.env['PATH'] }), cwd: spec.cwd }) ?? spec.command;
  const program = await realpath(found).catch(() => found);
  const { raymondDir } = worker.settings;
  const places = {
    ...{ home, cwd: spec.cwd, raymondDir, taskFolder, stateFile, path: spec.env['PATH'] ?? '' },
    reads: programFiles(program, home),
    ...defined({ temporary, moved }),
  };
  try {
    const inner = { command: program, args: spec.args, cwd: spec.cwd };
    const folder = policy.network.length === 0 ? undefined : await attempt.temporaryFolder();
    const hostPath = worker.environment['PATH'];
    const { command, args, env, record, close } = await contain({
      ...{ policy, places, inner, hostPath },
      ...defined({ folder }),
    });
    attempt.sandbox = record;
    const git = await gitIdentity(worker.environment);
    return { spec: { ...spec, command, args, env: { ...git, ...spec.env, ...env }, contained: true }, close };
  } catch (error) {
    if (!(error instanceof SandboxRefused)) throw error;
    throw cannotKeep(attempt, policy, error.message);
  }
}

const identities = new Map<string, Promise<Environment>>();

/** The author of commits, from the settings of the user, whose other settings may hold credentials. Read once. */
async function gitIdentity(environment: Environment): Promise<Environment> {
  const key = environment['HOME'] ?? '';
  const known = identities.get(key) ?? readIdentity(environment);
  identities.set(key, known);
  return await known;
}

function readIdentity(env: Environment): Promise<Environment> {
  return new Promise((resolve) => {
    execFile('git', ['config', '--global', '--get-regexp', '^user\\.(name|email)$'], { env }, (_error, stdout) => {
      // Without git or settings there is nothing to pass.
      const found = [...stdout.matchAll(/^(\S+) (.+)$/gm)];
      const pairs = found.flatMap(([, key = '', value = ''], index): readonly (readonly [string, string])[] => [
        [`GIT_CONFIG_KEY_${index}`, key],
        [`GIT_CONFIG_VALUE_${index}`, value],
      ]);
      resolve(found.length === 0 ? {} : { GIT_CONFIG_COUNT: String(found.length), ...Object.fromEntries(pairs) });
    });
  });
}

function cannotKeep({ request: { agent } }: Attempt, { kind }: SandboxPolicy, why: string): Error {
  return turnFailure('NeedsPerson', `${agent.id}, ${agent.state}: the turn needs the sandbox "${kind}": ${why}`);
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
  const socket = { source: join(folder, SOCKET), path: SOCKET_INSIDE };
  return {
    policy,
    env: environmentInside(confined.env, policy),
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
    return { spec: inside.spec, close: async () => [...(await relay.close()), ...(await inside.close())] };
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

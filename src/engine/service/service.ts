// The engine of a project as a service of its user: systemd or launchd starts it at login and after a crash, until it
// is removed.
import { readFile, rm } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { ask } from '../../host/ask.js';
import { sha256Of } from '../../host/sha256.js';
import { errorCode, makeFolder, makePrivateFolder, writeFileAtomic } from '../../host/files.js';
import { engineProgram } from '../../host/self.js';
import { engineFolder } from '../record.js';
import type { ServiceFacts } from './file.js';
import { launchd, systemd, type Command, type Manager } from './managers.js';

/** Why there is no service, or none can be created; the message is a sentence for people. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
}

/** The project, and the user. */
interface ServiceOptions {
  /** The project's folder. */
  readonly root: string;
  /** The project's `.raymond` folder, absolute. */
  readonly raymondDir: string;
  /** The user's environment: its PATH becomes the engine's. */
  readonly env: NodeJS.ProcessEnv;
  /** Absent = that of this host. */
  readonly platform?: NodeJS.Platform;
}

/** The state of a service. */
export interface ServiceStatus {
  readonly installed: boolean;
  /** The manager's own word, such as `active`; absent when it does not know the service, or does not answer. */
  readonly state?: string;
  /** Whether its file names another Node or another installation of Raymond. */
  readonly outdated: boolean;
}

/** The arguments of `install`. */
interface Installing {
  /** The seconds that turns may take after SIGTERM. */
  readonly drainSeconds: number;
  /** Stops an engine that runs without the service. */
  readonly release: () => Promise<void>;
}

/** What an engine needs from the environment besides PATH. */
const KEPT_VARIABLES = [
  ...['PATH', 'XDG_CACHE_HOME'],
  ...['RAYMOND_TEMPORAL_CLI', 'RAYMOND_TEMPORAL_DOWNLOAD_URL', 'RAYMOND_TEMPORAL_DOWNLOAD_SHA256'],
];

/** The time after its turns for closing the engine and its server. */
const CLOSE_SECONDS = 60;

const ASK_MS = 15_000;
/** An engine that is stopped may finish its turns first. */
const CHANGE_MS = 30 * 60_000;

/** The service of one project. */
export class Service {
  private constructor(
    readonly name: string,
    private readonly manager: Manager,
    private readonly options: ServiceOptions,
  ) {}

  /** Undefined without a known service manager. */
  static of(options: ServiceOptions): Service | undefined {
    const { root, env, platform = process.platform } = options;
    const name = serviceName(root);
    if (platform === 'linux') return new Service(name, systemd(name, env), options);
    if (platform !== 'darwin') return undefined;
    return new Service(name, launchd(name, { env, uid: process.getuid?.() ?? 0 }), options);
  }

  /** The path of the service's file. */
  get file(): string {
    return this.manager.file;
  }

  /** Reads its state. */
  async status(): Promise<ServiceStatus> {
    const text = await textOf(this.file);
    if (text === undefined) return { installed: false, outdated: false };
    const state = await this.state();
    return { installed: true, outdated: !this.isCurrent(text), ...(state === undefined ? {} : { state }) };
  }

  /** Installs it and starts it; repeating that changes nothing. Throws `ServiceError`, and then nothing has changed. */
  async install({ drainSeconds, release }: Installing): Promise<void> {
    await this.refuseWithoutManager();
    const [before, text] = [await textOf(this.file), this.manager.text(this.facts(drainSeconds))];
    const state = await this.state();
    const isChanged = before !== text;
    await makePrivateFolder(engineFolder(this.options.raymondDir).dir);
    await makeFolder(dirname(this.file));
    if (isChanged) await writeFileAtomic(this.file, text, 0o644);
    try {
      if (isChanged || !isRunning(state)) await release();
      await this.call(this.manager.enable({ isChanged, isKnown: state !== undefined }));
    } catch (error) {
      if (before === undefined) await this.withdraw();
      else await writeFileAtomic(this.file, before, 0o644);
      throw error;
    }
  }

  /** Stops it and removes its file; false when there was none. Throws `ServiceError`. */
  async remove(): Promise<boolean> {
    if ((await textOf(this.file)) === undefined) return false;
    await this.refuseWithoutManager();
    await this.call(this.manager.disable((await this.state()) !== undefined));
    await rm(this.file, { force: true });
    await this.call(this.manager.forget);
    return true;
  }

  /** Asks the manager to start the engine; false when it cannot, because this installation has no such service. */
  async start(): Promise<boolean> {
    const text = await textOf(this.file);
    if (text === undefined || !this.isCurrent(text)) return false;
    return (await query(this.manager.start, this.options.env)).failed === undefined;
  }

  /** True when the manager has given up, or the engine has ended on its own. */
  async hasEnded(): Promise<boolean> {
    return ['failed', 'inactive', 'not running'].includes((await this.state()) ?? '');
  }

  /** Some version managers move Node and Raymond when they update them. */
  private isCurrent(text: string): boolean {
    return text.includes(this.manager.words(engineProgram()));
  }

  private async state(): Promise<string | undefined> {
    return this.manager.stateIn((await query(this.manager.state, this.options.env)).stdout);
  }

  private facts(drainSeconds: number): ServiceFacts {
    const { root, raymondDir, env } = this.options;
    const environment = Object.fromEntries(KEPT_VARIABLES.flatMap((name) => (env[name] ? [[name, env[name]]] : [])));
    const facts: ServiceFacts = {
      name: this.name,
      root,
      log: engineFolder(raymondDir).log,
      command: [...engineProgram(), '--service'],
      environment,
      stopSeconds: drainSeconds + CLOSE_SECONDS,
    };
    for (const text of [root, ...facts.command, ...Object.values(facts.environment)])
      if (/\p{Cc}/u.test(text))
        throw new ServiceError(
          `a service cannot name ${JSON.stringify(text)}: it contains a control character; rename it`,
        );
    return facts;
  }

  private async refuseWithoutManager(): Promise<void> {
    const { failed } = await query(this.manager.probe, this.options.env);
    if (failed === undefined) return;
    throw new ServiceError(
      `${this.manager.missing}; nothing was changed: ${failed}; start the engine with: raymond up`,
    );
  }

  private async call(commands: readonly Command[]): Promise<void> {
    for (const command of commands) {
      const { failed } = await query(command, this.options.env, CHANGE_MS);
      if (failed !== undefined) throw new ServiceError(`${command.join(' ')} failed: ${failed}`);
    }
  }

  /** Reverts a first installation; the original error is reported. */
  private async withdraw(): Promise<void> {
    for (const command of this.manager.disable(true)) await query(command, this.options.env, CHANGE_MS);
    await rm(this.file, { force: true });
    for (const command of this.manager.forget) await query(command, this.options.env);
  }
}

/** A name that people recognize, unique per project. */
export function serviceName(root: string): string {
  const word = basename(root)
    .replace(/[^A-Za-z0-9_-]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 40);
  const hash = sha256Of(root).slice(0, 8);
  return ['raymond', ...(word === '' ? [] : [word]), hash].join('-');
}

function isRunning(state: string | undefined): boolean {
  return state === 'active' || state === 'running';
}

async function textOf(file: string): Promise<string | undefined> {
  return await readFile(file, 'utf8').catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  });
}

interface Answer {
  readonly stdout: string;
  /** Why it failed, in one line. */
  readonly failed?: string;
}

async function query([program, ...args]: Command, env: NodeJS.ProcessEnv, timeoutMs = ASK_MS): Promise<Answer> {
  const { stdout, stderr, error } = await ask(program, args, { env, timeoutMs });
  if (error === undefined) return { stdout };
  if (errorCode(error) === 'ENOENT') return { stdout, failed: `there is no ${program} on PATH` };
  return { stdout, failed: (stderr.trim() || error.message).split('\n')[0] ?? program };
}

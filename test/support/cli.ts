// The command line as users call it, in a folder of its own: bin/raymond.js in a process of its own, or `main` in this one.
// Must not reach into the program; what a test learns it learns from output, exit code and files.
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Options, ResultPromise } from 'execa';
import { execa } from 'execa';
import { stopEngine } from '../../dist/engine/ensure.js';
import { enginePid } from '../../dist/engine/record.js';
import { stopServer } from '../../dist/server/index.js';
import { beforeRemoval, folder } from './folder.js';
import type { InProcessOptions } from './in-process.js';
import { until } from './until.js';

const program = fileURLToPath(new URL('../../bin/raymond.js', import.meta.url));

/** The sample workflows of the project. */
export const SAMPLES = fileURLToPath(new URL('../../workflows', import.meta.url));

/** The environment in which a command uses the engine of its project in the background. */
export const BACKGROUND = { RAYMOND_FOREGROUND: '' };

/** What a call printed, and how it ended. */
export interface Called {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number | undefined;
}

/** How a process is started; `before` = the program that starts it, e.g. `setpriv` with its arguments. */
type BeginOptions = Options & { readonly before?: readonly string[] };

/** A folder in which Raymond is called; its server is stopped when the test file is done. */
export class Place {
  private constructor(
    readonly cwd: string,
    private readonly env: Readonly<Record<string, string>>,
  ) {}

  /** A new project folder with these files. The environment has no key, no cluster, and `env` laid over it. */
  static async at(
    files: Readonly<Record<string, string | Buffer>> = {},
    env: Readonly<Record<string, string>> = {},
  ): Promise<Place> {
    const place = new Place(await folder({ '.raymond/config.toml': '[raymond]\n', ...files }), env);
    folders.push(place.cwd);
    beforeRemoval(() => place.close());
    return place;
  }

  /**
   * The same with one server for all such folders of a test file: a server takes a second of processor to start and stop. Each run needs an id of its
   * own, and whatever looks at all runs of a server (`list`, `gc`, `serve`, limits) needs a server of its own: `at`.
   */
  static async sharing(
    files: Readonly<Record<string, string | Buffer>> = {},
    env: Readonly<Record<string, string>> = {},
  ): Promise<Place> {
    const server = join((await (sharedPlace ??= Place.at())).cwd, '.raymond', 'temporal');
    await mkdir(server, { recursive: true, mode: 0o700 });
    const place = await Place.at(files, env);
    await symlink(server, join(place.cwd, '.raymond', 'temporal'));
    return place;
  }

  /** Calls Raymond in this process and waits for its end; a failing exit code is an answer. */
  async raymond(args: readonly string[], options: InProcessOptions = {}): Promise<Called> {
    const { callInProcess } = await import('./in-process.js');
    const env = { ...process.env, ...this.environment(options.env) };
    return await callInProcess(args, { cwd: this.cwd, ...options, env });
  }

  /** The same by bin/raymond.js, in a process of its own: for what is about processes, pipes and exit codes. */
  async bin(args: readonly string[], options: BeginOptions = {}): Promise<Called> {
    const { stdout, stderr, exitCode } = await this.begin(args, options);
    return { stdout: String(stdout), stderr: String(stderr), exitCode };
  }

  /** Starts bin/raymond.js, behind the words of `before` when there are some, and goes on; the caller ends it. */
  begin(args: readonly string[], { before = [], ...options }: BeginOptions = {}): ResultPromise {
    // The worker of a fleet interprets workflows on a thread of its own, as it does for its users; starting it costs half a second.
    const thread = args[0] === 'worker' ? { TEMPORAL_DEBUG: undefined } : {};
    const env = { ...this.environment(options.env), ...thread };
    const [command = '', ...words] = [...before, process.execPath, program, ...args];
    return execa(command, words, {
      cwd: this.cwd,
      timeout: 120_000,
      // What is asked to stop lets its turns end, on a loaded machine not within the 5 s after which execa would kill it.
      forceKillAfterDelay: 60_000,
      ...options,
      env,
      reject: false,
    } as Options);
  }

  /** The same on a terminal of so many columns (util-linux's `script`), whose keys are the stdin of what is returned. */
  onTerminal(
    args: readonly string[],
    { columns = 80, ...options }: Options & { readonly columns?: number } = {},
  ): ResultPromise {
    const words = [process.execPath, program, ...args].map((word) => `'${word}'`).join(' ');
    const env = { ...this.environment(), NO_COLOR: undefined, TERM: 'xterm-256color', LANG: 'C.UTF-8', ...options.env };
    const command = `stty cols ${columns} rows 24; exec ${words}`;
    const settings = { cwd: this.cwd, timeout: 120_000, ...options, env, reject: false } as Options;
    return execa('script', ['-qfec', command, '/dev/null'], settings);
  }

  private environment(given: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
    // A test may give Raymond another HOME; the Temporal CLI is still found where the test run has put it.
    const cache = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
    return {
      NO_COLOR: '1',
      TEMPORAL_ADDRESS: undefined,
      // Each call executes its run itself: engines in the background have tests of their own, with an empty variable.
      RAYMOND_FOREGROUND: 'engine',
      XDG_CACHE_HOME: cache,
      ...this.env,
      ...given,
    };
  }

  /** A file of the folder as text, or undefined while it is not there. */
  async read(name: string): Promise<string | undefined> {
    return await readFile(join(this.cwd, name), 'utf8').catch(() => undefined);
  }

  /** Waits until a state has made this file. */
  async made(name: string): Promise<void> {
    await until(async () => (await this.read(name)) !== undefined, { what: `the file ${name}` });
  }

  /** Writes a file of the folder, and the folders on the way to it. */
  async write(name: string, content: string | Buffer = ''): Promise<void> {
    await mkdir(dirname(join(this.cwd, name)), { recursive: true });
    await writeFile(join(this.cwd, name), content);
  }

  /** Stops the folder's engine and server. */
  async close(): Promise<void> {
    const raymondDir = join(this.cwd, '.raymond');
    // A call within the test is its own engine.
    if (enginePid(raymondDir) !== process.pid) await stopEngine({ raymondDir, drainSeconds: 0 });
    // Its database goes next: it need not end politely, which takes a second.
    await stopServer({ raymondDir, politeMs: 0 });
  }
}

const folders: string[] = [];
let sharedPlace: Promise<Place> | undefined;

/** The processes of this host whose environment holds `text` (Linux): what a turn left behind. */
export async function processesWith(text: string): Promise<readonly number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) => {
      const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
      // Other tests may use the same run id at the same time: only processes of this file's places count.
      const ours = folders.length === 0 || folders.some((path) => environment.includes(path));
      return ours && environment.includes(text) ? [Number(pid)] : [];
    }),
  );
  return found.flat();
}

#!/usr/bin/env node
// Starts the command line with this process around it: its bundle, which loads in half the time of its modules.
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

// What keeps even the program itself from being loaded: it cannot explain that.
const OBSTACLES = {
  EMFILE: ['this process may not open more files (EMFILE)', 'raise the limit, for example with: ulimit -n 1024', 69],
  ENFILE: ['this host cannot open more files (ENFILE)', 'end other programs and try again', 69],
  uv_cwd: ['the current folder no longer exists', 'change to another folder and try again', 64],
};

const { env, stdout, stderr } = process;

// AWS's client warns on the console that its versions of next year need a later Node: nothing that a user can change.
env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true';

const HOLD_AFTER_MS = 2000;

/** Whether this process will execute runs for long: a worker loads the packages of Temporal's SDK anyway. */
function hasWorker([command, ...rest]) {
  const isLong = ['__engine', 'serve', 'worker', 'fleet'].includes(command);
  return isLong || rest.includes('--foreground');
}

async function run() {
  const cwd = process.cwd();
  // Whatever this process makes, its own user must be able to use.
  const umask = process.umask(0o077) & 0o077;
  process.umask(umask);
  const { CompiledBundle } = await import('../dist/host/compiled.js');
  const args = process.argv.slice(2);
  const program = new CompiledBundle({
    dir: fileURLToPath(new URL('../dist/program', import.meta.url)),
    cacheDir: join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'raymond', 'compiled'),
    bundledSdk: !hasWorker(args),
  });
  // A shorter command has loaded all that it needs. One that fails to read the rest loads it when it needs it.
  setTimeout(() => program.hold().catch(() => undefined), HOLD_AFTER_MS).unref();
  const code = await program.load('raymond.cjs').main(args, {
    cwd,
    env,
    umask,
    get stdin() {
      return process.stdin;
    },
    stdout,
    stderr,
    signals: process,
  });
  program.keep();
  return code;
}

function explained(error) {
  const obstacle = OBSTACLES[error?.syscall === 'uv_cwd' ? 'uv_cwd' : error?.code];
  if (obstacle === undefined) throw error;
  const [what, next, code] = obstacle;
  stderr.write(`raymond: ${what}; ${next}\n`);
  return code;
}

// Whatever is still open must not hold the process.
process.exit(await run().catch(explained));

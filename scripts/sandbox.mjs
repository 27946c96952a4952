// Finds the programs of the sandbox `process`, for tests. As a program it installs Debian's packages of the tests for root,
// and prints how to install them for other users.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

// socat is for network lists only; faketime is not for the sandbox, but for a test of a host that was suspended.
const PACKAGES = { bwrap: 'bubblewrap', socat: 'socat', faketime: 'faketime' };
const missing = () =>
  Object.keys(PACKAGES).filter((program) => spawnSync(program, ['--version'], { stdio: 'ignore' }).error !== undefined);

/** Why the sandbox cannot be tested here; undefined = it can. */
export function whyNoSandbox() {
  if (process.platform !== 'linux') return 'the sandbox "process" needs Linux';
  if (missing().includes('bwrap')) return 'bwrap is missing: apt-get install bubblewrap';
  const trial = spawnSync('bwrap', ['--ro-bind', '/', '/', '--unshare-user', '--unshare-net', 'true'], {
    stdio: 'ignore',
  });
  return trial.status === 0 ? undefined : 'this kernel forbids user namespaces';
}

function install() {
  if (missing().length === 0 || process.platform !== 'linux') return;
  if (process.getuid?.() !== 0 || spawnSync('apt-get', ['--version']).status !== 0) return;
  console.log(`installing ${Object.values(PACKAGES).join(', ')} for the tests`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const apt = (...words) =>
    spawnSync('apt-get', ['-qq', ...words], { stdio: ['ignore', 'ignore', 'inherit'], env }).status === 0;
  if (apt('update')) apt('install', '--yes', '--no-install-recommends', ...Object.values(PACKAGES));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  install();
  const why = whyNoSandbox();
  if (why !== undefined) console.log(`the tests of the sandbox are skipped: ${why}`);
}

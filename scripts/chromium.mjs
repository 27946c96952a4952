// Finds Chromium, for tests and pictures of the page. As a program it installs Debian's package for root, and prints
// how to install it for other users.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const HOW = 'install it: apt-get install chromium; or name another one by CHROMIUM_PATH';

const found = () => [process.env.CHROMIUM_PATH, ...PLACES].find((path) => path !== undefined && existsSync(path));

/** The path of the program. Throws when there is none, saying what to do. */
export function chromiumPath() {
  const path = found();
  if (path !== undefined) return path;
  throw new Error(`the tests of the page need Chromium, which is not at ${PLACES.join(' or ')}; ${HOW}`);
}

function install() {
  if (found() !== undefined) return true;
  if (process.getuid?.() !== 0 || spawnSync('apt-get', ['--version']).status !== 0) return false;
  console.log('installing Chromium for the tests of the page');
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const apt = (...words) =>
    spawnSync('apt-get', ['-qq', ...words], { stdio: ['ignore', 'ignore', 'inherit'], env }).status === 0;
  return apt('update') && apt('install', '--yes', '--no-install-recommends', 'chromium') && found() !== undefined;
}

if (process.argv[1] === fileURLToPath(import.meta.url) && !install())
  console.log(`Chromium is not there, so the tests of the page will fail; ${HOW}`);

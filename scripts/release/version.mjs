// `npm run release:version`: writes all that a release pull request holds. The notes of .changeset become the version and its section of
// CHANGELOG.md; the histories, schemas and documents of this version are stored, and no later version changes them.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { applyNotes } from './notes.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const run = (command, ...args) => execFileSync(command, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });

try {
  const version = applyNotes(root, new Date().toISOString().slice(0, 10));
  run('npm', 'install', '--package-lock-only', '--ignore-scripts', '--no-audit', '--no-fund');
  run('npm', 'run', '--silent', 'build');
  run(process.execPath, 'scripts/release/freeze.mjs');
  run(process.execPath, 'scripts/record-histories.mjs');
  console.log(`${version} is written; next: npm run release -- --dry-run`);
} catch (error) {
  console.error(`npm run release:version: ${error.message}`);
  process.exitCode = 1;
}

// `npm run chaos`: the long form of the chaos test. CHAOS_KILLS (default 100) kills, CHAOS_SEED to repeat; prints a table at its end.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const env = { CHAOS_KILLS: '100', ...process.env };
const run = (command, args) => spawnSync(command, args, { cwd: root, stdio: 'inherit', env }).status ?? 1;

if (run('npm', ['run', '--silent', 'build']) !== 0) process.exit(1);
const jest = ['node_modules/jest/bin/jest.js', 'test/chaos', ...process.argv.slice(2)];
process.exit(run(process.execPath, ['--experimental-vm-modules', '--no-warnings', ...jest]));

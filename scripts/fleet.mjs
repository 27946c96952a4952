// `npm run fleet`: the long form of the test of a fleet whose hosts share no disk (root, Linux). FLEET_FAULTS (default 60) for each of FLEET_SEEDS
// (default 3) programs from FLEET_SEED on, of FLEET_STEPS steps (default: as many as last that long); FLEET_SILENCE=0 takes hosts for gone as late as for users.
// FLEET_ONLY='power off' and FLEET_LASTS=150 (seconds) are one kind of fault instead of all. FLEET_DUMP=1 keeps all files, to find a cause. Prints a table at its end.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const env = { FLEET_FAULTS: '60', FLEET_SEEDS: '3', FLEET_SILENCE: '10', ...process.env };
const run = (command, args) => spawnSync(command, args, { cwd: root, stdio: 'inherit', env }).status ?? 1;

if (run('npm', ['run', '--silent', 'build']) !== 0) process.exit(1);
if (run(process.execPath, ['scripts/versitygw.mjs']) !== 0) process.exit(1);
const jest = ['node_modules/jest/bin/jest.js', 'test/fleet', ...process.argv.slice(2)];
process.exit(run(process.execPath, ['--experimental-vm-modules', '--no-warnings', ...jest]));

// A small worker for tests that end it, or what it runs: `node worker.mjs <built folder> <specs as JSON> <options as JSON>`.
// Runs its processes through a launcher, prints a line of JSON for what happens, obeys lines (`stop N`, `sweep ATTEMPT`, `close`),
// and lives until it is killed.
import { mountFrozenDisk } from './frozen-disk.mjs';

const [folder, specs, options] = process.argv.slice(2);
const { disk, patience } = JSON.parse(options);
const { Launcher } = await import(`${folder}/launcher/client.js`);

const tell = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);
if (disk !== undefined) mountFrozenDisk(disk, () => tell({ waits: true }));
// Never ended by the leash of time, which would hide a channel that is not heard.
const launcher = Launcher.start({ confirmTimeoutMs: 600_000, patience });
const all = JSON.parse(specs).map((spec, index) => {
  const running = launcher.run(spec, (_stream, chunk) => tell({ index, output: chunk.toString() }));
  running.started.then((identity) => tell({ index, started: identity?.pid }));
  running.ended.then((end) => tell({ index, end }));
  return running;
});
tell({ launcher: launcher.pid });
setInterval(() => launcher.confirm(), 1_000);

process.stdin.setEncoding('utf8').on('data', async (line) => {
  const [command, argument] = line.trim().split(' ');
  if (command === 'stop') await all[Number(argument)].stop();
  if (command === 'sweep') tell({ swept: await launcher.sweep({ attempts: [argument] }) });
  if (command === 'close') tell({ closed: (await launcher.close()) ?? true });
});

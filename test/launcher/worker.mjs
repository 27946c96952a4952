// A small worker for the tests of the leash, run as a process of its own: `node worker.mjs <built folder> <specs as JSON>`.
// Runs its processes through a launcher, prints a line of JSON for what happens, and lives until it is killed.
const [folder, specs] = process.argv.slice(2);
const { Launcher } = await import(`${folder}/launcher/client.js`);

// Never ended by the leash of time, which would hide a channel that is not heard.
const launcher = Launcher.start({ confirmTimeoutMs: 600_000 });
const tell = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);
for (const [index, spec] of JSON.parse(specs).entries()) {
  const running = launcher.run(spec, (_stream, chunk) => tell({ index, output: chunk.toString() }));
  running.ended.then((end) => tell({ index, end }));
}
tell({ launcher: launcher.pid });
setInterval(() => launcher.confirm(), 1_000);

// How many requests `raymond serve` takes, and whether its memory stays as it is: readers ask for lists, runs and questions, so many times a
// second in all, while event streams are open. Usage: npm run build && node bench/serve.mjs [--rate 1000] [--seconds 10] [--streams 200] [--profile FOLDER].
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { stopServer } from '../dist/server/index.js';
import { load } from './stage.mjs';

const { values } = parseArgs({
  options: {
    rate: { type: 'string', default: '1000' },
    seconds: { type: 'string', default: '10' },
    streams: { type: 'string', default: '200' },
    // The CPU profile of the process that serves is written there.
    profile: { type: 'string' },
  },
});
const [rate, seconds, streams] = [values.rate, values.seconds, values.streams].map(Number);
const folder = await mkdtemp(join(tmpdir(), 'raymond-bench-'));
await mkdir(join(folder, 'flow'));
await mkdir(join(folder, '.raymond'));
await writeFile(join(folder, 'flow/START.sh'), 'echo \'<ask next="END">Which colour?</ask>\'\n');
await writeFile(join(folder, 'flow/END.sh'), 'echo "<result>$RAYMOND_INPUT</result>"\n');

const program = fileURLToPath(new URL('../bin/raymond.js', import.meta.url));
const profile = values.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${values.profile}`];
const server = spawn(process.execPath, [...profile, program, 'serve', '--port', '0'], {
  cwd: folder,
  stdio: ['ignore', 'pipe', 'inherit'],
});
const line = await new Promise((resolve, reject) => {
  createInterface({ input: server.stdout }).once('line', resolve);
  server.once('exit', (code) => reject(new Error(`raymond serve ended with ${code}`)));
});
const { origin, hash } = new URL(line);
const headers = { authorization: `Bearer ${hash.replace('#token=', '')}` };
const agent = new Agent({ keepAlive: true, maxSockets: 64 });

const call = (path, { method = 'GET', body } = {}) =>
  new Promise((resolve, reject) => {
    const type = body === undefined ? {} : { 'content-type': 'application/json' };
    const sent = request(`${origin}${path}`, { method, agent, headers: { ...headers, ...type } }, (response) => {
      response
        .resume()
        .once('end', () => resolve(response.statusCode))
        .once('error', reject);
    });
    sent.once('error', reject).end(body);
  });

const memory = async () =>
  Number(/VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${server.pid}/status`, 'utf8'))?.[1]) / 1024;

try {
  for (let run = 0; run < 20; run += 1) {
    const body = JSON.stringify({ workflow: 'flow', id: `run-${run}` });
    if ((await call('/api/runs', { method: 'POST', body })) !== 201) throw new Error('a run could not be started');
  }
  const open = [];
  for (let at = 0; at < streams; at += 1)
    open.push(
      await new Promise((resolve, reject) => {
        const sent = request(`${origin}/api/events`, { headers }, (response) => resolve((response.resume(), sent)));
        sent.once('error', reject).end();
      }),
    );
  for (const one of open) one.on('error', () => undefined);
  const paths = ['/api/session', '/api/runs', '/api/inbox', '/api/runs/run-1', '/api/workflows', '/'];
  await round(paths, 2);
  const before = await memory();
  const { statuses, times, took } = await round(paths, seconds);
  const after = await memory();
  times.sort((one, other) => one - other);
  const at = (part) => times[Math.floor(times.length * part)]?.toFixed(1);
  console.log(`load ${load()}`);
  console.log(
    `${times.length} requests in ${took.toFixed(1)} s, ${(times.length / took).toFixed(0)} a second; answers ${JSON.stringify(statuses)}`,
  );
  console.log(`milliseconds: median ${at(0.5)}, 95 % ${at(0.95)}, 99 % ${at(0.99)}; ${streams} streams open`);
  console.log(`memory before ${before.toFixed(0)} MiB, after ${after.toFixed(0)} MiB`);
  for (const one of open) one.destroy();
} finally {
  agent.destroy();
  server.kill('SIGTERM');
  await new Promise((resolve) => server.once('exit', resolve));
  await stopServer({ raymondDir: join(folder, '.raymond') });
  await rm(folder, { recursive: true, force: true });
}

/** Sends requests at the rate, whether or not answers have come. */
async function round(paths, forSeconds) {
  const statuses = {};
  const times = [];
  const waiting = [];
  const begun = performance.now();
  for (let sent = 0; sent < rate * forSeconds;) {
    const due = Math.min(((performance.now() - begun) / 1000) * rate, rate * forSeconds);
    for (; sent < due; sent += 1) {
      const from = performance.now();
      const done = call(paths[sent % paths.length]).then((status) => {
        statuses[status] = (statuses[status] ?? 0) + 1;
        times.push(performance.now() - from);
      });
      waiting.push(done.catch((error) => (statuses[error.code] = (statuses[error.code] ?? 0) + 1)));
    }
    await delay(5);
  }
  await Promise.all(waiting);
  return { statuses, times, took: (performance.now() - begun) / 1000 };
}

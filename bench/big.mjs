// Values far beyond what Temporal takes: does the memory of worker and launcher follow the bytes, and do histories stay small?
// Usage: npm run build && node bench/big.mjs. Linux only: it reads the peaks from /proc. Prints a line per case.
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { installFake } from './fake.mjs';
import { openStage } from './stage.mjs';

const MB = 1_000_000;
const fake = await installFake();
const stage = await openStage();

const prints = (bytes, letter) => `head -c ${bytes} /dev/zero | tr '\\0' ${letter}; echo`;
const directive = (behaviour) => `FAKE${JSON.stringify(behaviour)}EKAF`;
const END = directive({ text: '<result>ended</result>' });

await measure('nothing (a script turn)', { 'START.sh': 'echo "<result>ended</result>"\n' });
await measure('nothing (a prompt turn)', { 'START.md': END });
await measure('10 MB of script output', { 'START.sh': `${prints(10 * MB, 'n')}\necho "<result>ended</result>"\n` });
await measure('50 MB of script output', { 'START.sh': `${prints(50 * MB, 'n')}\necho "<result>ended</result>"\n` });
await measure('3 MB from a script to a prompt', {
  'START.sh': `printf '<goto input="'; ${prints(3 * MB, 's')} | tr -d '\\n'; echo '">READ</goto>'\n`,
  'READ.md': `${END} {{input}}`,
});
await measure('a prompt of 5 MB', { 'START.md': `${END} ${'p'.repeat(5 * MB)}` });
await measure('a stream line of 20 MB', {
  'START.md': directive({ text: '<result>ended</result>', bigLine: 20 * MB }),
});
await measure('a conversation of 30 MB, gone on from', {
  'START.md': `${directive({ text: '<goto>NEXT</goto>' })} ${'c'.repeat(30 * MB)}`,
  'NEXT.md': END,
});
await stage.close();
await rm(fake, { recursive: true });
process.exit(0);

async function measure(name, states) {
  const pids = { worker: process.pid, launcher: await launcher() };
  globalThis.gc?.();
  const before = {};
  for (const [who, pid] of Object.entries(pids)) {
    await writeFile(`/proc/${pid}/clear_refs`, '5'); // forgets the peak so far
    before[who] = await megabytes(pid, 'VmRSS');
  }
  const began = performance.now();
  const runId = await stage.start(states);
  const { result } = await stage.handle(runId).result();
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  if (result !== 'ended') throw new Error(`${name}: the result is ${JSON.stringify(result)}`);
  const { historySize } = await stage.handle(`${runId}/main`).describe();
  const peaks = [];
  for (const [who, pid] of Object.entries(pids))
    peaks.push(`${who} ${before[who]} → ${await megabytes(pid, 'VmHWM')} MB`);
  console.log(`${name}: ${seconds} s, peak of ${peaks.join(', ')}; history ${Math.round(historySize / 1000)} kB`);
}

async function megabytes(pid, field) {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(new RegExp(`${field}:\\s*(\\d+)`).exec(status)?.[1]) / 1024);
}

async function launcher() {
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const [stat, command] = await Promise.all(
      ['stat', 'cmdline'].map((file) => readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '')),
    );
    const parent = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1];
    if (parent === String(process.pid) && command.includes('raymond-launcher')) return Number(pid);
  }
  throw new Error('the worker has no launcher');
}

// Milliseconds that a prompt turn costs beyond its program: a chain of prompt turns of a fake Claude, and one in which a script turn follows
// each of them, beside the same program started by hand, one after the other, on the same machine in turns. Usage: npm run build &&
// node bench/prompts.mjs [--turns 30] [--rounds 5].
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { installFake } from './fake.mjs';
import { load, openStage, record, spread } from './stage.mjs';

const { values } = parseArgs({
  options: { turns: { type: 'string', default: '30' }, rounds: { type: 'string', default: '5' } },
});
const [turns, rounds] = [values.turns, values.rounds].map(Number);
const directive = (text) => `FAKE${JSON.stringify({ text, costUsd: 0.001 })}EKAF`;
const next = (turn) => (turn === turns ? '<result>done</result>' : `<goto>TURN${turn + 1}</goto>`);
const prompts = Object.fromEntries(
  Array.from({ length: turns }, (_, index) => [
    index === 0 ? 'START.md' : `TURN${index + 1}.md`,
    directive(next(index + 1)),
  ]),
);
const mixed = {
  'START.md': directive('<goto>COUNT</goto>'),
  'COUNT.sh': `n=$(cat count 2>/dev/null || echo 1); echo $((n + 1)) > count; if [ "$n" -lt ${turns} ]; then echo "<goto>START</goto>"; else rm count; echo "<result>$n</result>"; fi\n`,
};
const works = { 'a prompt turn': prompts, 'a prompt turn and a script turn': mixed };
const fake = await installFake();
const stage = await openStage();

async function ours(states) {
  const began = performance.now();
  await stage.handle(await stage.start(states, { budgetUsd: 10 })).result();
  return (performance.now() - began) / turns;
}
async function alone() {
  const began = performance.now();
  for (let turn = 0; turn < turns; turn += 1) await program();
  return (performance.now() - began) / turns;
}
function program() {
  const args = ['-p', '--output-format', 'stream-json', '--verbose', '--session-id', randomUUID()];
  return new Promise((resolve, reject) => {
    const child = spawn('claude', args, { cwd: stage.folder, stdio: ['pipe', 'ignore', 'ignore'] });
    child.on('error', reject).on('close', resolve);
    child.stdin.end(mixed['START.md']);
  });
}

for (const [work, states] of Object.entries(works)) {
  const before = load();
  await ours(states);
  const pairs = [];
  for (let round = 0; round < rounds; round += 1) pairs.push({ alone: await alone(), ours: await ours(states) });
  const beyond = spread(pairs.map((pair) => pair.ours - pair.alone));
  const [mine, floor] = [spread(pairs.map((pair) => pair.ours)), spread(pairs.map((pair) => pair.alone))];
  console.log(
    `${work}: ${mine.median.toFixed(0)} ms, the program alone ${floor.median.toFixed(0)} ms, beyond it ${beyond.median.toFixed(0)} ms (goal 35; medians of ${rounds} pairs of ${turns}; load ${before})`,
  );
  record({ work: `${work}, ${turns} times`, ours: mine, floor, beyond, goal: 'beyond ≤ 35 ms' });
}
await stage.close();
await rm(fake, { recursive: true, force: true });
process.exit(0);

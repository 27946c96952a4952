// Milliseconds that the sandbox `process` adds to a turn: the same runs with and without it, in pairs.
// The prompt turn is one of the real Claude Code CLI, with a model of this process on the loopback interface.
// Usage: npm run build && node bench/sandbox.mjs [--rounds 5].
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { startModelServer } from '../test/support/modelApiServer.mjs';
import { load, openStage, record, spread } from './stage.mjs';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '5' } } });
const rounds = Number(values.rounds);

const model = await startModelServer({ reply: () => ({ text: '<result>done</result>' }) });
const home = await installClaude(model.url);
const stage = await openStage();
const before = load();

const last = (turns) =>
  `n=\${RAYMOND_INPUT:-1}; if [ "$n" -lt ${turns} ]; then echo "<goto input=\\"$((n + 1))\\">START</goto>"; else echo "<result>$n</result>"; fi\n`;
const WORKS = [
  { work: 'a run of one script turn', turns: 1, goal: 30, states: { 'START.sh': last(1) } },
  { work: 'a chained script turn', turns: 50, goal: 12, states: { 'START.sh': last(50) } },
  { work: 'a run of one prompt turn', turns: 1, goal: 60, states: { 'START.md': 'Answer.' } },
];

/** The CLI that the tests run, with a folder of its own; the home stays, because the Temporal server is in it. */
async function installClaude(url) {
  const home = await mkdtemp(join(tmpdir(), 'raymond-bench-home-'));
  const native = `@anthropic-ai/claude-code-${process.platform}-${process.arch}`;
  const manifest = createRequire(import.meta.url).resolve(`${native}/package.json`);
  await symlink(join(dirname(manifest), 'claude'), join(home, 'claude'));
  await mkdir(join(home, 'config'));
  Object.assign(process.env, {
    PATH: `${home}:${process.env.PATH}`,
    CLAUDE_CONFIG_DIR: join(home, 'config'),
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: 'dummy',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
  });
  return home;
}

async function timed({ turns, states }, kind) {
  const turn = { permissions: 'accept-edits', ...(kind === 'none' ? {} : { sandbox: { owner: { kind } } }) };
  const began = performance.now();
  const { status } = await stage.handle(await stage.start(states, { turn, budgetUsd: 10 })).result();
  if (status !== 'completed') throw new Error(`a run ended as ${status}`);
  return (performance.now() - began) / turns;
}

for (const work of WORKS) {
  for (const kind of ['none', 'process']) await timed(work, kind);
  const pairs = [];
  for (let round = 0; round < rounds; round += 1)
    pairs.push({ none: await timed(work, 'none'), inside: await timed(work, 'process') });
  const [ours, floor] = [spread(pairs.map(({ inside }) => inside)), spread(pairs.map(({ none }) => none))];
  const beyond = spread(pairs.map(({ none, inside }) => inside - none));
  const [inside, none, more] = [ours, floor, beyond].map((one) => one.median.toFixed(1));
  console.log(
    `${work.work}: ${none} ms, in the sandbox ${inside} ms, ${more} ms more (goal ${work.goal}; medians of ${rounds}; load ${before})`,
  );
  record({ work: `${work.work}, in a sandbox`, ours, floor, beyond, goal: `beyond ≤ ${work.goal} ms` });
}
await stage.close();
await model.close();
await rm(home, { recursive: true, force: true });
process.exit(0);

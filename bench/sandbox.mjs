// Milliseconds that a sandbox adds to a turn: the same runs with and without it, in pairs. The sandbox is `process`, and
// `container` where an image is named.
// The prompt turn is one of the real Claude Code CLI, with a model of this process on the loopback interface.
// Usage: npm run build && node bench/sandbox.mjs [--rounds 5] [--image NAME].
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { startModelServer } from '../test/support/modelApiServer.mjs';
import { load, openStage, record, spread } from './stage.mjs';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '5' }, image: { type: 'string' } } });
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
].map((work) => ({ ...work, sandbox: { kind: 'process' } }));
if (values.image !== undefined)
  WORKS.push({ ...WORKS[0], goal: 400, sandbox: { kind: 'container', image: values.image } });

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

async function timed({ turns, states }, owner) {
  const turn = { permissions: 'accept-edits', ...(owner === undefined ? {} : { sandbox: { owner } }) };
  const began = performance.now();
  const { status } = await stage.handle(await stage.start(states, { turn, budgetUsd: 10 })).result();
  if (status !== 'completed') throw new Error(`a run ended as ${status}`);
  return (performance.now() - began) / turns;
}

for (const work of WORKS) {
  for (const owner of [undefined, work.sandbox]) await timed(work, owner);
  const pairs = [];
  for (let round = 0; round < rounds; round += 1)
    pairs.push({ none: await timed(work), inside: await timed(work, work.sandbox) });
  const [ours, floor] = [spread(pairs.map(({ inside }) => inside)), spread(pairs.map(({ none }) => none))];
  const beyond = spread(pairs.map(({ none, inside }) => inside - none));
  const [inside, none, more] = [ours, floor, beyond].map((one) => one.median.toFixed(1));
  console.log(
    `${work.work}: ${none} ms, in the sandbox ${work.sandbox.kind} ${inside} ms, ${more} ms more (goal ${work.goal}; medians of ${rounds}; load ${before})`,
  );
  record({
    work: `${work.work}, in the sandbox ${work.sandbox.kind}`,
    ours,
    floor,
    beyond,
    goal: `beyond ≤ ${work.goal} ms`,
  });
}
await stage.close();
await model.close();
await rm(home, { recursive: true, force: true });
process.exit(0);

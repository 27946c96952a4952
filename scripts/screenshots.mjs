// Takes pictures of every view of the page of `raymond serve` with real runs in it, wide and narrow, light and dark; the best are kept in
// docs/images. Needs Chromium and a build (npm run build). Claude is the fake one of the tests.
// Usage: node scripts/screenshots.mjs [folder for all pictures]
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { chromiumPath } from './chromium.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const images = join(root, 'docs', 'images');

/** The pictures that stand in the documentation. */
const KEPT = {
  'inbox-wide-light': 'page-inbox',
  'run-wide-light': 'page-run',
  'timeline-wide-dark': 'page-timeline',
  'inbox-narrow-dark': 'page-phone',
};

const waitFor = (name) => `until [ -f ${name} ]; do sleep 0.2; done`;
const QUESTION = [
  'The reviewers found **two things**, none of them grave:',
  '',
  '| File | Finding |',
  '|---|---|',
  '| `parser.ts` | an edge case: an empty list |',
  '| `printer.ts` | a typo |',
  '',
  'Merge it? The plan is attached.',
].join('\n');
const FILES = {
  '.raymond/config.toml': '[raymond]\n',
  'review/workflow.yaml':
    'id: review\nname: Review\ndescription: Reviews a change with an agent for each file, and asks before it merges.\ninput:\n  mode: required\n  label: What to review\n  description: A branch, a commit, or a description of the change.\ndefault_budget: 10\n',
  'review/START.md': 'Plan the review of {{input}}.\n',
  'review/READ.md': 'Read {{file}}.\n',
  'review/WAIT.sh': `echo '<await next="ASK"/>'\n`,
  'review/question.md': QUESTION,
  'review/ASK.sh': `printf '# The plan\\n\\nEach file by an agent of its own.\\n' > plan.md\nprintf '<ask next="END" display_files="plan.md">%s</ask>' "$(cat "$(dirname "$RAYMOND_STATE_FILE")/question.md")"\n`,
  'review/END.sh': 'echo "<result>merged: $RAYMOND_INPUT</result>"\n',
  'build/workflow.yaml': 'id: build\nname: Build and check\ndescription: Builds every part, and repairs what fails.\n',
  'build/START.sh':
    'for part in core api page docs; do echo "<fork part=\\"$part\\">PART</fork>"; done\necho "<goto>WAIT</goto>"\n',
  'build/PART.sh': `printf '\\033[1mbuilding %s\\033[0m\\n' "$part"\nfor n in 1 2 3 4 5 6; do printf '\\033[32m✓\\033[0m step %s\\n' $n; sleep 0.$n; done\n[ "$part" = docs ] && { printf '\\033[31merror:\\033[0m a link leads nowhere\\n'; echo "no such page: setup.md" >&2; exit 3; }\n[ "$part" = page ] && ${waitFor('page.go')}\necho "<goto>CHECK</goto>"\n`,
  'build/CHECK.sh': 'sleep 0.8\necho "<result>$part is well</result>"\n',
  'build/WAIT.sh': `echo '<await next="END"/>'\n`,
  'build/END.sh': 'echo "<result>all parts are built</result>"\n',
};
const RULES = [
  {
    match: 'Plan',
    costUsd: 0.04,
    delayMs: 900,
    text: 'I read each file with an agent of its own.\n\n<fork file="parser.ts">READ</fork><fork file="printer.ts">READ</fork><fork file="README.md">READ</fork><goto>WAIT</goto>',
  },
  { match: 'README', costUsd: 0.01, delayMs: 700, text: 'Nothing to say. <result>no findings</result>' },
  {
    match: 'parser',
    costUsd: 0.09,
    delayMs: 2600,
    text: 'There is **one** edge case: an empty list.\n\n<result>1 finding: an edge case</result>',
  },
  { match: 'printer', costUsd: 0.12, delayMs: 1900, text: '<result>1 finding: a typo</result>' },
];

/** A project that is served, with runs in it. */
async function open() {
  const home = mkdtempSync(join(tmpdir(), 'raymond-screens-'));
  const cwd = join(home, 'parser');
  const write = (path, text) => {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text);
  };
  for (const [path, text] of Object.entries(FILES)) write(join('parser', path), text);
  write('rules.json', JSON.stringify(RULES));
  const fake = join(root, 'test', 'support', 'fakeClaude', 'main.mjs');
  write('bin/claude', `#!/bin/sh\nFAKE_CLAUDE_RULES=${home}/rules.json exec ${process.execPath} ${fake} "$@"\n`);
  chmodSync(join(home, 'bin', 'claude'), 0o755);
  const env = {
    ...process.env,
    TEMPORAL_ADDRESS: undefined,
    RAYMOND_FOREGROUND: 'engine',
    PATH: `${join(home, 'bin')}:${process.env.PATH}`,
    CLAUDE_CONFIG_DIR: join(home, 'claude'),
    USER: 'anna',
    LOGNAME: 'anna',
  };
  const raymond = [process.execPath, join(root, 'bin', 'raymond.js')];
  const server = spawn(raymond[0], [raymond[1], 'serve', '--port', '0', '--drain', '0'], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const address = await new Promise((printed, failed) => {
    server.stdout.once('data', (chunk) => printed(String(chunk).trim()));
    server.once('close', () => failed(new Error('raymond serve has ended')));
  });
  const close = async () => {
    const ended = new Promise((done) => server.once('close', done));
    server.kill('SIGTERM');
    await ended;
    spawnSync(raymond[0], [raymond[1], 'server', 'stop', '--force'], { cwd, env });
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  };
  return { address, close };
}

/** Calls the API as a program does. */
function caller(address) {
  const { origin, hash } = new URL(address);
  const headers = { authorization: `Bearer ${hash.replace('#token=', '')}`, 'content-type': 'application/json' };
  return async (method, path, body) => {
    const response = await fetch(`${origin}/api${path}`, { method, headers, body: body && JSON.stringify(body) });
    if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`);
    return await response.json();
  };
}

async function fill(call) {
  const start = (workflow, id, input) => call('POST', '/runs', { workflow, id, ...(input && { input }) });
  await start('review', 'review-parser-17', 'the branch parser-lists');
  const open = async (id) => (await call('GET', `/runs/${id}`)).asks.length > 0;
  while (!(await open('review-parser-17'))) await delay(200);
  const [{ askId }] = (await call('GET', '/runs/review-parser-17')).asks;
  await call('POST', `/runs/review-parser-17/asks/${askId}`, { text: 'yes, after the typo' });
  await start('review', 'review-parser-18', 'the branch parser-maps, above all its error messages');
  await start('build', 'build-42');
  while (!(await open('review-parser-18'))) await delay(200);
  const failed = async () => (await call('GET', '/runs/build-42')).agents.some(({ status }) => status === 'failed');
  while (!(await failed())) await delay(200);
}

const VIEWS = {
  inbox: { hash: '/', ready: 'text=Merge it?' },
  runs: { hash: '/runs', ready: 'text=build-42' },
  workflows: { hash: '/workflows', ready: 'text=Build and check' },
  start: { hash: '/start/review', ready: 'text=What to review' },
  run: { hash: '/runs/build-42', ready: 'text=main_part3' },
  timeline: { hash: '/runs/build-42?tab=timeline', ready: 'canvas' },
  graph: { hash: '/runs/build-42?tab=graph', ready: '.graph img' },
  costs: { hash: '/runs/review-parser-18?tab=costs', ready: 'text=Share' },
  orders: { hash: '/runs/review-parser-17?tab=orders', ready: 'text=answered' },
  agent: { hash: '/runs/build-42/agents/main_part3', ready: '.terminal' },
  turn: { hash: '/runs/review-parser-18/agents/main/turns/1', ready: 'text=The prompt' },
  failed: { hash: '/runs/build-42/agents/main_part4', ready: 'h1' },
};

async function take(browser, { address, folder }) {
  for (const [width, viewport] of Object.entries({
    wide: { width: 1280, height: 800 },
    narrow: { width: 390, height: 844 },
  }))
    for (const colorScheme of ['light', 'dark']) {
      const page = await browser.newPage({ viewport, colorScheme, reducedMotion: 'reduce' });
      await page.goto(address);
      await page.waitForSelector('main h1');
      for (const [name, { hash, ready }] of Object.entries(VIEWS)) {
        await page.goto(`${new URL(address).origin}/#${hash}`);
        await page.waitForSelector(ready);
        await delay(500);
        await page.screenshot({ path: join(folder, `${name}-${width}-${colorScheme}.png`) });
      }
      await page.close();
    }
}

const given = process.argv[2];
const folder = given ?? mkdtempSync(join(tmpdir(), 'raymond-pictures-'));
mkdirSync(folder, { recursive: true });
const place = await open();
const browser = await chromium.launch({ executablePath: chromiumPath(), args: ['--no-sandbox'] });
try {
  await fill(caller(place.address));
  await take(browser, { address: place.address, folder });
  mkdirSync(images, { recursive: true });
  for (const [name, kept] of Object.entries(KEPT))
    copyFileSync(join(folder, `${name}.png`), join(images, `${kept}.png`));
  console.log(`pictures: ${folder}; kept: ${images}`);
} finally {
  await browser.close();
  await place.close();
  if (given === undefined) rmSync(folder, { recursive: true, force: true });
}

// Captures what people see on a terminal during real runs, and writes it below the mark in docs/reference/terminal.md: embedded and on a cluster
// with a worker. Needs tmux, which is the terminal, and a build (npm run build). Claude is the fake one of the tests.
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const ROWS = 30;
const PATIENCE_MS = 60_000;
const MARK = '<!-- Written by scripts/capture-views.mjs from here on. -->';

const root = fileURLToPath(new URL('..', import.meta.url));
const page = join(root, 'docs', 'reference', 'terminal.md');

const waitFor = (name) => `until [ -f ${name} ]; do sleep 0.2; done`;
const FILES = {
  '.raymond/config.toml': '[raymond]\n',
  'review/START.md': 'Plan the review.\n',
  'review/READ.md': 'Read {{file}}.\n',
  'review/WAIT.sh': `echo '<await next="ASK"/>'\n`,
  'review/ASK.sh': `echo '<ask next="END">Two findings, none of them grave. Merge it?</ask>'\n`,
  'review/END.sh': 'echo "<result>merged: $RAYMOND_INPUT</result>"\n',
  'broken/START.sh': 'echo "<fork part=\\"one\\">PART</fork><fork part=\\"two\\">PART</fork><goto>WAIT</goto>"\n',
  'broken/PART.sh': '[ "$part" = one ] && echo "<result>fine</result>" || { echo "no space for $part" >&2; exit 3; }\n',
  'broken/WAIT.sh': 'echo "<result>started all parts</result>"\n',
  'crowd/START.sh': [
    'for n in $(seq 99); do echo "<fork item=\\"$n\\">WORK</fork>"; done',
    `echo '<goto>WAIT</goto>'\n`,
  ].join('\n'),
  'crowd/WORK.sh': `[ "$item" -gt 40 ] && ${waitFor('crowd.go')}\necho "<result>item $item done</result>"\n`,
  'crowd/WAIT.sh': `echo '<await next="END"/>'\n`,
  'crowd/END.sh': 'echo "<result>all done</result>"\n',
};

/** What the fake Claude answers; it reads on when `NAME.go` is there. */
const rulesIn = (folder) => [
  {
    match: 'Plan',
    costUsd: 0.04,
    text: '<fork file="parser.ts">READ</fork><fork file="printer.ts">READ</fork><fork file="README.md">READ</fork><goto>WAIT</goto>',
  },
  { match: 'README', costUsd: 0.01, text: 'Nothing to say. <result>no findings</result>' },
  {
    match: 'parser',
    costUsd: 0.09,
    waitFor: join(folder, 'review.go'),
    text: '<result>1 finding: an edge case</result>',
  },
  { match: 'printer', costUsd: 0.12, waitFor: join(folder, 'review.go'), text: '<result>1 finding: a typo</result>' },
];

/** A terminal with a shell in it. */
class Terminal {
  static count = 0;

  constructor({ columns, cwd, env }) {
    this.name = `raymond-views-${process.pid}-${(Terminal.count += 1)}`;
    const shell = ['new-session', '-d', '-x', String(columns), '-y', String(ROWS), '-c', cwd, 'env PS1="$ " sh'];
    this.tmux(['-f', '/dev/null', ...shell], env);
  }

  tmux(words, env = process.env) {
    const { status, stdout, stderr } = spawnSync('tmux', ['-L', this.name, ...words], { env, encoding: 'utf8' });
    if (status !== 0) throw new Error(`tmux ${words.join(' ')}: ${stderr}`);
    return stdout;
  }

  type(text) {
    this.tmux(['send-keys', '-l', text]);
  }

  enter() {
    this.tmux(['send-keys', 'Enter']);
  }

  get screen() {
    return this.tmux(['capture-pane', '-p']).trimEnd();
  }

  get title() {
    return this.tmux(['display-message', '-p', '#{pane_title}']).trim();
  }

  /** Waits until the screen looks so, and a moment longer for the last redraw. */
  async shows(pattern) {
    for (const deadline = Date.now() + PATIENCE_MS; !pattern.test(this.screen);) {
      if (Date.now() > deadline) throw new Error(`${String(pattern)} is not to be seen in:\n${this.screen}`);
      await delay(100);
    }
    await delay(400);
    return this.screen;
  }

  close() {
    spawnSync('tmux', ['-L', this.name, 'kill-server']);
  }
}

/** A project with its programs; `cluster` = its runs go to a server of another project, with a worker. */
async function open({ cluster }) {
  const home = mkdtempSync(join(tmpdir(), 'raymond-views-'));
  const cwd = join(home, 'project');
  const write = (path, text) => {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text);
  };
  for (const [path, text] of Object.entries(FILES)) write(join('project', path), text);
  write('rules.json', JSON.stringify(rulesIn(cwd)));
  const fake = join(root, 'test', 'support', 'fakeClaude', 'main.mjs');
  write('bin/raymond', `#!/bin/sh\nexec ${process.execPath} ${join(root, 'bin', 'raymond.js')} "$@"\n`);
  write('bin/claude', `#!/bin/sh\nFAKE_CLAUDE_RULES=${home}/rules.json exec ${process.execPath} ${fake} "$@"\n`);
  for (const name of ['raymond', 'claude']) chmodSync(join(home, 'bin', name), 0o755);
  const env = {
    ...process.env,
    TEMPORAL_ADDRESS: undefined,
    RAYMOND_FOREGROUND: 'engine',
    NO_COLOR: undefined,
    PATH: `${join(home, 'bin')}:${process.env.PATH}`,
    LANG: 'C.UTF-8',
    CLAUDE_CONFIG_DIR: join(home, 'claude'),
  };
  const call = (words, at = cwd) => spawnSync('raymond', words, { cwd: at, env, encoding: 'utf8' });
  if (!cluster) return { home, cwd, env, flags: '', close: () => call(['server', 'stop', '--force']) };
  write('server/.raymond/config.toml', '[raymond]\n');
  const [address] = /127\.0\.0\.1:\d+/.exec(call(['server', 'start'], join(home, 'server')).stdout) ?? [];
  const worker = spawn('raymond', ['worker', '--address', address], { cwd, env, stdio: ['ignore', 'ignore', 'pipe'] });
  let log = '';
  worker.stderr.on('data', (chunk) => (log += String(chunk)));
  while (!log.includes('"polling"')) await delay(50);
  const close = async () => {
    worker.kill('SIGTERM');
    await new Promise((ended) => worker.once('close', ended));
    call(['server', 'stop', '--force'], join(home, 'server'));
  };
  return { home, cwd, env, flags: ` --address ${address}`, close };
}

/** Runs one workflow on a terminal; `scenes` gives what is captured of it. */
async function play({ place, workflow, columns = 80, id, scenes }) {
  const go = join(place.cwd, `${workflow}.go`);
  rmSync(go, { force: true });
  const terminal = new Terminal({ columns, cwd: place.cwd, env: place.env });
  try {
    await terminal.shows(/^\$/);
    terminal.type(`raymond start ${workflow} --id ${id}${place.flags}`);
    terminal.enter();
    return await scenes(terminal, { goOn: () => writeFileSync(go, '') });
  } finally {
    terminal.close();
  }
}

const titled = (name, terminal, screen) => ({ name, screen, title: terminal.title });
const ENDED = /(completed|failed): \S+[^]*\$ *$/;

async function review(place, { columns, id, where }) {
  return await play({
    place,
    workflow: 'review',
    columns,
    id,
    scenes: async (terminal, { goOn }) => {
      const views = [titled(`Running, ${where}`, terminal, await terminal.shows(/2 running, 1 awaiting, 1 comp/))];
      goOn();
      await terminal.shows(/answer main> /);
      terminal.type('yes, after the ty');
      views.push(titled(`A question, being answered in place, ${where}`, terminal, await terminal.shows(/the ty▏/)));
      terminal.type('po');
      terminal.enter();
      views.push(titled(`Completed, ${where}`, terminal, await terminal.shows(ENDED)));
      return views;
    },
  });
}

async function broken(place, where) {
  const scenes = async (terminal) => [titled(`Failed, ${where}`, terminal, await terminal.shows(ENDED))];
  return await play({ place, workflow: 'broken', id: 'broken-1', scenes });
}

async function crowd(place, where) {
  return await play({
    place,
    workflow: 'crowd',
    columns: 100,
    id: 'crowd-1',
    scenes: async (terminal, { goOn }) => {
      const views = [titled(`100 agents, ${where}`, terminal, await terminal.shows(/40 completed/))];
      goOn();
      views.push(titled(`The end of 100 agents, ${where}`, terminal, await terminal.shows(ENDED)));
      return views;
    },
  });
}

async function capture({ cluster, where }) {
  const place = await open({ cluster });
  try {
    return [
      ...(await review(place, { columns: 80, id: 'review-1', where: `80 columns, ${where}` })),
      ...(await broken(place, `80 columns, ${where}`)),
      ...(await crowd(place, `100 columns, ${where}`)),
      ...(await review(place, { columns: 60, id: 'review-2', where: `60 columns, ${where}` })),
    ];
  } finally {
    await place.close();
    rmSync(place.home, { recursive: true, force: true });
  }
}

function section({ name, screen, title }) {
  const host = /^[\w.-]+$/.test(title) && !title.startsWith('raymond');
  const about = host || title === '' ? '' : `The title of the terminal: \`${title}\`\n\n`;
  return `### ${name}\n\n${about}\`\`\`text\n${screen}\n\`\`\`\n`;
}

if (!existsSync(join(root, 'dist'))) throw new Error('there is no build; call: npm run build');
if (spawnSync('tmux', ['-V']).status !== 0) throw new Error('there is no tmux on PATH; install it');
const views = [
  ...(await capture({ cluster: false, where: 'embedded' })),
  ...(await capture({ cluster: true, where: 'on a cluster' })),
];
const [above] = readFileSync(page, 'utf8').split(MARK);
writeFileSync(page, `${above}${MARK}\n\n${views.map(section).join('\n')}`);

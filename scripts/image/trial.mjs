// A worker in the image serves a Temporal server of this machine: the sample `hello`, and a prompt with the real Claude CLI. As with `docker run
// --read-only`: namespaces of its own for processes and mounts, tini as process 1, the user `node`, and a root that nobody can write.
import { chown, mkdir, readFile, writeFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { join } from 'node:path';
import { execa } from 'execa';
import { root, run, step } from './run.mjs';

const QUEUE = 'image';
const NODE_USER = 1000;
const MOST_MEGABYTES = 700;
const PROMPT = 'Say hello to {{input}}.\n';
const RULES = [
  { contains: 'Say hello to Ada.', reply: { text: 'Of course. <result>Hello, Ada, from a model!</result>' } },
];

/** Fails when one of the two does not give what it should, or the image is too large. */
export async function tryOut({ buildah, image, folder }) {
  const cluster = join(folder, '..', 'cluster');
  for (const path of [cluster, join(folder, 'greet')]) await mkdir(path, { recursive: true });
  await writeFile(join(folder, 'greet', 'START.md'), PROMPT);
  await chown(folder, NODE_USER, NODE_USER);
  const container = await step('a container of it', () => buildah.from(image));
  const megabytes = await buildah.sizeOf(container);
  console.log(`  ${megabytes} MB`);
  const rootfs = await buildah.call('mount', container);
  await tryPrograms({ rootfs, folder });
  const raymond = (...args) => run(process.execPath, [join(root, 'bin/raymond.js'), ...args], { cwd: cluster });
  const started = JSON.parse(await step('the Temporal server', () => raymond('server', 'start', '--json')));
  const model = await startModel(folder);
  const place = { rootfs, folder, address: started.address, url: model.url };
  let worker;
  try {
    worker = await step('the worker polls after', () => startWorker(place));
    await checkHealth(place);
    await expectResult(place, { workflow: '/opt/raymond/workflows/hello', result: 'Hello, Ada!' });
    await expectResult(place, { workflow: join(folder, 'greet'), result: 'Hello, Ada, from a model!' });
    await step('process 1 stopped the worker on SIGTERM after', () => stop(worker));
  } finally {
    worker?.kill('SIGKILL');
    model.process.kill('SIGTERM');
    await raymond('server', 'stop', '--force');
  }
  if (megabytes > MOST_MEGABYTES) throw new Error(`the image has ${megabytes} MB, more than ${MOST_MEGABYTES}`);
}

// $0 is the root of the image, $1 the project, which has the same path inside; what follows is run.
const ENTER = `
  mkdir --parents "$0$1"
  mount --bind "$0" "$0" && mount --options remount,bind,ro "$0"
  mount --types proc proc "$0/proc" && mount --rbind /dev "$0/dev"
  mount --types tmpfs --options mode=1777 tmpfs "$0/tmp" && mount --types tmpfs --options mode=1777 tmpfs "$0/home/node"
  mkdir --parents "$0$1" && mount --bind "$1" "$0$1"
  folder="$1"; shift
  exec chroot --userspec=node:node "$0" /usr/bin/env --ignore-environment --chdir="$folder" "$@"`;

/** Starts words as Docker would: behind tini, with a read-only root. */
function begin({ rootfs, folder, url = 'http://127.0.0.1:9' }, words) {
  const env = {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    HOME: '/home/node',
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: 'none',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  };
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const inside = [...variables, '/usr/bin/tini', '--', ...words];
  const args = ['--mount', '--pid', '--fork', '--kill-child', 'sh', '-ec', ENTER, rootfs, folder, ...inside];
  return execa('unshare', args, { reject: false, all: true });
}

const PROGRAMS = `
  claude --version && raymond --version && ray --version
  git init --quiet "$HOME/repository" && cd "$HOME/repository"
  git -c user.name=A -c user.email=a@b.c commit --quiet --allow-empty --message 'A commit' && git log --oneline
  test "$(id --user)" = ${NODE_USER} && test "$(cat /proc/1/comm)" = tini
  ! touch /opt/raymond/x 2>/dev/null && ! touch /srv/raymond/x 2>/dev/null`;

async function tryPrograms(place) {
  const { all, exitCode } = await step('its programs', () => begin(place, ['sh', '-exc', PROGRAMS]));
  if (exitCode !== 0) throw new Error(`the programs of the image ended with ${exitCode}:\n${all}`);
}

async function startModel(folder) {
  const rules = join(folder, 'rules.json');
  await writeFile(rules, JSON.stringify(RULES));
  const words = ['--rules', rules, '--log', join(folder, 'requests.jsonl')];
  const model = execa(process.execPath, [join(root, 'test/support/modelApiMain.mjs'), ...words], { reject: false });
  for await (const line of createInterface({ input: model.stdout })) return { process: model, ...JSON.parse(line) };
  throw new Error('the model API did not start');
}

async function startWorker(place) {
  const words = ['raymond', 'worker', '--address', place.address, '--task-queue', QUEUE];
  const worker = begin(place, words);
  const polls = new Promise((resolve) =>
    worker.all.on('data', (chunk) => String(chunk).includes('"polling"') && resolve('polls')),
  );
  if ((await Promise.race([polls, worker])) !== 'polls')
    throw new Error(`the worker did not begin to poll:\n${(await worker).all}`);
  // In an object: a process is a promise of its end.
  return { process: worker, kill: (signal) => worker.kill(signal) };
}

/** The check of docker-compose.yml. */
async function checkHealth(place) {
  const words = ['bash', '-c', `: </dev/tcp/${place.address.replace(':', '/')}`];
  const { all, exitCode } = await step('the health check', () => begin(place, words));
  if (exitCode !== 0) throw new Error(`the health check ended with ${exitCode}:\n${all}`);
}

async function expectResult(place, { workflow, result }) {
  const flags = ['--address', place.address, '--task-queue', QUEUE, '--json', '--input', 'Ada'];
  const { stdout, all, exitCode } = await step(workflow, () => begin(place, ['raymond', 'start', workflow, ...flags]));
  const document = exitCode === 0 ? JSON.parse(stdout) : undefined;
  if (document?.result !== result)
    throw new Error(`${workflow} should give ${result}, but ended with ${exitCode}:\n${all}`);
  const { status, costUsd } = document;
  console.log(`  ${JSON.stringify({ status, result, costUsd })}`);
}

/** The signal goes to process 1 of the namespace, as that of `docker stop` does. */
async function stop({ process: worker }) {
  const [first] = (await readFile(`/proc/${worker.pid}/task/${worker.pid}/children`, 'utf8')).split(' ');
  process.kill(Number(first), 'SIGTERM');
  const { exitCode, all } = await worker;
  if (exitCode !== 0) throw new Error(`the worker ended with ${exitCode}:\n${String(all).slice(-2000)}`);
}

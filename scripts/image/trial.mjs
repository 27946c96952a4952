// A worker in the image serves a Temporal server of this machine: the sample `hello`, and a prompt with the real Claude CLI.
import { chown, mkdir, writeFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { join } from 'node:path';
import { execa } from 'execa';
import { root, run, step } from './run.mjs';

const QUEUE = 'image';
const NODE_USER = 1000;
const PROMPT = 'Say hello to {{input}}.\n';
const RULES = [
  { contains: 'Say hello to Ada.', reply: { text: 'Of course. <result>Hello, Ada, from a model!</result>' } },
];

/** Fails when one of the two does not give what it should. */
export async function tryOut({ buildah, image, folder }) {
  const cluster = join(folder, '..', 'cluster');
  for (const path of [cluster, join(folder, 'greet')]) await mkdir(path, { recursive: true });
  await writeFile(join(folder, 'greet', 'START.md'), PROMPT);
  const raymond = (...args) => run(process.execPath, [join(root, 'bin/raymond.js'), ...args], { cwd: cluster });
  const started = JSON.parse(await step('the Temporal server', () => raymond('server', 'start', '--json')));
  const model = await startModel(folder);
  const container = await step('a container of it', () => buildah.from(image));
  console.log(`  ${await buildah.sizeOf(container)} MB`);
  const inImage = { buildah, container, folder, address: started.address, url: model.url };
  let worker, pid;
  try {
    await chown(folder, NODE_USER, NODE_USER);
    ({ worker, pid } = await step('the worker polls after', () => startWorker(inImage)));
    await expectResult(inImage, { workflow: '/opt/raymond/workflows/hello', result: 'Hello, Ada!' });
    await expectResult(inImage, { workflow: join(folder, 'greet'), result: 'Hello, Ada, from a model!' });
    await step('the worker stopped on SIGTERM after', () => stop(worker, pid));
  } finally {
    worker?.kill('SIGKILL');
    model.process.kill('SIGTERM');
    await raymond('server', 'stop', '--force');
  }
}

async function startModel(folder) {
  const rules = join(folder, 'rules.json');
  await writeFile(rules, JSON.stringify(RULES));
  const words = ['--rules', rules, '--log', join(folder, 'requests.jsonl')];
  const model = execa(process.execPath, [join(root, 'test/support/modelApiMain.mjs'), ...words], { reject: false });
  for await (const line of createInterface({ input: model.stdout })) return { process: model, ...JSON.parse(line) };
  throw new Error('the model API did not start');
}

/** The words of `buildah run` that this trial needs: the project at the path that it has outside, and where the model is. */
function flagsOf({ folder, url }) {
  const env = { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'none', CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1' };
  const variables = Object.entries(env).flatMap(([name, value]) => ['--env', `${name}=${value}`]);
  return ['--volume', `${folder}:${folder}`, '--workingdir', folder, ...variables];
}

async function startWorker({ buildah, container, address, ...rest }) {
  const words = ['tini', '--', 'raymond', 'worker', '--address', address, '--task-queue', QUEUE];
  const worker = buildah.begin(container, { flags: flagsOf(rest), words });
  const polls = new Promise((resolve) =>
    worker.all.on('data', (chunk) => {
      const [, pid] = /"pid":(\d+),.*"polling"/.exec(String(chunk)) ?? [];
      if (pid !== undefined) resolve(Number(pid));
    }),
  );
  const pid = await Promise.race([polls, worker]);
  // In an object: a process is a promise of its end.
  if (typeof pid === 'number') return { worker, pid };
  throw new Error(`the worker did not begin to poll:\n${(await worker).all}`);
}

async function expectResult({ buildah, container, address, ...rest }, { workflow, result }) {
  const flags = ['--address', address, '--task-queue', QUEUE, '--json', '--input', 'Ada'];
  const call = () =>
    buildah.begin(container, { flags: flagsOf(rest), words: ['raymond', 'start', workflow, ...flags] });
  const { stdout, all, exitCode } = await step(workflow, call);
  const document = exitCode === 0 ? JSON.parse(stdout) : undefined;
  if (document?.result !== result)
    throw new Error(`${workflow} should give ${result}, but ended with ${exitCode}:\n${all}`);
  const { status, costUsd } = document;
  console.log(`  ${JSON.stringify({ status, result, costUsd })}`);
}

/** Tells the worker itself: buildah hands no signals on. */
async function stop(worker, pid) {
  process.kill(pid, 'SIGTERM');
  const { exitCode, all } = await worker;
  if (exitCode !== 0) throw new Error(`the worker ended with ${exitCode}:\n${String(all).slice(-2000)}`);
}

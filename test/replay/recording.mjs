// One run that is recorded: started on a real server, driven from outside, its histories fetched and made fit to be stored.
// Must not choose what is recorded (kinds.mjs) nor where it goes (scripts/record-histories.mjs).
import { access, mkdir, writeFile } from 'node:fs/promises';
import { homedir, hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import proto from '@temporalio/proto';
import { execa } from 'execa';
import { FolderStore } from '../../dist/store/folder.js';
import { sendAnswer } from '../../dist/client/steer/answer.js';
import {
  cancelRun,
  moveAgent,
  pauseRun,
  resumeOpenRun,
  retryAgent,
  tellAgent,
} from '../../dist/client/steer/control.js';
import { openPackage } from '../../dist/client/start/package.js';
import { restartRun } from '../../dist/client/steer/resume.js';
import { viewRun } from '../../dist/client/look/runs.js';
import { SEARCH_ATTRIBUTES } from '../../dist/protocol/ids.js';
import { limiterId } from '../../dist/protocol/leases.js';
import { runInputOf, startRun } from '../../dist/client/start/start.js';

const PATIENCE_MS = 180_000;

const BY = 'somebody@host';

/** A run in a folder of its own, `folder`, with its states in `folder`/flow. */
export class Recording {
  constructor({ client, taskQueue, raymondDir }, { folder, kind }) {
    Object.assign(this, { client, taskQueue, raymondDir, folder, kind, runId: kind.kind });
  }

  /** Starts it, does what its kind says, and waits until all its workflows are closed. */
  async play() {
    for (const [name, text] of Object.entries(this.kind.states)) await this.write(join('flow', name), text);
    const request = {
      runId: this.runId,
      package: await openPackage('flow', { cwd: this.folder, cacheDir: join(this.raymondDir, 'registry') }),
      cwd: this.folder,
      taskQueue: this.taskQueue,
      turn: { permissions: 'accept-edits' },
      failFast: false,
      searchAttributes: Object.keys(SEARCH_ATTRIBUTES),
      ...this.kind.options,
      ...(this.kind.repository === true ? { workspace: await this.#workspace() } : {}),
    };
    if (this.kind.scheduled === true) await this.#schedule(request);
    else await startRun(this.client, request);
    await this.kind.drive?.(this);
    await this.#until('the end of all workflows', async () => {
      const executions = await this.#executions();
      return executions.length > 0 && executions.every(({ status }) => status.name !== 'RUNNING');
    });
  }

  /** What workspaces are made of: the branch `main` of a repository with one file. */
  async #workspace() {
    const [repo, clone] = [join(this.folder, 'repository'), join(this.folder, 'clone')];
    const author = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com'];
    const git = (...words) => execa('git', [...author, ...words]);
    await git('init', '--quiet', '--bare', '-b', 'main', repo);
    await git('clone', '--quiet', repo, clone);
    await this.write('clone/README.md', 'hello\n');
    await git('-C', clone, 'add', '.');
    await git('-C', clone, 'commit', '--quiet', '-m', 'first');
    await git('-C', clone, 'push', '--quiet', 'origin', 'HEAD:main');
    const root = join(this.folder, 'workspaces');
    return { settings: { root, repo, ref: 'main', onHostLoss: 'wait', outputBranch: 'done' }, inside: '' };
  }

  /** Lets a schedule start it, which makes its id. */
  async #schedule(request) {
    const { runId: name, ...scheduled } = runInputOf(request);
    const { taskQueue } = this;
    const action = { type: 'startWorkflow', workflowType: 'run', workflowId: name, taskQueue, args: [scheduled] };
    const schedule = await this.client.schedule.create({ scheduleId: name, spec: {}, action });
    await schedule.trigger();
    await this.#until('the scheduled run', async () => {
      for await (const { workflowId } of this.client.workflow.list({ query: `WorkflowId STARTS_WITH "${name}-"` }))
        this.runId = workflowId;
      return this.runId !== name;
    });
    await schedule.delete();
  }

  /** The histories by file name, fit to be stored. */
  async histories() {
    const files = {};
    const executions = await this.#executions();
    const wanted = ({ workflowId }) => this.kind.agents?.includes(workflowId.split('/')[1] ?? 'main') ?? true;
    for (const { workflowId, runId, type } of executions.filter(wanted)) {
      const siblings = executions.filter((other) => other.workflowId === workflowId);
      const number = siblings.length === 1 ? '' : `-${siblings.findIndex((other) => other.runId === runId) + 1}`;
      const agent =
        workflowId.startsWith(this.runId) && workflowId.includes('/')
          ? (workflowId.split('/')[1]?.replace(/^main/, '') ?? '')
          : '';
      const { events } = await this.client.workflow.getHandle(workflowId, runId).fetchHistory();
      files[`${this.kind.kind}${agent.replaceAll('_', '-')}${number}.${type}.json`] = neutral({ events });
    }
    return files;
  }

  async made(name) {
    await this.#until(`the file ${name}`, () =>
      access(join(this.folder, name)).then(
        () => true,
        () => false,
      ),
    );
  }

  async write(name, text) {
    await mkdir(dirname(join(this.folder, name)), { recursive: true });
    await writeFile(join(this.folder, name), text);
  }

  async paused() {
    await this.#until('the pause', async () => (await viewRun(this.client, this.runId)).status === 'paused');
  }

  async closed() {
    await this.#until('the end', async () => !(await viewRun(this.client, this.runId)).open);
  }

  async resume() {
    await resumeOpenRun(this.client, await viewRun(this.client, this.runId));
  }

  /** Asks for a pause and waits until the run has told its agents. */
  async pause(how = {}) {
    await pauseRun(this.client, { view: await viewRun(this.client, this.runId), by: BY, ...how });
    await this.#until('the pause', async () => (await viewRun(this.client, this.runId)).pausedBy !== undefined);
  }

  async tell(agentId, text) {
    const view = await viewRun(this.client, this.runId);
    await tellAgent(this.client, { view, agentId, note: { text, by: BY } });
  }

  async move(agentId, move) {
    const view = await viewRun(this.client, this.runId);
    await moveAgent({ client: this.client }, { view, agentId, move: { ...move, by: BY } });
  }

  async retry(agentId) {
    await retryAgent(this.client, { view: await viewRun(this.client, this.runId), agentId, by: BY });
  }

  async failed(agentId) {
    const isFailed = ({ id, status }) => id === agentId && status === 'failed';
    await this.#until('the failure', async () => (await viewRun(this.client, this.runId)).agents.some(isFailed));
  }

  async cancel() {
    await cancelRun(this.client, this.runId);
  }

  /** Answers a question as soon as it is asked, with a file of these words if one is named. */
  async answer(askId, { text, file }) {
    const asked = async () => {
      const { agents } = await viewRun(this.client, this.runId);
      return agents.some(({ ask }) => ask?.id === askId);
    };
    await this.#until(`the question ${askId}`, asked);
    const files = file === undefined ? [] : [await this.#file(file)];
    const agentId = askId.replace(/^ask_(.*)_\d+$/, '$1');
    await sendAnswer(this.client, { runId: this.runId, agentId, answer: { askId, text, files } });
  }

  async #file(name) {
    const { sha256, bytes } = await this.#artifacts().put(Buffer.from(name));
    return { name, sha256, bytes, type: 'text/plain' };
  }

  #artifacts() {
    return new FolderStore(join(this.raymondDir, 'artifacts'));
  }

  async revive(budget) {
    const artifacts = this.#artifacts();
    await restartRun(this.client, {
      view: await viewRun(this.client, this.runId),
      artifacts,
      taskQueue: this.taskQueue,
      ...(budget === undefined ? {} : { budget }),
    });
  }

  async terminate(agentId) {
    const id = agentId === undefined ? this.runId : `${this.runId}/${agentId}`;
    await this.client.workflow.getHandle(id).terminate('recorded');
  }

  /** Waits until an agent has closed, however. */
  async ended(agentId) {
    await this.client.workflow
      .getHandle(`${this.runId}/${agentId}`)
      .result()
      .catch(() => undefined);
  }

  /** All executions of the run and its agents, oldest first. */
  async #executions() {
    const limiter = this.kind.limited === true ? ` OR WorkflowId = "${limiterId(this.taskQueue)}"` : '';
    const query = `WorkflowId = "${this.runId}" OR WorkflowId STARTS_WITH "${this.runId}/"${limiter}`;
    const found = [];
    for await (const info of this.client.workflow.list({ query })) found.push(info);
    return found.sort((one, other) => one.startTime - other.startTime || one.historyLength - other.historyLength);
  }

  async #until(what, probe) {
    for (const deadline = Date.now() + PATIENCE_MS; !(await probe()); await delay(50)) {
      if (Date.now() > deadline) throw new Error(`${this.runId}: ${what} did not come`);
    }
  }
}

// Not the SDK's historyToJSON: it fails where npm has installed its protobuf library more than once.
const { History } = proto.temporal.api.history.v1;
const AS_TEXT = { enums: String, longs: String, bytes: String };

/** A history as a text without the recording host: worker identities and stack traces mean nothing to a replay. */
function neutral(history) {
  const text = JSON.stringify(History.toObject(History.fromObject(history), AS_TEXT), (key, value) =>
    key === 'stackTrace' ? undefined : value,
  );
  const plain = unnamed(text).replaceAll(/"data":"([^"]*)"/g, (_whole, data) => `"data":"${withoutHost(data)}"`);
  const traces = [fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, ''), homedir(), hostname()];
  for (const words of [plain, ...payloadsIn(plain)]) {
    const trace = traces.find((name) => namesWhole(words, name));
    if (trace !== undefined) throw new Error(`a history names ${trace}: ${words.slice(0, 400)}`);
  }
  return plain;
}

/** A text without the recording process and its host. */
function unnamed(text) {
  return [hostname(), 'host'].reduce((kept, name) => kept.replaceAll(`${process.pid}@${name}`, '1@host'), text);
}

/** The same for a payload in base64: the memo of a run says who started it. */
function withoutHost(data) {
  const words = Buffer.from(data, 'base64').toString('utf8');
  return words.includes(`${process.pid}@`) ? Buffer.from(unnamed(words)).toString('base64') : data;
}

function namesWhole(words, name) {
  const escaped = name.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`(?<![\\w.-])${escaped}(?![\\w.-])`).test(words);
}

/** The payloads of a history as text. */
export function payloadsIn(history) {
  return [...history.matchAll(/"data":"([^"]*)"/g)].map(([, data]) => Buffer.from(data, 'base64').toString('utf8'));
}

// The runs whose files are kept, and what they refer to: every SHA-256 in their histories and in the stored documents
// that those name. An unreadable file is an error, because no file may be removed while a reference to it may be unread.
import { createReadStream } from 'node:fs';
import type { Client } from '@temporalio/client';
import proto from '@temporalio/proto';
import { sha256Of } from '../../host/sha256.js';
import { readWhole } from '../../packages/error.js';
import { MAX_PACKAGE_BYTES } from '../../packages/limits.js';
import { ArtifactMissing, type ArtifactStore } from '../../store/store.js';
import { agentsKnown } from '../../history/recorded-run.js';
import { msOf } from '../../history/events.js';
import { fileNameOfRun } from '../../protocol/ids.js';
import { decodedHistories } from '../look/history.js';
import { scheduleNames } from '../schedules/schedule-handle.js';

const { WorkflowExecutionStatus } = proto.temporal.api.enums.v1;

type Execution = proto.temporal.api.workflow.v1.IWorkflowExecutionInfo;

/** The runs that are open, that can be resumed, or that completed after `since`. */
export async function keptRuns(client: Client, since: Date): Promise<readonly string[]> {
  const latest = new Map<string, Execution>();
  for await (const execution of executionsOfRuns(client)) {
    const runId = execution.execution?.workflowId ?? '';
    const known = latest.get(runId);
    if (known === undefined || msOf(known.startTime) < msOf(execution.startTime)) latest.set(runId, execution);
  }
  const isOver = ({ status, closeTime }: Execution): boolean =>
    status === WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_COMPLETED && msOf(closeTime) < since.getTime();
  return [...latest].flatMap(([runId, execution]) => (isOver(execution) ? [] : [runId]));
}

/** Not the SDK's list, which decodes each memo: a run with an undecodable memo is a run, too. */
async function* executionsOfRuns({ connection, options: { namespace } }: Client): AsyncGenerator<Execution> {
  let nextPageToken: Uint8Array = new Uint8Array();
  do {
    const request = { namespace, query: 'WorkflowType = "run"', nextPageToken };
    const page = await connection.workflowService.listWorkflowExecutions(request);
    yield* page.executions;
    nextPageToken = page.nextPageToken;
  } while (nextPageToken.length > 0);
}

/**
 * A store that notes what is read from it: a value that was too large for Temporal is read without its name being
 * visible.
 */
export class NotingStore implements ArtifactStore {
  readonly located = new Set<string>();

  constructor(private readonly store: ArtifactStore) {}

  get location(): string {
    return this.store.location;
  }

  value: ArtifactStore['value'] = (...words) => this.store.value(...words);
  put: ArtifactStore['put'] = (bytes) => this.store.put(bytes);
  putFile: ArtifactStore['putFile'] = (path) => this.store.putFile(path);
  materialise: ArtifactStore['materialise'] = (...words) => this.store.materialise(...words);
  text: ArtifactStore['text'] = (value) => this.store.text(value);

  write: ArtifactStore['write'] = (...words) => this.store.write(...words);
  read: ArtifactStore['read'] = (name) => this.store.read(name);
  list: ArtifactStore['list'] = (folder) => this.store.list(folder);

  locate(sha256: string): Promise<string> {
    this.located.add(sha256);
    return this.store.locate(sha256);
  }
}

/** Collects the references of runs. */
export class References {
  private readonly found = new Set<string>();
  private readonly packages = new Set<string>();

  /** `artifacts` is the store of `client`. */
  constructor(
    private readonly client: Client,
    private readonly artifacts: NotingStore,
  ) {}

  /** Reads all histories of a run and of its agents. Throws when that is impossible. */
  async addRun(runId: string): Promise<void> {
    const agents = await agentsKnown({ client: this.client, artifacts: this.artifacts }, { runId });
    for (const name of [{ runId }, ...agents.map(({ agentId }) => ({ runId, agentId }))])
      for await (const events of decodedHistories(this.client, name)) for (const event of events) this.addEvent(event);
  }

  /** Adds the arguments with which schedules start their runs. */
  async addSchedules(): Promise<void> {
    for await (const name of scheduleNames(this.client)) {
      const { action } = await this.client.schedule.getHandle(name).describe();
      this.addEvent(action.args);
    }
  }

  /** Adds the documents of a run that are kept for the time when Temporal has deleted it. */
  async addChapters(runId: string): Promise<void> {
    const folder = `runs/${fileNameOfRun(runId)}`;
    for (const name of await this.artifacts.list(folder))
      for (const sha256 of namesIn((await this.artifacts.read(`${folder}/${name}`)) ?? '')) this.found.add(sha256);
  }

  /** Every relevant SHA-256: also those in named documents, and of packages in one file. */
  async all(): Promise<ReadonlySet<string>> {
    const all = new Set(await this.packageHashes());
    for (let open = [...this.found, ...this.artifacts.located]; open.length > 0;) {
      const sha256 = open.pop() ?? '';
      if (all.has(sha256)) continue;
      all.add(sha256);
      open = [...open, ...(await this.namedIn(sha256))];
    }
    return all;
  }

  private addEvent(event: unknown): void {
    const text = JSON.stringify(event);
    for (const sha256 of namesIn(text)) this.found.add(sha256);
    for (const [, path = ''] of text.matchAll(PACKAGE_PATH)) this.packages.add(JSON.parse(`"${path}"`) as string);
  }

  /** An unpacked package is named by the hash of its file, which no history contains. */
  private async packageHashes(): Promise<readonly string[]> {
    // A package that was removed since has no run that could unpack it again: its copy is kept by its age.
    const hashes = [...this.packages].map(async (path) => sha256Of(await readWhole(path, MAX_PACKAGE_BYTES)));
    return (await Promise.allSettled(hashes)).flatMap((hash) => (hash.status === 'fulfilled' ? [hash.value] : []));
  }

  /** The references in a stored JSON document. */
  private async namedIn(sha256: string): Promise<readonly string[]> {
    const path = await this.artifacts.locate(sha256).catch((error: unknown) => {
      if (error instanceof ArtifactMissing) return undefined; // Not every hash is an artifact's.
      throw error;
    });
    return path === undefined ? [] : await namesInFile(path);
  }
}

const PACKAGE_PATH = /"path":"((?:[^"\\]|\\.)+\.(?:zip|ya?ml))"/g;

const SHA256 = /[0-9a-f]{64}/g;

function namesIn(text: string): readonly string[] {
  return [...text.matchAll(SHA256)].map(([sha256]) => sha256);
}

async function namesInFile(path: string): Promise<readonly string[]> {
  const names = new Set<string>();
  let rest: string | undefined;
  for await (const chunk of createReadStream(path, { encoding: 'latin1', highWaterMark: 1 << 20 })) {
    if (rest === undefined && !/^\s*[{["]/.test(chunk as string)) break;
    const text = (rest ?? '') + (chunk as string);
    for (const name of namesIn(text)) names.add(name);
    // A name may be split across two chunks.
    rest = text.slice(-63);
  }
  return [...names];
}

// Where a chain of turns is recorded before it continues, so that another attempt of its activity
// repeats none of them. Beside an embedded server that is a file, which is as safe as the server's
// database: both survive the end of every process, but not always a power failure. On a cluster it
// is the server itself, by a heartbeat that it confirms.
import { constants, open, readdir, readFile, rm, stat, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makePrivateFolder } from '../../host/files.js';
import { toPayload } from '../../codec/converter.js';
import { jsonOf } from '../../protocol/text.js';
import type { Attempt } from '../attempt/attempt.js';
import { agentKey } from '../attempt/attempt-names.js';
import { clientOf, reporterOf, type Reporter } from '../attempt/receipts.js';
import type { ChainedTurn, TurnHeartbeat } from '../../contract/turns.js';

/** The finished turns of an activity. */
export interface ChainLog {
  /** The turns that its earlier attempts recorded, with the first one. */
  read(): Promise<readonly ChainedTurn[]>;
  /**
   * Records turns for later attempts; false when that is impossible, or the activity is no longer
   * wanted.
   */
  write(next: Attempt, done: readonly ChainedTurn[]): Promise<boolean>;
  /** No more turns follow. */
  close(): Promise<void>;
}

/** The log of an attempt; undefined when its activity executes only one turn. */
export function chainLogOf(attempt: Attempt): ChainLog | undefined {
  if (attempt.request.chain === undefined) return undefined;
  const { chains } = attempt.worker.settings;
  const reporter = reporterOf(attempt.context);
  if (chains === 'none' || reporter === undefined) return undefined;
  return chains === 'file' ? new ChainFile(attempt, reporter) : new ChainHeartbeat(attempt);
}

const FOLDER = 'chains';

/**
 * One file per agent: its first line names the activity of the last chain, every other line is a
 * turn.
 */
class ChainFile implements ChainLog {
  private readonly path: string;
  private written = 0;
  private file: FileHandle | undefined;

  constructor(
    private readonly attempt: Attempt,
    private readonly reporter: Reporter,
  ) {
    const { runId, agent } = attempt.request;
    this.path = chainFile(attempt.worker.settings.raymondDir, { runId, agentId: agent.id });
  }

  async read(): Promise<readonly ChainedTurn[]> {
    const { head, turns } = await readChain(this.path);
    if (head === undefined) return [];
    return head === this.head || (await this.wasTerminated(JSON.parse(head) as Reporter, turns)) ? turns : [];
  }

  /** True for a chain that begins with this turn, whose agent was terminated from outside before the server had the report. */
  private async wasTerminated(reporter: Reporter, [first]: readonly ChainedTurn[]): Promise<boolean> {
    const { request, context } = this.attempt;
    const { agent } = request;
    const client = clientOf(context);
    if (first?.turn !== agent.turn + 1 || first.state !== agent.state || client === undefined) return false;
    const { workflowId, workflowRunId } = reporter;
    const described = client.workflow.getHandle(workflowId, workflowRunId).describe();
    return await described.then(
      ({ status }) => status.name === 'TERMINATED',
      () => false, // Temporal has deleted it: this is another run of the same name
    );
  }

  private get head(): string {
    return JSON.stringify(this.reporter);
  }

  async write(_next: Attempt, done: readonly ChainedTurn[]): Promise<boolean> {
    const lines = done.slice(this.written).map((turn) => `${JSON.stringify(turn)}\n`);
    try {
      this.file ??= await this.begin();
      await this.file.appendFile(this.written === 0 ? [`${this.head}\n`, ...lines].join('') : lines.join(''));
    } catch {
      return false; // a full disk: the turns so far are reported now
    }
    this.written = done.length;
    return true;
  }

  async close(): Promise<void> {
    await this.file?.close();
  }

  private async begin(): Promise<FileHandle> {
    await makePrivateFolder(dirname(this.path));
    const { O_WRONLY, O_CREAT, O_TRUNC, O_APPEND } = constants;
    // An agent has one activity at a time, so what is in the file has been reported.
    return await open(this.path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0o600);
  }
}

function chainFile(
  raymondDir: string,
  { runId, agentId }: { readonly runId: string; readonly agentId: string },
): string {
  return join(raymondDir, FOLDER, `${agentKey(runId, agentId)}.jsonl`);
}

async function readChain(
  path: string,
): Promise<{ readonly head: string | undefined; readonly turns: readonly ChainedTurn[] }> {
  const text = await readFile(path, 'utf8').catch(() => ''); // no file: no turn was recorded
  const [head, ...lines] = text.split('\n').slice(0, -1); // a line without its end was cut by a kill
  const turns: ChainedTurn[] = [];
  for (const line of lines) {
    const turn = jsonOf(line);
    if (turn === undefined) break; // damaged by a power cut: that turn and later ones run again
    turns.push(turn as ChainedTurn);
  }
  return { head: jsonOf(head ?? '') === undefined ? undefined : head, turns };
}

/**
 * The turns that a dead worker recorded for an activity that the server still waits for; none
 * without a chain.
 */
export async function chainOfDead(
  raymondDir: string,
  { runId, agentId, activity }: { readonly runId: string; readonly agentId: string; readonly activity: Reporter },
): Promise<readonly ChainedTurn[]> {
  const { workflowId, workflowRunId, activityId } = activity;
  const { head, turns } = await readChain(chainFile(raymondDir, { runId, agentId }));
  return head === JSON.stringify({ workflowId, workflowRunId, activityId }) ? turns : [];
}

/** A file this old does not belong to a chain in progress. */
const OLD_MS = 3_600_000;

/** Removes the files of those activities that the server no longer waits for. */
export async function removeChainFiles(
  raymondDir: string,
  hasArrived: (reporter: Reporter) => Promise<boolean>,
): Promise<void> {
  const folder = join(raymondDir, FOLDER);
  const names = await readdir(folder).catch(() => []); // no folder: there were no chains
  for (const path of names.map((name) => join(folder, name))) {
    const { mtimeMs = Date.now() } = await stat(path).catch(() => ({ mtimeMs: undefined })); // just removed
    if (Date.now() - mtimeMs < OLD_MS) continue;
    const [head = ''] = (await readFile(path, 'utf8').catch(() => '')).split('\n'); // its agent has just ended
    const reporter = jsonOf(head) as Reporter | undefined;
    if (reporter === undefined || (await hasArrived(reporter))) await rm(path, { force: true });
  }
}

/** After this time the turns are reported to the server instead. */
const CONFIRMED_MS = 2000;

/** Sends heartbeat details without the SDK, which would delay them. */
class ChainHeartbeat implements ChainLog {
  constructor(private readonly first: Attempt) {}

  async read(): Promise<readonly ChainedTurn[]> {
    const { info } = this.first.context;
    const details = info.heartbeatDetails as TurnHeartbeat | undefined;
    return await Promise.resolve(info.attempt === 1 ? [] : (details?.chain ?? []));
  }

  async close(): Promise<void> {
    await Promise.resolve();
  }

  async write(next: Attempt): Promise<boolean> {
    const { context, worker } = this.first;
    const client = clientOf(context);
    // A heartbeat that the SDK still delays would replace this one.
    if (client === undefined || performance.now() - context.beatAt < worker.settings.heartbeatMs / 2) return false;
    const { namespace, loadedDataConverter, identity } = client.options;
    const { taskToken, activityId, workflowExecution, isLocal } = context.info;
    const serialization = { type: 'activity', namespace, activityId, isLocal } as const;
    const workflowId = workflowExecution?.workflowId;
    try {
      const details = await toPayload(loadedDataConverter, next.signOfLife(worker.scripts), {
        ...serialization,
        ...(workflowId === undefined ? {} : { workflowId }),
      });
      const request = { namespace, taskToken, identity, details: { payloads: [details] } };
      const { cancelRequested, activityPaused } = await client.withDeadline(Date.now() + CONFIRMED_MS, () =>
        client.workflowService.recordActivityTaskHeartbeat(request),
      );
      return !cancelRequested && !activityPaused;
    } catch {
      return false; // Unreachable, or it has given the activity to another attempt: the report will show that.
    }
  }
}

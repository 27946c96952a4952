// Finds the processes of a run that can be killed, and watches a workflow's history for a moment to do it. Kills nothing itself.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import type proto from '@temporalio/proto';
import { effectsIn } from '../trials/effects.js';

/** The launcher of a Raymond process, if it has one. */
export async function launcherOf(pid: number): Promise<number | undefined> {
  for (const name of (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry))) {
    const [stat = '', command = ''] = await Promise.all(
      ['stat', 'cmdline'].map((file) => readFile(`/proc/${name}/${file}`, 'utf8').catch(() => '')),
    );
    const parent = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1];
    if (parent === String(pid) && command.includes('raymond-launcher')) return Number(name);
  }
  return undefined;
}

/** A process that does a turn at the moment: of a prompt, or of a script. */
export async function turnProcess(effects: string, what: 'claude' | 'script'): Promise<number | undefined> {
  const open = new Map<string, number>();
  for (const { kind, attempt, state, pid } of await effectsIn(effects)) {
    if (kind === 'B' && state.endsWith('.md') === (what === 'claude')) open.set(attempt, pid);
    if (kind === 'E') open.delete(attempt);
  }
  const living = await Promise.all(
    [...open.entries()].map(async ([attempt, pid]) => {
      const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
      return environment.includes(`RAYMOND_ATTEMPT=${attempt}`) ? [pid] : [];
    }),
  );
  return living.flat().at(-1);
}

interface Server {
  readonly pid: number;
  readonly address: string;
}

/** The embedded server of a project, if it was ever started. */
export async function serverOf(cwd: string): Promise<Server | undefined> {
  const text = await readFile(join(cwd, '.raymond', 'temporal', 'server.json'), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : (JSON.parse(text) as { readonly info: Server }).info;
}

/** What to watch for; it is given up after `timeoutMs`, or when the run is over. */
export interface Watch {
  readonly workflowId: string;
  readonly type: proto.temporal.api.enums.v1.EventType;
  readonly timeoutMs: number;
  readonly over: () => boolean;
}

/** Resolves with true as soon as a new event of this type stands in the workflow's history, or in that of the executions that continue it. */
export async function eventHappens({ address }: Server, watch: Watch): Promise<boolean> {
  const deadline = Date.now() + watch.timeoutMs;
  const connection = await Connection.connect({ address }).catch(() => undefined);
  if (connection === undefined) return false; // the server is being killed
  try {
    for await (const events of news(connection, watch, deadline)) {
      if (events.some(({ eventType }) => eventType === watch.type)) return true;
    }
    return false;
  } catch {
    return false; // the time is over, or there is no such workflow (yet)
  } finally {
    await connection.close().catch(() => undefined);
  }
}

type Event = proto.temporal.api.history.v1.IHistoryEvent;

/** What is added to the history from now on. */
async function* news(
  connection: Connection,
  { workflowId, over }: Watch,
  deadline: number,
): AsyncGenerator<readonly Event[]> {
  let runId: string | undefined;
  let token: Uint8Array = new Uint8Array();
  for (let first = true; !over() && Date.now() < deadline; first = false) {
    const execution = { workflowId, ...(runId === undefined ? {} : { runId }) };
    const request = { namespace: 'default', execution, waitNewEvent: true, nextPageToken: token };
    const { history, nextPageToken } = await connection.withDeadline(deadline, () =>
      connection.workflowService.getWorkflowExecutionHistory(request),
    );
    const events = history?.events ?? [];
    if (!first) yield events;
    token = nextPageToken;
    if (token.length > 0) continue;
    runId = events.at(-1)?.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId ?? undefined;
    if (runId === undefined) return;
  }
}

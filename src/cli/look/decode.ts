// `raymond decode`: the recorded events of a run or an agent as JSON lines, or the payloads of a JSON text from stdin.
import { buffer } from 'node:stream/consumers';
import { payloadsOf } from '../../codec/converter.js';
import { readable } from '../../codec/readable.js';
import { ClientError } from '../../client/error.js';
import { findRun } from '../../client/look/runs.js';
import { decodedHistories } from '../../client/look/history.js';
import { keysOf, storeOf } from '../../client/open.js';
import { findProject } from '../../client/project/project.js';
import type { ConnectionFlags } from '../flags.js';
import { openForQuestion } from '../context.js';
import type { Io } from '../io.js';

/** The run or agent; without an agent, the run's own history. */
interface DecodeRequest {
  readonly runId: string;
  readonly agentId: string | undefined;
  readonly flags: ConnectionFlags;
}

/** Prints the recorded events, or with `-` the payloads from stdin; returns the exit code. */
export async function decode(io: Io, { runId: name, agentId, flags }: DecodeRequest): Promise<number> {
  if (name === '-') {
    const text = (await buffer(io.stdin)).toString('utf8');
    await io.print(JSON.stringify(await decodedText(io, text)));
    return 0;
  }
  const { link } = await openForQuestion(io, { flags, runId: name });
  const { runId } = await findRun(link.client, name);
  for await (const events of decodedHistories(link.client, { runId, ...(agentId === undefined ? {} : { agentId }) }))
    await io.print(events.map((event) => JSON.stringify(event)).join('\n'));
  return 0;
}

async function decodedText({ cwd, env }: Io, text: string): Promise<unknown> {
  const project = await findProject(cwd);
  const payloads = payloadsOf({ keys: await keysOf(project), store: storeOf(project, env) });
  return await readable(parsed(text), payloads);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    const message = `stdin is not JSON (${(error as Error).message}); give a payload or an export such as "temporal workflow show --output json"`;
    throw new ClientError('InvalidUsage', message, { cause: error });
  }
}

// The time that a test's run would have waited. Waits end at once in tests, so the times come from the history, in
// which agents record until when they wait.
import type { Client } from '@temporalio/client';
import { fromPayload, unchecked } from '../codec/converter.js';
import { eventsOf, msOf } from '../history/events.js';
import type { AgentStatus } from '../contract/runs.js';

/** A wait of an agent: before its state, in it for an answer, or for the end of a limit. */
export interface Wait {
  readonly agentId: string;
  readonly state: string;
  readonly seconds: number;
}

interface Report {
  readonly agentId: string;
  readonly state: string;
  readonly status: AgentStatus;
}

/** The waits of a run; `late` = the questions that expired. */
export async function waitsOf(
  client: Client,
  { runId, late }: { readonly runId: string; readonly late: ReadonlySet<string> },
): Promise<readonly Wait[]> {
  const payloads = unchecked(client.options.loadedDataConverter);
  const waits: Wait[] = [];
  for await (const event of eventsOf(client, { workflowId: runId })) {
    const signalled = event.workflowExecutionSignaledEventAttributes;
    const [payload] = signalled?.input?.payloads ?? [];
    if (signalled?.signalName !== 'report' || !payload) continue;
    const { agentId, state, status } = (await fromPayload(payloads, payload)) as Report;
    const until = untilOf(status, late);
    // Clocks of two workflows differ by the time that a message takes.
    if (until !== undefined)
      waits.push({ agentId, state, seconds: Math.round((until - msOf(event.eventTime)) / 1000) });
  }
  return waits;
}

function untilOf(status: AgentStatus, late: ReadonlySet<string>): number | undefined {
  if (status.kind === 'sleeping' || status.kind === 'waiting') return status.until;
  return status.kind === 'asking' && late.has(status.ask.id) ? status.ask.until : undefined;
}

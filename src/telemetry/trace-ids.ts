// The ids of runs and agents in traces, derived from their names: every worker puts a turn into the same trace under
// the same parent, and no context has to travel through Temporal.
import { createHash } from 'node:crypto';

/** The trace of a run: 32 hexadecimal digits. */
export function traceIdOf(runId: string): string {
  return digest(`run ${runId}`, 32);
}

/** The span of an agent, the parent of its turns: 16 hexadecimal digits. */
export function agentSpanId(runId: string, agentId: string): string {
  return digest(`agent ${runId}/${agentId}`, 16);
}

/** The TRACEPARENT of a recorded span (W3C Trace Context). */
export function traceParent({ traceId, spanId }: { readonly traceId: string; readonly spanId: string }): string {
  return `00-${traceId}-${spanId}-01`;
}

/** Never all zeros in practice, which would be invalid. */
function digest(text: string, digits: number): string {
  return createHash('sha256').update(text).digest('hex').slice(0, digits);
}

// The output of `raymond resume`: a line for every agent that continues, and the next command for every agent that it
// cannot help. Pure.
import { isEmpty, type Resumed, type Resumption } from '../../client/steer/resumption.js';

/** How many lines of a kind are shown; more are counted. */
const LINES = 10;

/** The lines for one run. */
export function resumptionText(runId: string, resumption: Resumption): string {
  const { resumed, failed, asks, pausedBy, restarted, reopened, unprocessed } = resumption;
  return [
    ...(isEmpty(resumption) ? [`nothing to resume in ${runId}: no agent is paused`] : []),
    ...(restarted === true ? [`started ${runId} again`] : []),
    ...(reopened === true ? [`${runId} is stopping; it continues when all of its agents have ended`] : []),
    ...(unprocessed === true ? [`no worker executes ${runId} now; the order waits for one`] : []),
    ...(pausedBy === undefined ? [] : [`cancelled the pause by ${pausedBy}`]),
    ...bounded(resumed.map(resumedText)),
    ...bounded(failed.map((id) => `${id} failed; fix the cause, then run: raymond retry ${runId} ${id}`)),
    ...bounded(asks.map(({ id, agentId }) => `${agentId} waits for an answer: raymond answer ${runId} ${id} "…"`)),
  ].join('\n');
}

function resumedText({ id, why }: Resumed): string {
  return why === undefined ? `resumed ${id}` : `resumed ${id} (${why})`;
}

function bounded(lines: readonly string[]): readonly string[] {
  return lines.length <= LINES ? lines : [...lines.slice(0, LINES), `and ${lines.length - LINES} more`];
}

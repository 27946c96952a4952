// What the ledger still knows of agents whose lines are in the archive: sums. Pure.
import type { ArchiveTotals, EndedAgent } from '../../activities/types.js';
import { exactly, type Value } from '../../protocol/text.js';
import { isUnhandled } from './roster.js';

/** The sums with these lines, which lie in `archive` now. */
export function withLines(
  { count, costUsd, failed, cancelled }: ArchiveTotals,
  { lines, archive }: { readonly lines: readonly EndedAgent[]; readonly archive: Value },
): ArchiveTotals {
  return {
    count: count + lines.length,
    costUsd: exactly(lines.reduce((sum, line) => sum + line.costUsd, costUsd)),
    failed: failed + lines.filter(isUnhandled).length,
    cancelled: cancelled + lines.filter(isCancelled).length,
    archive,
  };
}

/** The sums without an agent that is listed again; its line in the archive counts no more. */
export function withoutLine(totals: ArchiveTotals, line: EndedAgent): ArchiveTotals {
  return {
    ...totals,
    count: totals.count - 1,
    costUsd: exactly(totals.costUsd - line.costUsd),
    failed: totals.failed - (isUnhandled(line) ? 1 : 0),
    cancelled: totals.cancelled - (isCancelled(line) ? 1 : 0),
  };
}

function isCancelled({ status }: EndedAgent): boolean {
  return status.kind === 'cancelled';
}

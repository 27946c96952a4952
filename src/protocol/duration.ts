// Durations as authors write them: 90, 90s, 1.5m, 2h, 7d, 1w. Pure text.
// Must not know what is waited for.

/** What a duration looks like, for messages. */
export const DURATION_FORM = 'a duration such as 90s, 5m, 2h or 7d';

/** No wait of a workflow is longer, in seconds: ten years. */
const LONGEST_SECONDS = 10 * 366 * 86_400;

const SECONDS: Readonly<Record<string, number>> = { '': 1, s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 };

/** The seconds of a duration; undefined when the text is none or is longer than ten years. */
export function parseDuration(text: string): number | undefined {
  const match = /^(\d+(?:\.\d*)?|\.\d+)\s*([smhdw]?)$/.exec(text.trim());
  const unit = SECONDS[match?.[2] ?? ''];
  if (match === null || unit === undefined) return undefined;
  const seconds = Number(match[1]) * unit;
  return seconds <= LONGEST_SECONDS ? seconds : undefined;
}

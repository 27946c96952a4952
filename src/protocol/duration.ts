// A span of time as people write it: `90`, `90s`, `1.5m`, `2h`, `7d`, `1w`. Pure.
// Must not know what it is for; nothing here is negative or endless.

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 };

/** How a duration is written, for messages. */
export const DURATION_FORM = 'seconds, or a number with s, m, h, d or w, such as 90s or 1.5m';

/** The seconds of a duration; undefined for what is none. */
export function parseDuration(text: string): number | undefined {
  const [, amount, unit = 's'] = /^(\d+(?:\.\d*)?|\.\d+)([smhdw])?$/i.exec(text.trim()) ?? [];
  const seconds = Number(amount) * (SECONDS[unit.toLowerCase()] ?? 1);
  return Number.isFinite(seconds) ? seconds : undefined;
}

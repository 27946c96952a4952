// Formats times and durations for people. Pure.

/** A duration in its two largest units: `850 ms`, `4.2 s`, `2 m 05 s`, `3 h 07 m`, `4 d 06 h`. */
export function duration(ms: number): string {
  const seconds = Math.max(0, ms) / 1000;
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`;
  if (seconds < 60) return `${seconds < 10 ? seconds.toFixed(1) : Math.floor(seconds)} s`;
  const [minutes, hours] = [Math.floor(seconds / 60), Math.floor(seconds / 3600)];
  if (minutes < 60) return `${minutes} m ${two(Math.floor(seconds) % 60)} s`;
  return hours < 24 ? `${hours} h ${two(minutes % 60)} m` : `${Math.floor(hours / 24)} d ${two(hours % 24)} h`;
}

/** An ordinal: `1st`, `2nd`, `12th`. */
export function ordinal(rank: number): string {
  const teens = Math.floor(rank / 10) % 10 === 1;
  return `${rank}${teens ? 'th' : (['th', 'st', 'nd', 'rd'][rank % 10] ?? 'th')}`;
}

function two(number: number): string {
  return String(number).padStart(2, '0');
}

/** A time of day in the zone of this host: `08:11:29`. Its first use of Intl would cost a command 14 ms. */
export function clockTime(time: Date): string {
  return [time.getHours(), time.getMinutes(), time.getSeconds()].map(two).join(':');
}

/** To make one takes a hundred times as long as to use it. */
const formats = new Map<string | undefined, Intl.DateTimeFormat>();

function formatFor(zone: string | undefined): Intl.DateTimeFormat {
  const format =
    formats.get(zone) ??
    new Intl.DateTimeFormat('en-CA', {
      timeZone: zone,
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      hourCycle: 'h23',
      timeZoneName: 'short',
    });
  formats.set(zone, format);
  return format;
}

/** A time in the reader's zone: `2026-11-22 08:11:29 UTC`; `zone` (IANA) replaces the host's. */
export function localTime(time: Date, zone?: string): string {
  const part = Object.fromEntries(
    formatFor(zone)
      .formatToParts(time)
      .map(({ type, value }) => [type, value]),
  );
  const { year = '', month = '', day = '', hour = '', minute = '', second = '', timeZoneName = '' } = part;
  return `${year}-${month}-${day} ${hour}:${minute}:${second} ${timeZoneName}`;
}

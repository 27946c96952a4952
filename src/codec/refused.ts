// What the worker of an embedded server gets instead of a payload without the project's mark
// (mac.ts); the code that reads it rejects the work. Part of the workflow bundle: imports nothing.

/** The value of a refused payload. */
interface Refused {
  readonly raymondRefused: true;
}

/** The only such value; always the same, so that it replays. */
export const REFUSED: Refused = { raymondRefused: true };

/** True for a value that must not be acted upon. */
export function isRefused(value: unknown): value is Refused {
  return typeof value === 'object' && value !== null && 'raymondRefused' in value;
}

/** The global that the worker of an embedded server sets in front of the bundle: work without any payload is refused, too. */
const FLAG = '__raymondRefuses';

/** The code of a bundle that refuses. On the same line, so that stack traces stay right. */
export function refusing(code: string): string {
  return `globalThis.${FLAG} = true; ${code}`;
}

/** True for arguments that no process of the project has sent. */
export function isForeign(args: readonly unknown[]): boolean {
  return args.some(isRefused) || (args.length === 0 && FLAG in globalThis);
}

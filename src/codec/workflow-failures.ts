// The failure converter inside the workflow bundle. All workers use one bundle; a worker that encrypts sets a global.
import { DefaultFailureConverter } from '@temporalio/common';

/** The global that a worker sets in front of the bundle. */
const FLAG = '__raymondHidesFailures';

/** What the SDK looks for. */
export const failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: FLAG in globalThis });

/** The code of a bundle whose failures are hidden. On the same line, so that stack traces stay right. */
export function hidingFailures(code: string): string {
  return `globalThis.${FLAG} = true; ${code}`;
}

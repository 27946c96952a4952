// Environment variables only for tests: they shorten long waits. An invalid value is an error, because a
// run with it would behave unexpectedly.
import { ClientError } from '../error.js';

/** Each of them, and its minimum. */
const KNOBS = {
  /** Turns after which an agent continues as new. */
  RAYMOND_TURNS_PER_HISTORY: 1,
  /** Seconds without a poll after which a host counts as lost. */
  RAYMOND_HOST_SILENCE: 1,
} as const;

/** The number that a test has set; undefined when it has not. Throws `InvalidUsage`. */
export function testKnob(env: NodeJS.ProcessEnv, name: keyof typeof KNOBS): number | undefined {
  const text = env[name];
  if (text === undefined || text === '') return undefined;
  const number = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (number >= KNOBS[name]) return number;
  throw new ClientError(
    'InvalidUsage',
    `${name}: expected a whole number of at least ${KNOBS[name]}, not "${text}"; only tests need this variable: unset it`,
  );
}

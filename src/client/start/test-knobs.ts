// Environment variables that only tests set: they make happen soon what takes long otherwise. A value that makes no sense is refused, for a
// run that was started with it would behave in a way that nobody asked for.
import { ClientError } from '../error.js';

/** Each of them, and the least that it may be. */
const KNOBS = {
  /** Turns after which an agent continues as new. */
  RAYMOND_TURNS_PER_HISTORY: 1,
  /** Seconds of silence after which a host counts as gone. */
  RAYMOND_HOST_SILENCE: 1,
} as const;

/** The whole number that a test has set; undefined when it has not. Throws `InvalidUsage`. */
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

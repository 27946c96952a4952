// The order of the test files: the longest first, by durations.json, so that no long file begins when all others are done.
// `npm test -- --record-durations` writes that file anew; a file that is not in it is taken for a short one.
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import Sequencer from '@jest/test-sequencer';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const durations = JSON.parse(readFileSync(new URL('durations.json', import.meta.url), 'utf8'));
const secondsOf = ({ path }) => durations[relative(ROOT, path)] ?? 0;

/** Sorts by recorded seconds; among files without any, as Jest does. */
export default class LongestFirst extends Sequencer {
  sort(tests) {
    return super.sort(tests).sort((one, other) => secondsOf(other) - secondsOf(one));
  }
}

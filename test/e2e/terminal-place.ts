// The real command on a real pseudo-terminal, for the tests of what people see there.
import { spawnSync } from 'node:child_process';
import { afterEach, test as always } from '@jest/globals';
import type { ResultPromise } from 'execa';
import type { Place } from '../support/cli.js';

/** The one of util-linux, which every Linux has. */
const hasScript = spawnSync('script', ['--version']).status === 0;

/** A test of this host's terminals, where it has them. */
export const test = hasScript ? always : always.skip;

const running: ResultPromise[] = [];
afterEach(async () => {
  for (const one of running.splice(0)) {
    one.kill('SIGKILL');
    await one;
  }
});

/** A call on a terminal, which ends with its test. */
export function onTerminal(place: Place, ...given: Parameters<Place['onTerminal']>): ResultPromise {
  const call = place.onTerminal(...given);
  running.push(call);
  return call;
}

/** What was printed so far. */
export function heard(process: ResultPromise): () => string {
  let text = '';
  process.stdout?.on('data', (chunk) => (text += String(chunk)));
  return () => text;
}

/** What the printed text says, without colours, moves of the cursor and titles. */
export function plain(text: string): string {
  // eslint-disable-next-line no-control-regex -- that is what they begin with
  return text.replaceAll(/\u001b(?:\[[\d;?]*[A-Za-z]|\][^\u0007]*\u0007)/g, '').replaceAll('\r', '');
}

/** A workflow with one question. */
export const ASKS = {
  'flow/START.sh': 'echo "<ask next=\\"END\\">Which colour?</ask>"\n',
  'flow/END.sh': 'echo "<result>you said $RAYMOND_INPUT</result>"\n',
};

// A place whose runs serve metrics at an address of its own, for the tests of metrics.
import { createServer } from 'node:net';
import { afterEach, beforeAll } from '@jest/globals';
import type { ResultPromise } from 'execa';
import { Place } from '../support/cli.js';
import { fakeWith } from '../support/fakes.js';
import { freeAddress, pageWhere, type MetricsPage } from '../support/metrics-page.js';

/** The place of a test file; what a test begins in it ends with that test. */
export class MetricsPlace {
  place!: Place;
  address!: string;
  private readonly running: ResultPromise[] = [];

  constructor() {
    beforeAll(async () => {
      this.place = await Place.sharing({
        'flow/START.md': 'Begin.\n',
        'flow/ASK.sh': 'echo \'<ask next="SAY">Which colour?</ask>\'\n',
        'flow/SAY.sh': 'echo "<result>$RAYMOND_INPUT</result>"\n',
        'quick/START.sh': 'echo "<result>done</result>"\n',
        'slow/START.sh': 'touch started; until [ -f go ]; do sleep 0.05; done; echo "<result>done</result>"\n',
      });
      this.address = await freeAddress();
    });
    afterEach(async () => {
      for (const one of this.running.splice(0)) {
        one.kill('SIGKILL');
        await one;
      }
    });
  }

  begin(args: readonly string[], env: Readonly<Record<string, string>> = {}): ResultPromise {
    const started = this.place.begin(args, { env });
    this.running.push(started);
    return started;
  }

  /** A run that has had a prompt and a script and now asks. */
  async asking(runId: string): Promise<{ readonly run: ResultPromise; readonly page: MetricsPage }> {
    const usage = { input_tokens: 10, output_tokens: 5 };
    const fake = await fakeWith({ text: '<goto>ASK</goto>', costUsd: 0.25, usage });
    const run = this.begin(['start', 'flow', '--id', runId, '--on-ask', 'wait', '--metrics', this.address], fake.env);
    const page = await pageWhere(this.address, (one) => one.value('raymond_asks_open') === 1);
    return { run, page };
  }
}

/** A port that is in use. */
export async function occupied(): Promise<{ readonly port: number; readonly close: () => Promise<void> }> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new Error('no port');
  return { port: bound.port, close: () => new Promise((resolve) => void server.close(() => resolve())) };
}

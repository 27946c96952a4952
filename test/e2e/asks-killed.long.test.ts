// A process that is killed while its run asks.
import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { Place } from '../support/cli.js';
import { until } from '../support/until.js';

const SAY = 'echo "<result>$RAYMOND_ASK_ID: $RAYMOND_INPUT</result>"\n';
const COLOUR = 'echo \'<ask next="SAY">Which colour?</ask>\'\n';

let place: Place;
let running: ReturnType<Place['begin']> | undefined;
beforeAll(async () => {
  place = await Place.at({
    'flow/START.sh': COLOUR,
    'flow/SAY.sh': SAY,
    'late/START.sh': 'echo x >> seen\necho \'<ask next="MORE" timeout="1s">Which colour?</ask>\'\n',
    'late/MORE.sh': 'echo \'<ask next="SAY">And which shade?</ask>\'\n',
    'late/SAY.sh': SAY,
    'mended/START.sh': `[ -f go ] || exit 1\n${COLOUR}`,
    'mended/SAY.sh': SAY,
    'long/START.sh': `echo '<ask next="SAY">${'x'.repeat(2000)}</ask>'\n`,
    'long/SAY.sh': SAY,
    'two/START.sh': 'echo "<fork>ASK</fork><goto>ASK</goto>"\n',
    'two/ASK.sh': COLOUR,
    'two/SAY.sh': SAY,
    'files/START.sh': 'echo \'<ask next="READ" upload_slots="report:text/plain">Your report?</ask>\'\n',
    'files/READ.sh': 'echo "<result>$(cat "$RAYMOND_TASK_FOLDER/asks/$RAYMOND_ASK_ID/report")</result>"\n',
    'planted/START.sh':
      'd=$RAYMOND_TASK_FOLDER/asks/ask_main_1; mkdir -p $d/report; ln -s $PWD/victim $d/link\n' +
      'echo plan > plan.md; echo \'<ask next="READ" upload_bucket="true" display_files="plan.md">Files?</ask>\'\n',
    'planted/READ.sh':
      'cd "$RAYMOND_TASK_FOLDER/asks/$RAYMOND_ASK_ID"; echo "<result>$(cat link shown/plan.md)</result>"\n',
    victim: 'untouched\n',
    'policy/START.md': '---\nallowed_transitions:\n  - { tag: ask, next: SAY }\n---\nAsk.\n',
    'policy/SAY.sh': SAY,
    'report.txt': 'all is well\n',
    'picture.png': Buffer.from('89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489', 'hex'),
  });
});
afterEach(async () => {
  running?.kill('SIGKILL');
  await running;
  running = undefined;
});

const status = async (runId: string): Promise<string> => (await place.raymond(['status', runId])).stdout;

describe('a process that serves a run which asks', () => {
  test('may be killed: an answer serves the run and finishes it', async () => {
    running = place.begin(['start', 'flow', '--id', 'killed', '--on-ask', 'wait']);
    await until(async () => (await status('killed')).includes('main asks'), { what: 'the question' });
    running.kill('SIGKILL');
    await running;
    expect(await place.raymond(['answer', 'killed', 'blue'])).toMatchObject({
      stdout: 'ask_main_1: blue',
      exitCode: 0,
    });
  });
});

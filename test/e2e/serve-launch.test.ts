// `raymond serve --launch`: a name that cannot be started is refused before the engine starts; otherwise its run is started.
import { beforeAll, expect, test } from '@jest/globals';
import { Place } from '../support/cli.js';
import { Served } from '../support/served.js';
import { until } from '../support/until.js';

let place: Place;
beforeAll(async () => {
  place = await Place.at({
    'flows/good/workflow.yaml': 'id: greeting\n',
    'flows/good/START.sh': 'echo "<result>hello</result>"\n',
    'flows/asks/workflow.yaml': 'id: asks\ninput: { mode: required }\n',
    'flows/asks/START.sh': 'echo "<result>$RAYMOND_INPUT</result>"\n',
  });
});

test.each([
  ['flows~god', 'there is no workflow "flows~god", did you mean flows~good?; the workflows are flows~asks, flows~good'],
  ['asks', 'asks needs an input; start it on the page, or with: raymond start flows/asks --input TEXT'],
])('%s is refused', async (name, message) => {
  const { stderr, stdout, exitCode } = await place.raymond(['serve', '--port', '0', '--launch', name]);
  expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 64 });
  expect(stderr).toContain(message);
});

test('a workflow is started by the id of its manifest', async () => {
  await Served.at(place, { args: ['--launch', 'greeting'] });
  const result = async (): Promise<string | undefined> => {
    const { stdout, exitCode } = await place.raymond(['result', '@last']);
    return exitCode === 0 ? stdout : undefined;
  };
  expect(await until(result, { what: 'its result' })).toBe('hello');
});

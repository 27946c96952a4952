// The options of the original: what has another name here is answered by that name, and the rest means the same.
import { beforeAll, expect, test } from '@jest/globals';
import { Place } from '../support/cli.js';

let place: Place;
beforeAll(async () => {
  place = await Place.at();
});

test.each<[string, string]>([
  ['start x --root y', 'name the folder in workflow_folders of the config'],
  ['serve --root y', 'name the folder in workflow_folders of the config'],
  ['start x --name t', 'the title of the terminal cannot be set; --id names the run'],
  ['diagram x --html', 'write --format html'],
  ['start x --dangerously-skip-permissions=false', 'leave it out'],
  ['start x --dangerously-skip-permissions=true', 'write --dangerously-skip-permissions'],
  ['start x --init-config', 'run "raymond --init-config"'],
  ['serve --clean', 'raymond cancel RUN'],
  ['serve list', 'run "raymond list"'],
  ['start x --resume y', 'run "raymond resume RUN"'],
  ['convert x --output y', 'write the target after the source'],
])('%s is answered by the right word', async (words, hint) => {
  const { stdout, stderr, exitCode } = await place.raymond(words.split(' '));
  expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 64 });
  expect(stderr).toContain(hint);
});

test.each([
  'start x --workflow-id w',
  'start x --on-ask=pause',
  'start x --continue-session',
  'lint x --win',
  'diagram x --win',
])('%s is understood: only the workflow is missing', async (words) => {
  const { stderr, exitCode } = await place.raymond(words.split(' '));
  expect(stderr).toContain('there is no workflow at');
  expect(exitCode).toBe(64);
});

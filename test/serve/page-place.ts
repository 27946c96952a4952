// The page of `raymond serve` in a real browser, signed in by the printed address, for the tests of the page: a workflow whose agents write
// what would do harm, one whose question shows files, and one that waits.
import { expect } from '@jest/globals';
import type { BrowserContext, Page } from 'playwright-core';
import { openBrowser, openContext, openTab, type Tab } from '../support/browser.js';
import { Place } from '../support/cli.js';
import { fakeWith } from '../support/fakes.js';
import { Served } from '../support/served.js';

/** What would run in a page that does not take it for text. */
export const EVIL =
  '<script>window.hacked=1</script><img src=x onerror="window.hacked=1"><svg onload="window.hacked=1">';
const LONG = 'w'.repeat(60);

/** The server, and a tab that shows its inbox. */
export async function openPage(): Promise<{
  readonly served: Served;
  readonly context: BrowserContext;
  readonly tab: Tab;
}> {
  const fake = await fakeWith({
    text: `I have read it. ${EVIL} <result>**well** ${EVIL} ${LONG}</result>`,
    costUsd: 0.25,
    toolCalls: [
      {
        says: 'I **test** it.',
        name: 'Bash',
        input: { command: `npm test ${EVIL}` },
        result: `${EVIL} FAIL`,
        isError: true,
      },
      {
        name: 'Edit',
        input: { file_path: 'a.ts', old_string: 'one\ntwo', new_string: `one\n${EVIL}` },
        result: 'done',
      },
    ],
  });
  const place = await Place.at({
    'talk/workflow.yaml': `id: talk\nname: Talk ${LONG}\ndescription: Asks for a report.\ninput:\n  mode: required\n  label: Topic\n`,
    'talk/START.sh': [
      `printf '\\033[31m%s\\033[0m\\n' 'printed ${EVIL} ${LONG}'`,
      `printf '%s' '${EVIL}' > shown.html`,
      `printf '%s' '<ask next="READ" upload_slots="report:text/plain" display_files="shown.html">Which **colour**? ${EVIL} [here](javascript:window.hacked=1) ![](/api/hacked) ${LONG}</ask>'`,
      '',
    ].join('\n'),
    'talk/READ.md': 'Read {{input}}.\n',
    'pick/workflow.yaml': 'id: pick\nname: Pick\ninput:\n  mode: none\n',
    'pick/START.sh':
      'printf "# The plan" > plan.md\nprintf "%%PDF-1.4\\n" > print.pdf\necho \'<ask next="END" display_files="plan.md,print.pdf" choices="merge,wait">Merge?</ask>\'\n',
    'pick/END.sh': 'echo "<result>chosen: $RAYMOND_INPUT</result>"\n',
    'long/workflow.yaml': 'id: long\nname: Long\ninput:\n  mode: none\n',
    'long/START.sh': 'echo begun\nwhile [ ! -f go ]; do sleep 0.05; done\necho "<goto>END</goto>"\n',
    'long/END.sh': 'echo "<result>gone</result>"\n',
  });
  const served = await Served.at(place, { env: fake.env });
  const context = await openContext(await openBrowser());
  const tab = await openTab(context);
  await tab.page.goto(served.address);
  await tab.page.getByRole('heading', { name: 'Inbox' }).waitFor();
  return { served, context, tab };
}

/** Starts a run of `talk` as somebody does who has found it among the workflows, and waits for its question. */
export async function startTalk(page: Page): Promise<string> {
  await page.getByRole('link', { name: 'Workflows' }).click();
  await page.getByRole('link', { name: 'Start Talk' }).click();
  await page.getByLabel('Topic').fill('the sky');
  await page.getByRole('button', { name: 'Start the run' }).click();
  await page.getByRole('article', { name: /Question of main/ }).waitFor();
  return decodeURIComponent(/#\/runs\/([^?]+)/.exec(page.url())?.[1] ?? '');
}

/** Adds the file that the question of `talk` wants. */
export async function attachReport(page: Page): Promise<void> {
  await page
    .getByLabel(/^report/)
    .setInputFiles({ name: 'mine.txt', mimeType: 'text/plain', buffer: Buffer.from('a report') });
  await page.getByText(/report attached/).waitFor();
}

/** Nothing that agents have written has run. */
export async function expectNothingRan({ page, errors }: Tab): Promise<void> {
  expect({ hacked: await page.evaluate('window.hacked'), errors }).toEqual({ hacked: undefined, errors: [] });
}

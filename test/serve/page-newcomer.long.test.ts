// The path of docs/how-to/page.md: somebody who has never seen the page finds why 60 agents failed, retries them all, answers a question on a phone,
// and says what the day cost; and then every view at both widths and in both themes. With RAYMOND_PICTURES=FOLDER the pictures of the guide are
// taken on the way.
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { expectAccessible, expectFitting, openBrowser, openContext, openTab, type Tab } from '../support/browser.js';
import { Place } from '../support/cli.js';
import { fakeWith } from '../support/fakes.js';
import { Served } from '../support/served.js';
import { until } from '../support/until.js';

const DESK = { width: 1100, height: 800 };
const PHONE = { width: 390, height: 780 };

const QUESTION = [
  'The reviewers found **two things**, neither of them serious:',
  '',
  '| File | Finding |',
  '|---|---|',
  '| `parser.ts` | an empty list fails |',
  '| `printer.ts` | a typo |',
  '',
  'Merge the branch?',
].join('\n');

let place: Place;
let served: Served;
let browser: Browser;
let tab: Tab;
let page: Page;

beforeAll(async () => {
  const fake = await fakeWith({
    text: 'The change is sound. There is **one** open point: an empty list.\n\n<goto>ASK</goto>',
    costUsd: 0.42,
    toolCalls: [
      { name: 'Bash', input: { command: 'npm test -- parser' }, result: 'FAIL parser.test.ts', isError: true },
    ],
  });
  place = await Place.at({
    'nightly/workflow.yaml': 'id: nightly\nname: Nightly checks\ndescription: Checks every module of the project.\n',
    'nightly/START.sh':
      'for n in $(seq 60); do echo "<fork module=\\"module-$n\\">CHECK</fork>"; done\necho "<goto>END</goto>"\n',
    'nightly/CHECK.sh': [
      'echo "checking $module"',
      'if [ ! -f fixtures/schema.sql ]; then',
      '  echo "Error: cannot open fixtures/schema.sql" >&2; echo "    at loadFixtures (check.js:14)" >&2; exit 1',
      'fi',
      'echo "<result>$module is sound</result>"',
      '',
    ].join('\n'),
    'nightly/END.sh': 'echo "<result>60 checks started</result>"\n',
    'release/workflow.yaml':
      'id: release\nname: Release\ndescription: Reviews a branch, and asks before it merges.\ninput:\n  mode: required\n  label: Branch\n',
    'release/START.md': 'Review {{input}}.\n',
    'release/question.md': QUESTION,
    'release/ASK.sh': `printf '<ask next="END" choices="merge,wait,reject">%s</ask>' "$(cat "$(dirname "$RAYMOND_STATE_FILE")/question.md")"\n`,
    'release/END.sh': 'echo "<result>answered: $RAYMOND_INPUT</result>"\n',
  });
  served = await Served.at(place, { env: fake.env });
  await start('nightly', 'nightly-0711');
  await start('release', 'release-17', 'the branch parser-lists');
  browser = await openBrowser();
  tab = await openTab(await openContext(browser, { viewport: DESK }));
  page = tab.page;
  await page.goto(served.address);
  await page.getByRole('heading', { name: 'Inbox' }).waitFor();
}, 120_000);

async function start(workflow: string, id: string, input?: string): Promise<void> {
  const token = decodeURIComponent(new URL(served.address).hash.slice('#token='.length));
  const response = await fetch(`${served.origin}/api/runs`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ workflow, id, ...(input === undefined ? {} : { input }) }),
  });
  expect(response.status).toBe(201);
}

/** Everything of the view is read. */
async function read(on: Page): Promise<void> {
  await on.locator('main h1').waitFor();
  await until(async () => (await on.locator('.loading').count()) === 0, { what: 'all that is read' });
}

async function picture(
  name: string,
  { on = page, height }: { readonly on?: Page; readonly height?: number } = {},
): Promise<void> {
  const folder = process.env['RAYMOND_PICTURES'];
  if (folder === undefined) return;
  await until(async () => (await on.locator('.toast').count()) === 0, { what: 'the end of a message' });
  const clip = height === undefined ? {} : { clip: { x: 0, y: 0, width: DESK.width, height } };
  await on.screenshot({ path: join(folder, `page-${name}.png`), ...clip });
}

describe('somebody who has never seen the page', () => {
  test('sees in the inbox what failed and what asks, with the first cause', async () => {
    await page
      .getByText(/60 agents failed, first: .*exit code 1: Error: cannot open fixtures/)
      .waitFor({ timeout: 120_000 });
    await page.getByRole('article', { name: /^Question of main/ }).waitFor({ timeout: 120_000 });
    await page.getByText(/Asked (?:just now|\d+ min ago)/).waitFor();
    await picture('inbox');
  });

  test('finds the cause of all 60 in one place', async () => {
    await page.getByRole('region', { name: 'Stopped' }).getByRole('link', { name: 'nightly-0711' }).click();
    await page.getByRole('heading', { name: '60 agents failed' }).waitFor();
    await page.getByText(/60 agents at CHECK\.sh: .*exit code 1: Error: cannot open/).waitFor();
    const error = page.getByRole('region', { name: 'Error of main_check1' });
    await error.getByText('Error: cannot open fixtures/schema.sql').waitFor();
    await page.getByText(/^Failed at/).waitFor();
    await page.locator('.facts').getByText('Took').waitFor();
    await picture('run');
    await page.goto(`${served.origin}/#/runs/nightly-0711?tab=timeline`);
    await read(page);
    await page.emulateMedia({ colorScheme: 'dark' });
    await picture('timeline');
    await page.emulateMedia({ colorScheme: 'light' });
    await page.goto(`${served.origin}/#/runs/nightly-0711`);
  });

  test('retries them all, and sees them complete', async () => {
    await place.write('fixtures/schema.sql', 'create table parts (id int);\n');
    await page.getByRole('button', { name: 'Retry all 60 …' }).click();
    const dialog = page.getByRole('dialog', { name: 'Retry all 60' });
    await picture('retry');
    await dialog.getByRole('button', { name: 'Retry all 60' }).click();
    await page.locator('.heading .status', { hasText: 'completed' }).waitFor({ timeout: 120_000 });
    expect(await page.getByText('agents failed').count()).toBe(0);
  });

  test('answers a question on a phone with one tap', async () => {
    const { page: phone, errors } = await openTab(
      await openContext(browser, { viewport: PHONE, hasTouch: true, isMobile: true }),
    );
    await phone.goto(served.address);
    await phone.getByRole('group', { name: /^Answers to/ }).waitFor();
    await picture('phone', { on: phone });
    await phone.getByRole('button', { name: 'merge', exact: true }).tap();
    await phone.getByText('Answered release-17: merge.').waitFor();
    await phone.getByText('Nothing needs you.').waitFor();
    expect(errors).toEqual([]);
  });

  test('says what the day cost', async () => {
    await page.getByRole('link', { name: 'Runs', exact: true }).click();
    await page.getByText('2 runs started today: $0.42').waitFor();
    await page
      .getByRole('row', { name: /release-17/ })
      .getByText('the branch parser-lists')
      .waitFor();
    await page
      .getByRole('row', { name: /release-17/ })
      .getByText('completed')
      .waitFor();
    await picture('runs', { height: 380 });
    expect(tab.errors).toEqual([]);
  });
});

const VIEWS = [
  '/',
  '/runs',
  '/workflows',
  '/workflows/release',
  '/start/release',
  '/schedules',
  '/hosts',
  '/links',
  '/compare/nightly-0711/release-17',
  ...['agents', 'output', 'timeline', 'graph', 'costs', 'orders'].flatMap((name) =>
    ['nightly-0711', 'release-17'].map((run) => `/runs/${run}?tab=${name}`),
  ),
  '/runs/release-17?tab=graph&state=ASK.sh',
  '/runs/nightly-0711/agents/main_check1',
  '/runs/nightly-0711/agents/main_check1/turns/1',
  '/runs/release-17/agents/main/turns/1',
  '/nowhere',
] as const;

test.each(VIEWS)('%s fits and is accessible at both widths in both themes', async (hash) => {
  for (const width of [390, 1440]) {
    await page.setViewportSize({ width, height: 800 });
    await page.goto(`${served.origin}/#${hash}`);
    await read(page);
    await expectFitting(page);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await expectAccessible(page);
    }
  }
  expect(tab.errors).toEqual([]);
});

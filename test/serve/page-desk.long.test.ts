// The page as a user uses it who keeps many runs: by keyboard and palette, with notifications, several runs at once, the archive, read-only
// links, a workflow's past, schedules, and two runs side by side.
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { expectAccessible, expectFitting, openBrowser, openContext, openTab, type Tab } from '../support/browser.js';
import { Place } from '../support/cli.js';
import { Served } from '../support/served.js';
import { until } from '../support/until.js';

let place: Place;
let served: Served;
let browser: Browser;
let context: BrowserContext;
let tab: Tab;
let page: Page;
let token = '';

beforeAll(async () => {
  place = await Place.at({
    'asks/workflow.yaml': 'id: asks\nname: Asks\ninput:\n  mode: optional\n',
    'asks/START.sh': `echo '<ask next="END">Which **colour**?</ask>'\n`,
    'asks/END.sh': 'echo "<result>$RAYMOND_INPUT</result>"\n',
    'steps/workflow.yaml': 'id: steps\nname: Steps\ninput:\n  mode: optional\n',
    'steps/START.sh':
      'if [ "$RAYMOND_INPUT" = long ]; then echo "<goto>MORE</goto>"; else echo "<goto input=\\"the short way\\">END</goto>"; fi\n',
    'steps/MORE.sh': 'echo "<goto input=\\"the long way\\">END</goto>"\n',
    'steps/END.sh': 'echo "<result>here by $RAYMOND_INPUT</result>"\n',
    'breaks/START.sh': 'if [ ! -f mended ]; then echo broken >&2; exit 3; fi\necho "<result>mended</result>"\n',
  });
  served = await Served.at(place);
  token = decodeURIComponent(new URL(served.address).hash.slice('#token='.length));
  browser = await openBrowser();
  context = await openContext(browser);
  tab = await openTab(context);
  page = tab.page;
  await page.goto(served.address);
  await heading('Inbox');
});

async function heading(name: string, on = page): Promise<void> {
  await on.getByRole('heading', { name, exact: true, level: 1 }).waitFor();
}

async function start(workflow: string, id: string, input?: string): Promise<void> {
  const response = await fetch(`${served.origin}/api/runs`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ workflow, id, ...(input === undefined ? {} : { input }) }),
  });
  expect(response.status).toBe(201);
}

const to = async (hash: string, on = page): Promise<void> => {
  await on.goto(`${served.origin}/#${hash}`);
};

/** The view is read, fits at both widths, and is clean in both themes. */
async function expectGood(): Promise<void> {
  for (const width of [390, 1440]) {
    await page.setViewportSize({ width, height: 800 });
    await until(async () => (await page.locator('.loading').count()) === 0, { what: 'all that is read' });
    await expectFitting(page);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await expectAccessible(page);
    }
  }
}

const focused = async (): Promise<string> => await page.evaluate('document.activeElement?.textContent?.trim() ?? ""');

describe('by keyboard', () => {
  test('views are reached, rows are gone through, and a run is opened', async () => {
    await start('steps', 'first');
    await start('steps', 'second', 'long');
    await page.keyboard.press('g');
    await page.keyboard.press('r');
    await heading('Runs');
    await page.getByRole('link', { name: 'first', exact: true }).waitFor();
    await page.keyboard.press('j');
    expect(await focused()).toBe('second');
    await page.keyboard.press('j');
    expect(await focused()).toBe('first');
    await page.keyboard.press('k');
    await page.keyboard.press('Enter');
    await heading('second');
    await page.keyboard.press('/');
    await page.getByLabel('Find runs').and(page.locator(':focus')).waitFor();
    await page.keyboard.type('firjg');
    expect(page.url()).toContain('q=firjg');
  });

  test('the shortcuts are listed, and single keys can be turned off', async () => {
    await to('/workflows');
    await heading('Workflows');
    await page.keyboard.press('?');
    const keys = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await keys.getByText('Previous row').waitFor();
    await expectGood();
    await keys.getByLabel('Single keys are shortcuts').uncheck();
    await page.keyboard.press('Escape');
    await keys.waitFor({ state: 'hidden' });
    await page.keyboard.press('?');
    expect(await keys.isVisible()).toBe(false);
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: /^Go to/ }).fill('shortcuts');
    await page.keyboard.press('Enter');
    await keys.getByLabel('Single keys are shortcuts').check();
    await keys.getByRole('button', { name: 'Close' }).click();
    await keys.waitFor({ state: 'hidden' });
  });

  test('the palette finds views, runs, and workflows to start, and sets the theme', async () => {
    const choose = async (words: string, option: RegExp): Promise<void> => {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: /^Go to/ }).fill(words);
      await page.getByRole('option', { name: option, selected: true }).waitFor();
      await page.keyboard.press('Enter');
    };
    await choose('secon', /^second run/);
    await heading('second');
    await choose('second timeline', /^second: Timeline/);
    await page.getByRole('link', { name: 'Timeline', exact: true, includeHidden: false }).waitFor();
    expect(page.url()).toContain('tab=timeline');
    await choose('start steps', /^Start Steps/);
    await page.getByRole('button', { name: /^Start/ }).waitFor();
    await choose('dark', /^Theme: dark/);
    expect(await page.evaluate('document.documentElement.dataset.theme')).toBe('dark');
    await page.reload();
    await page.getByRole('button', { name: /^Start/ }).waitFor();
    expect(await page.evaluate('document.documentElement.dataset.theme')).toBe('dark');
    await choose('theme system', /^Theme: system/);
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').getByRole('option').first().waitFor();
    await expectGood();
    await page.getByRole('combobox').press('Escape');
  });
});

describe('what needs a person', () => {
  test('is notified of and counted on the icon once that is asked for', async () => {
    await context.grantPermissions(['notifications'], { origin: served.origin });
    const { page: other, errors } = await openTab(context);
    // The window system's part: what is shown is recorded, and the window is not in front.
    await other.addInitScript(
      'window.shown = []; window.Notification = class extends Notification { constructor(title, more) { super(title, more); shown.push(title + ": " + more.body); } }; document.hasFocus = () => false;',
    );
    await other.goto(served.origin);
    await heading('Inbox', other);
    expect(await other.locator('link[rel=icon]').getAttribute('href')).toBe('/assets/icon.svg');
    await other.locator('.menu summary').click();
    await other.getByLabel('Number on the icon of the tab').check();
    await other.getByLabel('Notification').check();
    await start('asks', 'asking');
    await start('breaks', 'broken');
    await until(async () => (await other.evaluate<readonly string[]>('shown')).length >= 2, {
      what: 'two notifications',
    });
    const shown = (await other.evaluate<readonly string[]>('shown')).toSorted();
    expect(shown).toEqual(['asking asks: Which colour?', expect.stringMatching(/^broken: failed: .*exit code 3/)]);
    await until(
      async () => /^data:image\/png/.test((await other.locator('link[rel=icon]').getAttribute('href')) ?? ''),
      { what: 'the number on the icon' },
    );
    await other.getByLabel('Number on the icon of the tab').uncheck();
    await other.getByLabel('Notification').uncheck();
    expect(await other.locator('link[rel=icon]').getAttribute('href')).toBe('/assets/icon.svg');
    expect(errors).toEqual([]);
    await other.close();
  });
});

describe('several runs', () => {
  const select = async (...ids: readonly string[]): Promise<void> => {
    for (const id of ids) await page.getByLabel(`Select ${id}`, { exact: true }).check();
  };
  const doToAll = async (label: string, submit: string): Promise<void> => {
    await page.getByRole('button', { name: `${label} …` }).click();
    await page.getByRole('dialog', { name: label }).getByRole('button', { name: submit, exact: true }).click();
    await page.getByRole('dialog', { name: label }).waitFor({ state: 'hidden' });
  };

  test('are retried, archived and deleted at once, and the list says what they cost', async () => {
    await to('/runs');
    await page.getByText(/runs? shown: \$0\.00 · \d+ runs? started today: \$0\.00/).waitFor();
    await select('broken');
    await place.write('mended');
    await doToAll('Retry failed: broken', 'Retry failed');
    await page
      .getByRole('row', { name: /broken/ })
      .getByText('completed')
      .waitFor();
    await select('first', 'broken');
    await expectGood();
    await doToAll('Archive 2', 'Archive');
    await page.getByRole('link', { name: 'first', exact: true }).waitFor({ state: 'detached' });
    await page.getByLabel('Archive', { exact: true }).check();
    await page.getByRole('link', { name: 'broken', exact: true }).waitFor();
    await select('first');
    await doToAll('Remove from archive: first', 'Remove from archive');
    await page.getByRole('link', { name: 'first', exact: true }).waitFor({ state: 'detached' });
    await select('broken');
    await doToAll('Delete: broken', 'Delete');
    await page.getByRole('link', { name: 'broken', exact: true }).waitFor({ state: 'detached' });
    await to('/runs');
    await page.getByRole('link', { name: 'first', exact: true }).waitFor();
    expect(await page.getByRole('link', { name: 'broken', exact: true }).count()).toBe(0);
  });

  test('are filtered by time and workflow, sorted by cost and time, and a filter is saved for later', async () => {
    await to('/runs');
    await page.getByRole('row', { name: /first/ }).getByRole('link', { name: 'steps', exact: true }).click();
    await page.getByRole('button', { name: 'Workflow: steps' }).waitFor();
    await page.getByLabel('Started').selectOption('Last 24 hours');
    await page.getByLabel('Cost', { exact: true }).selectOption('$1 or more');
    await page.getByText('No matching runs.').waitFor();
    await page.getByLabel('Cost', { exact: true }).selectOption('Any cost');
    await page.getByRole('button', { name: 'Took', exact: true }).click();
    await page.getByRole('columnheader', { name: 'Took', exact: true }).and(page.locator('[aria-sort]')).waitFor();
    await until(
      async () => (await page.locator('main tbody th a').allTextContents()).toSorted().join() === 'first,second',
      {
        what: 'the runs of steps',
      },
    );
    await page.getByRole('button', { name: 'Save filter …' }).click();
    const dialog = page.getByRole('dialog', { name: 'Save filter' });
    await dialog.getByLabel('Name').fill('my steps');
    await dialog.getByRole('button', { name: 'Save filter' }).click();
    await expectGood();
    await to('/runs');
    await page.reload();
    await page.getByRole('link', { name: 'my steps' }).click();
    await page.getByRole('button', { name: 'Workflow: steps' }).waitFor();
    expect(new URLSearchParams(page.url().split('?')[1]).get('since')).toBe('1');
    await page.getByRole('button', { name: 'Delete the filter my steps' }).click();
    await page.getByRole('link', { name: 'my steps' }).waitFor({ state: 'detached' });
  });

  test('two are compared: what they were given, their paths, their results', async () => {
    await to('/runs');
    await select('first', 'second');
    await page.getByRole('link', { name: 'Compare' }).click();
    await heading('Compare two runs');
    const path = page.getByRole('region', { name: /^Path of main: left/ });
    expect(await path.textContent()).toMatch(/MORE\.sh/);
    await page
      .getByRole('region', { name: /^Result: left/ })
      .getByText(/here by the short way/)
      .waitFor();
    await expectGood();
  });
});

test('a workflow says how its runs went, what lint finds, and what the next one may cost', async () => {
  await to('/workflows');
  await page.getByRole('link', { name: 'Steps', exact: true }).click();
  await heading('Steps');
  await page.getByText('100 % (2 of 2)').waitFor();
  await page.getByText(/Lint/).first().waitFor();
  await page.getByRole('region', { name: 'Runs of Steps' }).getByRole('link', { name: 'first', exact: true }).waitFor();
  await expectGood();
  await to('/start/steps');
  await page.getByText(/2 earlier runs cost \$0\.00 \(median\)/).waitFor();
});

test('schedules are read, paused, resumed and started', async () => {
  await place.raymond(['schedule', 'create', 'nightly', 'steps', '--cron', '0 2 * * *']);
  await to('/schedules');
  const act = async (label: string, submit: string): Promise<void> => {
    await page.getByRole('button', { name: `${label} …` }).click();
    await page.getByRole('dialog', { name: label }).getByRole('button', { name: submit, exact: true }).click();
  };
  await act('Pause nightly', 'Pause');
  await page.getByText(/^paused \(paused by/).waitFor();
  await act('Resume nightly', 'Resume');
  await page.getByRole('button', { name: 'Pause nightly …' }).waitFor();
  await act('Start nightly now', 'Start a run');
  await page
    .getByRole('link', { name: /^nightly-/ })
    .first()
    .waitFor();
  await expectGood();
});

test('a link lets others look until it is revoked', async () => {
  await to('/links');
  await page.getByRole('button', { name: 'New link …' }).click();
  await page.getByLabel('For whom').fill('team');
  await page.getByRole('button', { name: 'Create link' }).click();
  const address = (await page.getByRole('region', { name: 'Address' }).textContent())?.trim() ?? '';
  await page.getByRole('row', { name: /team/ }).waitFor();
  await expectGood();
  const { page: guest, errors } = await openTab(await openContext(browser));
  await guest.goto(address);
  await heading('Inbox', guest);
  await to('/runs', guest);
  await guest.getByRole('link', { name: 'first', exact: true }).waitFor();
  expect(await guest.getByRole('checkbox', { name: /^Select/ }).count()).toBe(0);
  const { page: own } = await openTab(context);
  await own.goto(address);
  await own.getByRole('button', { name: 'View as link team' }).waitFor();
  await expectAccessible(own);
  await own.getByRole('button', { name: /^Stay signed in/ }).click();
  await own.getByRole('link', { name: 'Workflows' }).click();
  await own.getByRole('button', { name: 'Rescan' }).waitFor();
  await own.close();
  await page.getByRole('button', { name: 'Revoke team …' }).click();
  await page.getByRole('dialog', { name: 'Revoke team' }).getByRole('button', { name: 'Revoke', exact: true }).click();
  await page.getByText('No active links.').waitFor();
  await guest.reload();
  await guest.getByRole('heading', { name: 'Raymond' }).waitFor();
  expect([errors, tab.errors]).toEqual([[], []]);
});

// The page as somebody uses it who keeps many runs: by keyboard and palette, with notifications, several runs at once, the archive, links to
// look only, a workflow's past, schedules, and two runs side by side.
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
    'asks/START.sh': `echo '<ask next="END">Which colour?</ask>'\n`,
    'asks/END.sh': 'echo "<result>$RAYMOND_INPUT</result>"\n',
    'steps/workflow.yaml': 'id: steps\nname: Steps\ninput:\n  mode: optional\n',
    'steps/START.sh':
      'if [ "$RAYMOND_INPUT" = long ]; then echo "<goto>MORE</goto>"; else echo "<goto>END</goto>"; fi\n',
    'steps/MORE.sh': 'echo "<goto>END</goto>"\n',
    'steps/END.sh': 'echo "<result>the end of $RAYMOND_RUN_ID</result>"\n',
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
    await choose('second timeline', /^second: timeline/);
    await page.getByRole('link', { name: 'Timeline', exact: true, includeHidden: false }).waitFor();
    expect(page.url()).toContain('tab=timeline');
    await choose('start steps', /^Start Steps/);
    await page.getByRole('button', { name: /^Start/ }).waitFor();
    await choose('dark', /^Theme: dark/);
    expect(await page.evaluate('document.documentElement.dataset.theme')).toBe('dark');
    await page.reload();
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

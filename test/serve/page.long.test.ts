// The page of `raymond serve` in a real browser, further: every view at the width of a phone and in both themes, by keyboard alone, and with a
// server that is killed.
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { expectAccessible, expectFitting, type Tab } from '../support/browser.js';
import type { Served } from '../support/served.js';
import { until } from '../support/until.js';
import { attachReport, expectNothingRan, openPage, startTalk } from './page-place.js';

let served: Served;
let tab: Tab;
let page: Page;
let run = '';

beforeAll(async () => {
  ({ served, tab } = await openPage());
  page = tab.page;
  run = await startTalk(page);
  await page.getByRole('textbox', { name: /^Answer/ }).fill('blue, mostly');
  await attachReport(page);
  await page.getByRole('button', { name: /^Send answer/ }).click();
  await page.getByText('✓ completed').first().waitFor();
});

const to = async (hash: string): Promise<void> => {
  await page.goto(`${served.origin}/#${hash}`);
};
const confirm = async (label: string): Promise<void> => {
  await page.getByRole('button', { name: `${label} …` }).click();
  await page.getByRole('dialog').getByRole('button', { name: label, exact: true }).click();
};

describe('a user with the printed address', () => {
  test('finds nothing that runs, that is too wide, or that programs for the blind complain of, in any view', async () => {
    await page.setViewportSize({ width: 320, height: 700 });
    for (const hash of [
      '/',
      '/runs',
      '/workflows',
      '/start/talk',
      ...['agents', 'timeline', 'graph', 'costs', 'orders'].map((one) => `/runs/${run}?tab=${one}`),
      `/runs/${run}/agents/main`,
      `/runs/${run}/agents/main/turns/1`,
      `/runs/${run}/agents/main/turns/2`,
      '/nowhere',
    ]) {
      await to(hash);
      await page.locator('main h1').waitFor();
      await until(async () => (await page.locator('.loading').count()) === 0, { what: 'all that is read' });
      await expectFitting(page);
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        await expectAccessible(page);
      }
    }
    await page.setViewportSize({ width: 1280, height: 800 });
    await expectNothingRan(tab);
  });

  test('starts again with the input of before, by keyboard alone', async () => {
    await to(`/runs/${run}`);
    await press('Start again');
    const topic = page.getByLabel('Topic');
    await topic.waitFor();
    expect(await topic.inputValue()).toBe('the sky');
    await topic.focus();
    await page.keyboard.press('End');
    await page.keyboard.type(' at night');
    await press('Start the run');
    const answer = page.getByRole('textbox', { name: /^Answer/ });
    await answer.waitFor();
    await press('Cancel run …');
    await page.getByText(/All its agents stop now/).waitFor();
    await page.keyboard.press('Escape');
    await press('Cancel run …');
    await press('Cancel run');
    await page.getByText('– cancelled').first().waitFor();
  });

  test('sees that the server was killed, and continues when it is there again', async () => {
    await to('/start/long');
    await page.getByRole('button', { name: 'Start the run' }).click();
    await page.getByRole('link', { name: 'main' }).click();
    await page.locator('.terminal').getByText('begun').waitFor();
    await served.kill();
    await page.getByText(/No connection to Raymond/).waitFor();
    await served.startAgain();
    await page.getByText(/No connection to Raymond/).waitFor({ state: 'detached' });
    await confirm('Stop agent');
    await page.getByText('– cancelled').first().waitFor();
    expect(tab.errors).toEqual([]);
  });
});

/** Goes to a button or a link by Tab, as somebody without a mouse does, and presses it. */
async function press(name: string): Promise<void> {
  await page
    .getByRole(name === 'Start again' ? 'link' : 'button', { name, exact: true })
    .first()
    .waitFor();
  for (let steps = 0; steps < 80; steps += 1) {
    const focused = await page.evaluate('document.activeElement?.textContent?.trim() ?? ""');
    if (focused === name) return await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab does not lead to "${name}"`);
}

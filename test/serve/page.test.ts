// The page of `raymond serve` as people use it: a real browser, a real server in a process of its own, real runs. Somebody who has only the printed
// address does everything; what agents write does nothing.
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { BrowserContext, Page } from 'playwright-core';
import { expectAccessible, openTab, type Tab } from '../support/browser.js';
import type { Served } from '../support/served.js';
import { until } from '../support/until.js';
import { EVIL, attachReport, expectNothingRan, openPage, startTalk } from './page-place.js';

let served: Served;
let context: BrowserContext;
let tab: Tab;
let page: Page;
let run = '';

beforeAll(async () => {
  ({ served, context, tab } = await openPage());
  page = tab.page;
});

const to = async (hash: string): Promise<void> => {
  await page.goto(`${served.origin}/#${hash}`);
};

describe('a user with the printed address', () => {
  test('is signed in, and the token is in no address', async () => {
    expect(page.url()).not.toContain('token');
    expect(await page.evaluate('document.cookie')).toBe('');
    await page.reload();
    await page.getByText('Nothing needs you.').waitFor();
  });

  test('starts a run from what its workflow says of itself', async () => {
    run = await startTalk(page);
    await expectNothingRan(tab);
  });

  test('sees in the title that it asks, in every tab, and keeps what was typed over a reload', async () => {
    await to('/');
    const other = await openTab(context);
    await other.page.goto(served.origin);
    await until(async () => (await other.page.title()).startsWith('(1) '), { what: 'the count in the title' });
    await page.getByRole('textbox', { name: /^Answer/ }).fill('blue, mostly');
    await page.reload();
    expect(await page.getByRole('textbox', { name: /^Answer/ }).inputValue()).toBe('blue, mostly');
    expect(await page.getByRole('button', { name: /^Send answer/ }).isDisabled()).toBe(true);
    await attachReport(page);
    expect(await page.getByRole('textbox', { name: /^Answer/ }).inputValue()).toBe('blue, mostly');
    await expectAccessible(page);
    await page.getByRole('button', { name: /^Send answer/ }).click();
    await other.page.getByText('Nothing needs you.').waitFor();
    expect(other.errors).toEqual([]);
    await other.page.close();
  });

  test('reads the result, the turn with its prompt, and who did what', async () => {
    await to(`/runs/${run}`);
    await page.getByText('✓ completed').first().waitFor();
    expect(await page.getByRole('region', { name: 'Result' }).textContent()).toContain('**well**');
    await expectNothingRan(tab);
    await to(`/runs/${run}/agents/main/turns/2`);
    const conversation = page.getByRole('region', { name: 'Conversation' });
    await conversation.getByText(/^Read blue, mostly/).waitFor();
    expect(await conversation.locator('strong', { hasText: 'test' }).count()).toBe(1);
    await conversation.getByText('I have read it.').waitFor();
    await conversation.getByRole('region', { name: 'Result of Bash' }).getByText('FAIL').waitFor();
    await conversation.locator('summary', { hasText: 'a.ts' }).click();
    expect(await conversation.getByRole('region', { name: 'Change by Edit' }).textContent()).toBe(
      `  one\n- two\n+ ${EVIL}\n`,
    );
    const files = page.getByRole('region', { name: 'Files changed by tools' });
    await files.getByText('a.ts +1 −1').click();
    await files.getByRole('region', { name: 'Change 1 of a.ts' }).getByText('- two').waitFor();
    await page.getByText('Raw output').click();
    await page.getByRole('region', { name: 'Output of main, turn 2' }).getByText('[Edit a.ts]').waitFor();
    await expectNothingRan(tab);
    await to(`/runs/${run}/agents/main/turns/9`);
    await page.getByText('There is no such turn: main ended after').waitFor();
    await to(`/runs/${run}/agents/main/turns/1`);
    expect(await page.locator('.terminal .fg-ansi-red').first().textContent()).toContain('printed <script>');
    await to(`/runs/${run}?tab=orders`);
    await page.getByText(/answered ask_main/).waitFor();
    await page.getByText('Question and answer ask_main_1').click();
    await page.getByRole('region', { name: 'Answer to ask_main_1' }).getByText('blue, mostly').waitFor();
    const fileAt = async (name: string): Promise<readonly [type: string | undefined, text: string]> => {
      const address = await page.getByRole('link', { name, exact: true }).getAttribute('href');
      const file = await page.request.get(`${served.origin}${address}`);
      return [file.headers()['content-disposition']?.split(';')[0], (await file.text()).trim()];
    };
    expect([await fileAt('report'), await fileAt('shown.html')]).toEqual([
      ['attachment', 'a report'],
      ['attachment', EVIL],
    ]);
    await to(`/runs/${run}?tab=costs`);
    await page.getByRole('row', { name: /READ\.md 1 \$0\.25/ }).waitFor();
  });

  test('forks a run from a turn with another input and an edited prompt, and compares both', async () => {
    await to(`/runs/${run}/agents/main/turns/2`);
    await page.getByRole('button', { name: 'Fork from here …' }).click();
    await page.getByLabel('Input of the first state').fill('green');
    await page.getByText('Edit READ.md for the new run').click();
    await page.getByLabel('Text of READ.md').fill('Read closely {{input}}.\n');
    await page.getByRole('dialog').getByRole('button', { name: 'Fork from here' }).click();
    await page.getByText('Forked from').waitFor();
    await page.getByText('✓ completed').first().waitFor();
    await to(page.url().replace(/^.*#/, '').replace(/\?.*/, '') + '/agents/main/turns/2');
    await page
      .getByText(/^Read closely green/)
      .first()
      .waitFor();
    await page.getByText('READ.md (prompt, replaced for this run)').waitFor();
    await to(`/runs/${run}`);
    await page.getByRole('link', { name: /^Compare with/ }).click();
    await page.getByText('READ.md differs').click();
    const change = page.getByRole('region', { name: 'READ.md: left (−) and right (+)' });
    expect(await change.textContent()).toBe('- Read {{input}}.\n+ Read closely {{input}}.\n');
    await page.getByText('Files changed by tools').click();
    await page
      .getByRole('row', { name: /^a\.ts/ })
      .getByText('+1 −1')
      .first()
      .waitFor();
    await page.getByRole('row', { name: 'Cost of READ.md $0.25 $0.25' }).waitFor();
    await expectAccessible(page);
  });

  test('reads a shown file in place, and answers with one tap', async () => {
    await to('/start/pick');
    await page.getByRole('button', { name: 'Start the run' }).click();
    await page.getByText('Show plan.md').click();
    await page.getByRole('heading', { name: 'The plan' }).waitFor();
    const pdf = page.getByRole('link', { name: 'Open print.pdf' });
    const shown = await page.request.get(`${served.origin}${await pdf.getAttribute('href')}`);
    expect(shown.headers()).toMatchObject({
      'content-type': 'application/pdf',
      'content-disposition': expect.stringMatching(/^inline/),
      'content-security-policy': expect.stringContaining('sandbox'),
    });
    await expectAccessible(page);
    await page
      .getByRole('group', { name: /^Answers to/ })
      .getByRole('button', { name: 'merge' })
      .click();
    await page.getByRole('region', { name: 'Result' }).getByText('chosen: merge').waitFor();
    await expectNothingRan(tab);
  });
});

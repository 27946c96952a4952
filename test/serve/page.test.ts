// The page of `raymond serve` as people use it: a real browser, a real server in a process of its own, real runs. Somebody who has only the printed
// address does everything; what agents write does nothing.
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { BrowserContext, Page } from 'playwright-core';
import { expectAccessible, expectFitting, openBrowser, openContext, openTab, type Tab } from '../support/browser.js';
import { Place } from '../support/cli.js';
import { fakeWith } from '../support/fakes.js';
import { Served } from '../support/served.js';
import { until } from '../support/until.js';

const EVIL = '<script>window.hacked=1</script><img src=x onerror="window.hacked=1"><svg onload="window.hacked=1">';
const LONG = 'w'.repeat(60);

let place: Place;
let served: Served;
let context: BrowserContext;
let tab: Tab;
let page: Page;

beforeAll(async () => {
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
  place = await Place.at({
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
  served = await Served.at(place, { env: fake.env });
  context = await openContext(await openBrowser());
  tab = await openTab(context);
  page = tab.page;
  await page.goto(served.address);
  await page.getByRole('heading', { name: 'Inbox' }).waitFor();
});

const to = async (hash: string): Promise<void> => {
  await page.goto(`${served.origin}/#${hash}`);
};
const confirm = async (label: string): Promise<void> => {
  await page.getByRole('button', { name: `${label} …` }).click();
  await page.getByRole('dialog').getByRole('button', { name: label, exact: true }).click();
};
const nothingRan = async (): Promise<void> => {
  expect({ hacked: await page.evaluate('window.hacked'), errors: tab.errors }).toEqual({
    hacked: undefined,
    errors: [],
  });
};
let run = '';

describe('a user with the printed address', () => {
  test('is signed in, and the token is in no address', async () => {
    expect(page.url()).not.toContain('token');
    expect(await page.evaluate('document.cookie')).toBe('');
    await page.reload();
    await page.getByText('Nothing needs you.').waitFor();
  });

  test('starts a run from what its workflow says of itself', async () => {
    await page.getByRole('link', { name: 'Workflows' }).click();
    await page.getByRole('link', { name: 'Start Talk' }).click();
    await page.getByLabel('Topic').fill('the sky');
    await page.getByRole('button', { name: 'Start the run' }).click();
    await page.getByRole('article', { name: /Question of main/ }).waitFor();
    run = decodeURIComponent(/#\/runs\/([^?]+)/.exec(page.url())?.[1] ?? '');
    await nothingRan();
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
    await page
      .getByLabel(/^report/)
      .setInputFiles({ name: 'mine.txt', mimeType: 'text/plain', buffer: Buffer.from('a report') });
    await page.getByText(/report attached/).waitFor();
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
    await nothingRan();
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
    await nothingRan();
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
    await nothingRan();
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

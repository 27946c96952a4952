// What people do to runs by the page: paused, given another budget, told, resumed, tried again, moved, started again with another input;
// each says what will come of it, and stands with a name in what was done. Whose token is for less is offered less, and gets no more by the API.
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { expectAccessible, openBrowser, openContext, openTab, type Tab } from '../support/browser.js';
import { Place } from '../support/cli.js';
import type { FakeClaude } from '../support/fake-claude.js';
import { fakeWith } from '../support/fakes.js';
import { Served } from '../support/served.js';
import { until } from '../support/until.js';

const TOKENS = { view: 'v'.repeat(32), answer: 'a'.repeat(32), operate: 'o'.repeat(32) };

let fake: FakeClaude;
let place: Place;
let served: Served;
let browser: Browser;
let tab: Tab;
let page: Page;

beforeAll(async () => {
  fake = await fakeWith({ text: 'I say it.\n<goto>CHECK</goto>', costUsd: 0.25 });
  place = await Place.at({
    'walk/START.sh': [
      'if [ "$RAYMOND_INPUT" = short ]; then echo "<goto input=\\"cut $RAYMOND_INPUT\\">END</goto>"; exit; fi',
      'touch begun; while [ ! -f go ]; do sleep 0.05; done',
      'echo "<goto>SAY</goto>"',
      '',
    ].join('\n'),
    'walk/SAY.md': 'Say something.\n',
    'walk/CHECK.sh':
      'if [ ! -f mended ]; then echo "looked here"; echo "it is broken" >&2; exit 3; fi\necho "<goto>STAY</goto>"\n',
    'walk/STAY.sh': 'while [ ! -f never ]; do sleep 0.05; done\n',
    'walk/END.sh': 'echo "<result>ended with $RAYMOND_INPUT</result>"\n',
    'asks/START.sh': `echo '<ask next="END">Which colour?</ask>'\n`,
    'asks/END.sh': 'echo "<result>$RAYMOND_INPUT</result>"\n',
    tokens: `vera view ${TOKENS.view}\nanna answer ${TOKENS.answer}\noda operate ${TOKENS.operate}\n`,
  });
  await chmod(join(place.cwd, 'tokens'), 0o600);
  served = await Served.at(place, { args: ['--token-file', 'tokens'], env: fake.env });
  browser = await openBrowser();
  tab = await signedIn('operate');
  page = tab.page;
});

async function signedIn(role: keyof typeof TOKENS): Promise<Tab> {
  const made = await openTab(await openContext(browser));
  await made.page.goto(`${served.origin}/#token=${TOKENS[role]}`);
  await made.page.getByRole('heading', { name: 'Inbox' }).waitFor();
  return made;
}

async function start(workflow: string, id: string): Promise<void> {
  const response = await fetch(`${served.origin}/api/runs`, {
    method: 'POST',
    headers: { authorization: `Bearer ${TOKENS.operate}`, 'content-type': 'application/json' },
    body: JSON.stringify({ workflow, id }),
  });
  expect(response.status).toBe(201);
}

const to = async (hash: string, on = page): Promise<void> => {
  await on.goto(`${served.origin}/#${hash}`);
};

/** Presses a button, reads what will come of it, fills in what it takes, and does it. */
async function act(
  label: string,
  {
    consequence,
    fill = {},
    tick,
    submit = label,
  }: {
    readonly consequence: RegExp;
    readonly fill?: Readonly<Record<string, string>>;
    readonly tick?: RegExp;
    readonly submit?: string;
  },
): Promise<void> {
  await page.getByRole('button', { name: `${label} …` }).click();
  const dialog = page.getByRole('dialog', { name: label });
  for (const [name, text] of Object.entries(fill)) await dialog.getByLabel(name).fill(text);
  if (tick !== undefined) await dialog.getByLabel(tick).check();
  await dialog.getByText(consequence).waitFor();
  await dialog.getByRole('button', { name: submit, exact: true }).click();
  await dialog.waitFor({ state: 'hidden' });
}
const status = async (text: string): Promise<void> => {
  await page.locator('.heading .status', { hasText: text }).waitFor();
};

describe('a run', () => {
  test('pauses at the end of its turn, under the name of the user who asked, with another budget', async () => {
    await start('walk', 'walk');
    await place.made('begun');
    await to('/runs/walk');
    await act('Pause', { consequence: /Every agent stops at the end of its turn/ });
    await page.getByText('Paused by oda.').waitFor();
    await place.write('go');
    await status('paused');
    await act('Budget', {
      consequence: /It has spent \$0\.00 so far/,
      fill: { 'Budget in USD': '5' },
      submit: 'Set budget',
    });
    await page.getByText('$0.00 of $5.00').waitFor();
  });

  test('tells an agent what its next prompt begins with, and continues', async () => {
    await to('/runs/walk/agents/main');
    await act('Tell', {
      consequence: /Its next prompt begins with this message/,
      fill: { 'Message to the agent': 'Be brief.' },
      submit: 'Send message',
    });
    await page.getByText('Its next prompt begins with: Be brief.').waitFor();
    await act('Remove message', { consequence: /Its next prompt begins without them/ });
    await until(async () => (await page.getByText('Be brief.').count()) === 0, { what: 'the end of the message' });
    await act('Tell', {
      consequence: /Its next prompt begins with this message/,
      fill: { 'Message to the agent': 'Be quick.' },
      submit: 'Send message',
    });
    await page.getByText('Its next prompt begins with: Be quick.').waitFor();
    await to('/runs/walk');
    await act('Resume', { consequence: /Its agents continue where they stopped/ });
    await status('failed');
    const [call, ...more] = await fake.calls();
    expect({ prompt: call?.prompt, calls: more.length + 1 }).toMatchObject({
      prompt: expect.stringMatching(/^(?![^]*Be brief)[^]*Be quick\.[^]*Say something\./),
      calls: 1,
    });
  });

  test('shows what failed with what that printed, and the turns of a state behind the graph', async () => {
    await page.getByRole('region', { name: 'Error of main' }).getByText('it is broken').waitFor();
    await to('/runs/walk?tab=output');
    await page.getByText('looked here').first().waitFor();
    await to('/runs/walk?tab=graph');
    await page.getByRole('link', { name: /^SAY.*its turns/ }).click();
    await page.getByRole('heading', { name: 'Turns of SAY.md' }).waitFor();
    await page.getByText('1 recorded turn', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'main 2' }).click();
    await page.getByText('10 in, 5 out').waitFor();
    const history = await place.raymond(['history', 'walk', 'main', '--json']);
    expect(JSON.parse(history.stdout)).toMatchObject({ turns: [{}, { tokens: { input: 10, output: 5 } }, {}] });
    await expectAccessible(page);
  });

  test('tries again what has failed, and is sent to a state though a turn is in progress', async () => {
    await place.write('mended');
    await to('/runs/walk/agents/main');
    await status('failed');
    await act('Retry', { consequence: /It runs the failed turn again/ });
    await page.getByText('STAY.sh').first().waitFor();
    await act('Go to state', {
      consequence: /A turn in progress is interrupted/,
      fill: { State: 'END', 'Input (may be empty)': 'what oda sent' },
      tick: /Now \(interrupts/,
      submit: 'Move agent',
    });
    await status('completed');
    await to('/runs/walk');
    await status('completed');
    expect(await page.getByRole('region', { name: 'Result' }).textContent()).toBe('ended with what oda sent');
  });

  test('tells with names who did what', async () => {
    await to('/runs/walk?tab=orders');
    await page.locator('.orders li').nth(7).waitFor();
    const lines = (await page.locator('.orders li').allTextContents()).map((line) => line.replace(/^.*?(?=oda)/, ''));
    expect(lines).toEqual([
      'oda paused the run',
      'oda set the budget to $5.00',
      'oda sent a message to an agent: Be brief. (main)',
      'oda removed messages to an agent (main)',
      'oda sent a message to an agent: Be quick. (main)',
      'oda resumed the run',
      'oda retried an agent (main)',
      'oda sent an agent to END.sh (main)',
    ]);
  });

  test('is started again with its input edited', async () => {
    await to('/runs/walk');
    await page.getByRole('link', { name: 'Start again' }).click();
    await page.getByLabel(/^Input/).fill('short');
    await page.getByRole('button', { name: 'Start the run' }).click();
    await page.getByRole('region', { name: 'Result' }).getByText('ended with cut short').waitFor();
    expect(page.url()).not.toContain('/runs/walk?');
    expect(tab.errors).toEqual([]);
  });
});

describe('a token', () => {
  const STEERING = ['Pause …', 'Budget …', 'Cancel run …', 'Tell …', 'Go to state …', 'Stop agent …'];
  const offered = async (on: Page, names: readonly string[]): Promise<readonly string[]> => {
    const found: string[] = [];
    for (const hash of ['/runs/asking', '/runs/asking/agents/main']) {
      await to(hash, on);
      await on.locator('.heading .status').waitFor();
      for (const name of names) if (await on.getByRole('button', { name }).isVisible()) found.push(name);
    }
    return found;
  };
  const refused = async (on: Page, path: string, body: object = {}): Promise<unknown> =>
    await on.evaluate(
      async ([at, text]) => {
        const headers = { 'content-type': 'application/json' };
        const response = await fetch(`/api/runs/asking/${at}`, { method: 'POST', headers, body: text ?? '' });
        return [response.status, ((await response.json()) as { readonly type?: string }).type];
      },
      [path, JSON.stringify(body)],
    );

  test('to look is offered nothing to do, and is refused it', async () => {
    await start('asks', 'asking');
    const { page: vera, errors } = await signedIn('view');
    await vera.getByText('Which colour?').waitFor();
    expect(await vera.getByRole('button', { name: /^Send answer/ }).count()).toBe(0);
    expect(await offered(vera, STEERING)).toEqual([]);
    await to('/workflows', vera);
    await vera.getByText('asks', { exact: true }).first().waitFor();
    expect(await vera.getByRole('link', { name: /^Start/ }).count()).toBe(0);
    for (const path of ['pause', 'cancel', 'asks/ask_main_1'])
      expect(await refused(vera, path, path.startsWith('asks') ? { text: 'red' } : {})).toEqual([
        403,
        '/problems/Forbidden',
      ]);
    expect(errors).toEqual([]);
  });

  test('to answer answers, and is offered nothing else', async () => {
    const { page: anna, errors } = await signedIn('answer');
    await anna.getByText('Which colour?').waitFor();
    expect(await offered(anna, STEERING)).toEqual([]);
    expect(await refused(anna, 'pause')).toEqual([403, '/problems/Forbidden']);
    await to('/runs/asking', anna);
    await anna.getByLabel('Answer to asking').fill('blue');
    await anna.getByRole('button', { name: /^Send answer/ }).click();
    await anna.locator('.heading .status', { hasText: 'completed' }).waitFor();
    expect(await anna.getByRole('region', { name: 'Result' }).textContent()).toBe('blue');
    expect(errors).toEqual([]);
  });

  test('to operate is offered all of it', async () => {
    await start('asks', 'asked');
    await to('/runs/asked');
    for (const name of ['Pause …', 'Budget …', 'Cancel run …']) await page.getByRole('button', { name }).waitFor();
    await page.getByRole('button', { name: /^Send answer/ }).waitFor();
  });
});

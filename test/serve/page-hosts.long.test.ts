// The view of the hosts with a real worker and the turns in progress on it.
import { expect, test } from '@jest/globals';
import { Api } from '../support/api.js';
import { expectAccessible, expectFitting, openBrowser, openContext, openTab } from '../support/browser.js';
import { Fleet } from '../support/fleet.js';
import { beforeRemoval } from '../support/folder.js';

const AT_WORK = 'while [ ! -f go ]; do sleep 0.1; done\necho "<result>gone</result>"\n';

test('lists a worker with its turns, which lead to their agents', async () => {
  const fleet = await Fleet.open({});
  beforeRemoval(() => fleet.close());
  await fleet.work();
  await fleet.desk.write('work/START.sh', AT_WORK);
  const api = await Api.open(fleet.desk.cwd, { choice: { address: fleet.address, taskQueue: 'fleet' } });
  beforeRemoval(() => api.close());
  for (const id of ['one', 'two']) expect((await api.post('/runs', { workflow: 'work', id })).status).toBe(201);

  const { page, errors } = await openTab(await openContext(await openBrowser()));
  await page.goto(`${api.server.origin}/#token=${api.server.token ?? ''}`);
  await page.locator('.menu summary').click();
  await page.getByRole('link', { name: 'Hosts' }).click();
  const row = page.getByRole('region', { name: 'Hosts' }).getByRole('row').nth(1);
  await page.getByRole('link', { name: 'Read-only links' }).waitFor({ state: 'hidden' });
  for (const id of ['one/main', 'two/main']) await row.getByRole('link', { name: id }).waitFor();
  await row.getByText('alive').waitFor();
  for (const width of [390, 1440]) {
    await page.setViewportSize({ width, height: 800 });
    await expectFitting(page);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await expectAccessible(page);
    }
    const folder = process.env['RAYMOND_PICTURES'];
    if (folder !== undefined) await page.screenshot({ path: `${folder}/hosts-${width}.png` });
  }
  await row.getByRole('link', { name: 'one/main' }).click();
  await page.getByRole('heading', { name: 'main', level: 1 }).waitFor();
  await page.getByText('Turn 1').first().waitFor();
  expect(errors).toEqual([]);
}, 120_000);

// The sample `coding` without a terminal: a user who has only the printed address starts it, watches it, and reads what it came to.
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { execa } from 'execa';
import { openBrowser, openContext, openTab } from '../support/browser.js';
import { Place, SAMPLES } from '../support/cli.js';
import { fakeWith } from '../support/fakes.js';
import { Served } from '../support/served.js';

test('a user with the printed address runs workflows/coding to its end', async () => {
  const fake = await fakeWith(
    {
      match: 'Plan a change',
      text: '<reset>IMPLEMENT.md</reset>',
      write: { path: 'coding-notes/plan.md', text: '1. Goal\n' },
    },
    { match: 'change sides', text: '<result>Add a --version flag\n\nIt was asked for.</result>' },
    { text: 'done\n<goto>REVIEW.md</goto>', write: { path: 'src/app.js', text: 'console.log(2)\n' }, costUsd: 0.25 },
  );
  const place = await Place.at({ 'src/app.js': 'console.log(1)\n', '.gitignore': '.raymond\nworkflows\n' });
  await cp(join(SAMPLES, 'coding'), join(place.cwd, 'workflows/coding'), { recursive: true });
  const git = async (...words: readonly string[]): Promise<string> =>
    (await execa('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', ...words], { cwd: place.cwd }))
      .stdout;
  await git('init', '--quiet', '-b', 'main');
  await git('config', 'user.name', 'Ada');
  await git('config', 'user.email', 'ada@example.com');
  await git('add', '.');
  await git('commit', '--quiet', '-m', 'first');

  const { address } = await Served.at(place, { env: fake.env });
  const { page, errors } = await openTab(await openContext(await openBrowser()));

  await page.goto(address);
  await page.getByRole('link', { name: 'Workflows' }).click();
  await page.getByRole('link', { name: 'Start coding' }).click();
  await page.getByLabel('Input').fill('Add a --version flag');
  await page.getByRole('button', { name: 'Start the run' }).click();
  await page.getByText('✓ completed').first().waitFor();
  expect(await page.getByRole('region', { name: 'Result' }).textContent()).toMatch(
    /Committed [0-9a-f]{7,} Add a --version flag/,
  );
  expect(await git('log', '-1', '--format=%s')).toBe('Add a --version flag');
  expect(errors).toEqual([]);
}, 180_000);

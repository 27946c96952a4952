// The docs site builds from what is in the repository, and lists every page for agents. A dead link fails the build.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { execa } from 'execa';
import { folder } from '../support/folder.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

test('the docs site has every page, a search, and llms.txt', async () => {
  const site = await folder({});
  const vitepress = join(root, 'node_modules/vitepress/bin/vitepress.js');
  await execa(process.execPath, [vitepress, 'build', 'docs', '--outDir', site], { cwd: root });
  const list = await readFile(join(site, 'llms.txt'), 'utf8');
  for (const kind of ['tutorials', 'how-to', 'reference', 'explanation', 'adr']) {
    const pages = (await readdir(join(root, 'docs', kind), { recursive: true })).filter((name) => name.endsWith('.md'));
    const built = await readdir(join(site, 'docs', kind), { recursive: true });
    expect(built).toEqual(expect.arrayContaining(pages.flatMap((page) => [page, page.replace(/md$/, 'html')])));
    for (const page of pages) expect(list).toContain(`](/docs/${kind}/${page}): `);
  }
  const assets = await readdir(join(site, 'assets/chunks'));
  expect(assets.filter((name) => name.startsWith('@localSearchIndex'))).not.toEqual([]);
});

// Every link of every page leads to a file of the repository, and to a heading that is there; and no page of the site has a tag outside of
// code, which the site would read as HTML.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { execa } from 'execa';
import { anchorsOf, linksOf } from '../support/markdown-links.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const { stdout } = await execa('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'], {
  cwd: root,
});
const pages = stdout.split('\n').filter((path) => !path.startsWith('test/') && existsSync(join(root, path)));

test.each(pages)('the links of %s lead somewhere', async (page) => {
  const links = linksOf(await readFile(join(root, page), 'utf8')).filter((link) => !/^[a-z]+:/.test(link));
  const dead = await Promise.all(links.map(async (link) => ((await isAlive(page, link)) ? [] : [link])));
  expect(dead.flat()).toEqual([]);
});

async function isAlive(page: string, link: string): Promise<boolean> {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? page : normalize(join(dirname(page), path));
  if (!existsSync(join(root, target))) return false;
  return anchor === undefined || anchorsOf(await readFile(join(root, target), 'utf8')).includes(anchor);
}

const CODE = /^(```+|~~~+)[^\n]*\n[^]*?^\1|(`+)(?!`)[^\n]*?[^`\n]\2(?!`)/gm;

test.each(pages.filter((page) => page.startsWith('docs/')))(
  '%s writes tags outside of code as \\<tag>',
  async (page) => {
    const prose = (await readFile(join(root, page), 'utf8')).replace(CODE, '');
    expect(prose.match(/(?<!\\)<(?!https?:|!--)\/?[a-z][^>\n]*>?/g) ?? []).toEqual([]);
  },
);

// The docs site: `npm run docs` builds it into dist.docs/. The whole repository is its source, so that links between pages work in both.
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { defineConfig } from 'vitepress';
import { anchorOf } from '../../scripts/docs/markdown.mjs';
import { groups, llmsText } from '../../scripts/docs/pages.mjs';

/** Pages of a project on GitHub are below its name. */
const { homepage = 'http://localhost/' } = JSON.parse(
  await readFile(new URL('../../package.json', import.meta.url), 'utf8'),
);

const linkOf = (path) => `/${path.replace(/\.md$/, '')}`;

export default defineConfig({
  title: 'Raymond',
  description: 'Folders of prompts and scripts as durable programs',
  base: new URL(homepage).pathname,
  srcDir: '..',
  srcExclude: ['test/**', 'dist.*/**', '.raymond/**', 'skill/SKILL.md', 'workflows/*/!(README).md'],
  rewrites: { 'README.md': 'index.md' },
  outDir: '../dist.docs',
  cacheDir: '../.cache/vitepress',
  markdown: {
    anchor: { slugify: anchorOf },
    languageAlias: { claude: 'md', prompt: 'md', stderr: 'log' },
    // Vue would take two braces for an expression.
    config: ({ renderer: { rules } }) => {
      for (const name of ['text', 'code_inline']) {
        const rule = rules[name];
        rules[name] = (...args) => rule(...args).replaceAll('{{', '&#123;&#123;');
      }
    },
  },
  themeConfig: {
    search: { provider: 'local' },
    outline: 'deep',
    sidebar: (await groups()).map(({ name, pages }) => ({
      text: name,
      collapsed: name === 'Decisions',
      items: pages.map(({ path, title }) => ({ text: title, link: linkOf(path) })),
    })),
  },
  /** The pages as they are written, and a list of them, for agents that read. */
  buildEnd: async ({ outDir, srcDir, pages }) => {
    for (const page of pages) {
      await mkdir(dirname(join(outDir, page)), { recursive: true });
      await copyFile(join(srcDir, page), join(outDir, page));
    }
    await writeFile(join(outDir, 'llms.txt'), await llmsText());
  },
});

// Every example of the pages for authors, run as it stands on its page; and the table of the rules of lint.
import { readFile } from 'node:fs/promises';
import { describe, expect, test } from '@jest/globals';
import { RULES } from '../../src/analysis/lint/rules.js';
import { Place } from '../support/cli.js';
import { runExample } from '../support/language-example.js';
import { readExamples } from '../support/language-page.js';

const PAGES = [
  'how-to/authoring',
  'reference/lint',
  'how-to/editor',
  'how-to/diagrams',
  'how-to/package-forms',
  'how-to/skills',
];
const read = (page: string): Promise<string> => readFile(new URL(`../../docs/${page}.md`, import.meta.url), 'utf8');
const texts = await Promise.all(PAGES.map(async (page) => [page, await read(page)] as const));
const place = await Place.at();

test('docs/reference/lint.md has a row for every rule of lint', async () => {
  const page = await read('reference/lint');
  const missing = RULES.filter(({ id, severity, summary }) => {
    const row =
      page
        .split('\n')
        .find((line) => line.startsWith(`| \`${id}\``))
        ?.replaceAll(/\\(?=<)|`/g, '') ?? '';
    return !row.includes(` ${severity} `) || !row.includes(summary);
  });
  expect(missing.map(({ id }) => id)).toEqual([]);
});

describe.each(texts)('an example of docs/%s.md runs as the page says:', (_page, text) => {
  for (const example of readExamples(text)) {
    test(`${example.title} (line ${example.line})`, async () => {
      expect((await runExample(example, place)).join('\n\n')).toBe('');
    });
  }
});

// Every example of the page for authors, run as it stands on the page.
import { readFile } from 'node:fs/promises';
import { describe, expect, test } from '@jest/globals';
import { RULES } from '../../src/analysis/lint/rules.js';
import { Place } from '../support/cli.js';
import { runExample } from '../support/language-example.js';
import { readExamples } from '../support/language-page.js';

const page = await readFile(new URL('../../docs/how-to/authoring.md', import.meta.url), 'utf8');
const place = await Place.at();

test('docs/how-to/authoring.md has a row for every rule of lint', () => {
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

describe('an example of docs/how-to/authoring.md runs as the page says:', () => {
  for (const example of readExamples(page)) {
    test(`${example.title} (line ${example.line})`, async () => {
      expect((await runExample(example, place)).join('\n\n')).toBe('');
    });
  }
});

// Every example of the page for authors, run as it stands on the page.
import { readFile } from 'node:fs/promises';
import { describe, expect, test } from '@jest/globals';
import { Place } from '../support/cli.js';
import { runExample } from '../support/language-example.js';
import { readExamples } from '../support/language-page.js';

const page = await readFile(new URL('../../docs/authoring.md', import.meta.url), 'utf8');
const place = await Place.at();

describe('an example of docs/authoring.md runs as it is told:', () => {
  for (const example of readExamples(page)) {
    test(`${example.title} (line ${example.line})`, async () => {
      expect((await runExample(example, place)).join('\n\n')).toBe('');
    });
  }
});

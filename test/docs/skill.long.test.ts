// The skill that teaches agents: every example in it runs as it stands there, and it is as short as it must be to be read.
import { readdir, readFile } from 'node:fs/promises';
import { describe, expect, test } from '@jest/globals';
import { parseFrontmatter } from '../../src/packages/frontmatter.js';
import { TAG_NAMES } from '../../src/protocol/language/tag-table.js';
import { Place } from '../support/cli.js';
import { runExample } from '../support/language-example.js';
import { readExamples } from '../support/language-page.js';

const skill = new URL('../../skill/', import.meta.url);
const references = (await readdir(new URL('references/', skill))).map((name) => `references/${name}`);
const pages = await Promise.all(
  ['SKILL.md', ...references].map(async (name) => ({ name, text: await readFile(new URL(name, skill), 'utf8') })),
);
const [main] = pages;
const place = await Place.at();

describe('an example of the skill runs as the page says:', () => {
  for (const { name, text } of pages) {
    for (const example of readExamples(text)) {
      test(`${name}, ${example.title} (line ${example.line})`, async () => {
        expect((await runExample(example, place)).join('\n\n')).toBe('');
      });
    }
  }
});

test('its page has at most 200 lines, says when to use it, and names every reference', () => {
  const text = main?.text ?? '';
  expect(text.split('\n').length).toBeLessThanOrEqual(200);
  expect(text).toMatch(/^---\nname: raymond\ndescription: .{50,1000}\n---\n/);
  expect(parseFrontmatter(text, String).kind).toBe('prompt');
  for (const name of references) expect(text).toContain(`](${name})`);
});

test('it says of every tag when to use it', () => {
  const all = pages.map(({ text }) => text).join('\n');
  const missing = TAG_NAMES.filter((tag) => !all.includes(`<${tag.replace(/^(\w+)-workflow$/, 'call-workflow')}`));
  expect(missing).toEqual([]);
});

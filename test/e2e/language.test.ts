// Every example of the language reference, run as it stands on the page, and a check that the page leaves nothing out.
// What the page says is what Raymond does: a difference is a mistake of one of them.
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { MANIFEST_KEYS } from '../../src/activities/scope/manifest.js';
import { FRONTMATTER_KEYS } from '../../src/protocol/frontmatter.js';
import { TAG_NAMES, TAG_RULES } from '../../src/protocol/tag-rules.js';
import { Place } from '../support/cli.js';
import { runExample } from '../support/languageExample.js';
import { sectionOf } from '../support/fencedBlocks.js';
import { readExamples } from '../support/languagePage.js';

/** Examples of features that are not built yet. One that works does not belong here. */
const PENDING: readonly string[] = [
  '<goto> with a delay',
  '<ask>',
  '<ask> that nobody answers',
  '<ask> with files',
  '<await>',
  '<call-workflow>',
  '<function-workflow>',
  '<fork-workflow>',
  '<reset-workflow>',
  'The environment of scripts',
  'The header of a script',
  'Task folders',
  'Zip files',
  'YAML files',
  'The manifest',
  'More budget',
];

const page = await readFile(fileURLToPath(new URL('../../docs/language.md', import.meta.url)), 'utf8');
const examples = readExamples(page);
const place = await Place.at();

describe('an example of docs/language.md runs as it is told:', () => {
  for (const example of examples.filter(({ title }) => !PENDING.includes(title))) {
    test(`${example.title} (line ${example.line})`, async () => {
      expect((await runExample(example, place)).join('\n\n')).toBe('');
    });
  }
});

describe('an example of something that is not built yet fails:', () => {
  for (const title of PENDING) {
    test(title, async () => {
      const example = examples.find((one) => one.title === title);
      expect(example).toBeDefined();
      expect(await runExample(example!, place)).not.toEqual([]);
    });
  }
});

describe('the page has', () => {
  test.each(TAG_NAMES)('a section <%s> with an example and every attribute', (tag) => {
    const section = sectionOf(page, `<${tag}>`);
    const { needs, mayName, takes } = TAG_RULES[tag as keyof typeof TAG_RULES];
    const missing = [...needs, ...mayName, ...takes].filter((name) => !section.includes(`\`${name}\``));
    expect(missing).toEqual([]);
    expect(examples.map(({ title }) => title)).toContain(`<${tag}>`);
  });

  test.each([
    ['frontmatter', 'Frontmatter', FRONTMATTER_KEYS],
    ['manifest', 'The manifest', MANIFEST_KEYS],
  ])('every key of a %s', (_what, heading, keys) => {
    const section = sectionOf(page, heading);
    expect(keys.filter((key) => !section.includes(`\`${key}\``))).toEqual([]);
  });
});

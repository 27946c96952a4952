// Every example of the language reference, run as it stands on its page, and a check that its pages leave nothing out.
// What a page says is what Raymond does: a difference is a mistake of one of them.
import { describe, expect, test } from '@jest/globals';
import { MANIFEST_KEYS } from '../../src/packages/manifest.js';
import { turnVariables, templateVariables } from '../../src/protocol/language/variables.js';
import { FAILURES } from '../../src/protocol/failure.js';
import { FRONTMATTER_KEYS } from '../../src/protocol/language/state-file.js';
import { ruleOfTag, TAG_NAMES } from '../../src/protocol/language/tag-table.js';
import { Place } from '../support/cli.js';
import { joined, pagesOf } from '../support/doc-pages.js';
import { runExample } from '../support/language-example.js';
import { sectionOf } from '../support/fenced-blocks.js';
import { readExamples } from '../support/language-page.js';

/** Examples of features that are not built yet. One that works does not belong here. */
const PENDING: readonly string[] = [];

const pages = await pagesOf('language');
const page = joined(pages);
const examples = pages.flatMap(({ path, text }) =>
  text.includes('```console') ? readExamples(text).map((example) => ({ ...example, path })) : [],
);
// One engine executes all examples, as on a user's machine.
const place = await Place.at({}, { RAYMOND_FOREGROUND: '' });

describe('an example of the language reference runs as its page says:', () => {
  for (const example of examples.filter(({ title }) => !PENDING.includes(title))) {
    test(`${example.title} (${example.path}, line ${example.line})`, async () => {
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

/** Tags of which some are still to be built; `<print>` is none that leads anywhere. */
const TAGS = new Set([
  ...['goto', 'reset', 'call', 'function', 'fork', 'result', 'ask', 'await'],
  ...['call-workflow', 'function-workflow', 'fork-workflow', 'reset-workflow', 'print'],
  ...TAG_NAMES,
]);

describe('the pages have', () => {
  test.each([...TAGS])('a section <%s> with an example and every attribute', (tag) => {
    const rule = ruleOfTag(tag);
    const attributes = rule === undefined ? [] : [...rule.needs, ...rule.mayName, ...rule.takes];
    expect(missing(`<${tag}>`, attributes)).toEqual([]);
    expect(examples.map(({ title }) => title)).toContain(`<${tag}>`);
  });

  test.each([
    ['key of a frontmatter', 'Frontmatter', FRONTMATTER_KEYS],
    ['key of a manifest', 'The manifest', MANIFEST_KEYS],
    ['type of failure', 'Failures', Object.keys(FAILURES)],
    ['variable of a prompt', 'Values and variables', Object.keys(promptVariables()).map((name) => `{{${name}}}`)],
    ['variable of a script', 'The environment of scripts', Object.keys(scriptVariables())],
  ])('every %s', (_what, heading, names) => {
    expect(names).not.toEqual([]);
    expect(missing(heading, names)).toEqual([]);
  });
});

function missing(heading: string, names: readonly string[]): readonly string[] {
  const section = sectionOf(page, heading);
  return names.filter((name) => !section.includes(`\`${name}\``));
}

function promptVariables(): Readonly<Record<string, string>> {
  const pending = { value: 'value', returning: false, askId: 'ask_main_1' };
  const agent = { id: 'main', attributes: {}, pending };
  return templateVariables({ runId: 'run', agent, stateDir: '/flow', taskFolder: '/task', pendingText: 'value' });
}

function scriptVariables(): Readonly<Record<string, string>> {
  const pending = { text: 'value', file: '/tmp/input', returning: true };
  const ids = {
    runId: 'run',
    agentId: 'main',
    turnId: 'run/main/1',
    attempt: 'x-1',
    taskFolder: '/task',
    askId: 'ask_main_1',
  };
  return turnVariables({ ...ids, stateDir: '/flow', stateFile: '/flow/A.sh', attributes: {}, pending }).raymond;
}

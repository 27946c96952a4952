// The pages of the reference that scripts/docs/reference.mjs writes are those that it would write now.
import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { cliPages } from '../../scripts/docs/cli-page.mjs';
import { configPage } from '../../scripts/docs/config-page.mjs';
import { CONFIG_KEYS } from '../../src/client/project/config-keys.js';
import { editorSchemas } from '../../src/schemas.js';
import { program } from '../support/program.js';

const schema = editorSchemas()['config.schema.json']!;

test.each([...Object.entries(cliPages(program)), ['config.md', configPage(schema)]])(
  'docs/reference/%s is as the program is; if not, run: npm run docs:reference',
  async (name, page) => {
    expect(await readFile(new URL(`../../docs/reference/${name}`, import.meta.url), 'utf8')).toBe(page);
  },
);

test('has a section for every command that the help shows, and a row for every key', () => {
  const all = Object.values(cliPages(program)).join('\n');
  for (const command of program.createHelp().visibleCommands(program))
    expect(all).toContain(`\n## \`raymond ${command.name()}\`\n`);
  for (const key of Object.keys(CONFIG_KEYS)) expect(configPage(schema)).toContain(`\n| \`${key}\` | `);
});

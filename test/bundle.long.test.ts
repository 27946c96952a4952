// What a workflow may not import is found out when it is bundled.
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { complaints, ROOT } from './bundled.js';
import { folder } from './support/folder.js';

// One build for all that the same step of the bundler finds, or would let pass.
describe.each<[string, Readonly<Record<string, RegExp>>]>([
  [
    'cannot be bundled',
    {
      'node:fs': /Reading from "node:fs" is not handled(?:(?! @ )[^])* @ \S+raymond-test-\w+\/index\.js/,
      execa: /@ \S+node_modules\/execa\/index\.js/,
    },
  ],
  ['is disallowed by Temporal', { crypto: / - 'crypto'/, '@temporalio/client': / - '@temporalio\/client'/ }],
  [
    'is a stranger',
    {
      zod: /^node_modules\/zod\//,
      yaml: /^node_modules\/yaml\//,
      './src/activities/environment/redact.ts': /^src\/activities\/environment\/redact\.ts$/,
    },
  ],
])('what %s', (_what, imports) => {
  let found: readonly string[];
  beforeAll(async () => {
    const lines = Object.keys(imports).map((imported, index) => {
      const module = imported.startsWith('.') ? join(ROOT, imported) : imported;
      return `import * as used${index} from ${JSON.stringify(module)};\nexport const flow${index} = async () => Object.keys(used${index});\n`;
    });
    const path = await folder({ 'index.js': lines.join(''), 'package.json': '{"type":"module"}' });
    await symlink(join(ROOT, 'node_modules'), join(path, 'node_modules'));
    found = await complaints(join(path, 'index.js'));
  });

  test.each(Object.entries(imports))('a workflow that imports %s is found out', (_imported, complaint) => {
    expect(found).toContainEqual(expect.stringMatching(complaint));
  });
});

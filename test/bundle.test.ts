// The deterministic part as Temporal's own bundler sees it: only our language and our workflows, and not grown by accident.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { bundle, parts, ROOT, strangers } from './bundled.js';

/**
 * Kilobytes of code without its source map. The SDK alone is 488; ours has 1158 today, comments of the sources included. A library such as yaml or zod adds more
 * than 400, and every worker loads the code once per thread and replays with it.
 */
const MOST_KILOBYTES = 1200;

test('the workflows are bundled with the language and the SDK, and nothing else', async () => {
  const made = await bundle(join(ROOT, 'src', 'workflows', 'index.ts'));
  expect(made.modules).toEqual(
    expect.arrayContaining([
      'src/workflows/run/run.ts',
      'src/workflows/agent/agent.ts',
      'src/protocol/machine/step.ts',
      'src/codec/workflow-guard.ts',
      'src/sdk-internals/promise-stacks.ts',
      'src/sdk-internals/reset.ts',
    ]),
  );
  expect(strangers(made)).toEqual([]);
  expect(made.kilobytes).toBeLessThan(MOST_KILOBYTES);
});

test('the bundle that is shipped knows its sources by paths within the project, and does not hold them', async () => {
  const { script, map, sources } = parts(await readFile(join(ROOT, 'dist', 'workflow-bundle.js'), 'utf8'));
  expect(sources).toEqual(expect.arrayContaining(['src/workflows/agent/agent.ts', 'src/protocol/machine/step.ts']));
  expect([script.includes(ROOT), map.includes(ROOT)]).toEqual([false, false]);
  expect(map.length).toBeLessThan(script.length / 5);
});

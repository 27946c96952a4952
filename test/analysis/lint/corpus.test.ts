// Lint finds every planted mistake at its position and nothing else, and nothing in the samples; every rule has a planted mistake.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { analyse } from '../../../src/analysis/lint/analyse.js';
import { lint } from '../../../src/analysis/lint/lint.js';
import { RULES } from '../../../src/analysis/lint/rules.js';
import { openScope } from '../../../src/packages/open.js';
import { scopeAt } from '../../../src/protocol/scope.js';
import { CORPUS } from './corpus.js';
import { linted, placed } from './kit.js';

const SAMPLES = fileURLToPath(new URL('../../../workflows', import.meta.url));
const samples = (await readdir(SAMPLES, { withFileTypes: true })).filter((entry) => entry.isDirectory());

describe('a package with a planted mistake', () => {
  test.each(CORPUS)('%s', async (_what, files, expected) => {
    const wanted = new Set(expected.map((line) => line.split(' ')[0]));
    const findings = await linted(files);
    const told = findings.filter(({ id, severity }) => severity !== 'info' || wanted.has(id));
    expect(told.map(placed).sort()).toEqual([...expected].sort());
  });
});

test('every rule reports something in the corpus', () => {
  const found = new Set(CORPUS.flatMap(([, , lines]) => lines.map((line) => line.split(' ')[0])));
  expect(RULES.filter(({ id }) => !found.has(id)).map(({ id }) => id)).toEqual([]);
});

test.each(samples.map(({ name }) => name))('the sample %s has neither errors nor warnings', async (name) => {
  const scope = scopeAt(join(SAMPLES, name));
  const options = { scope, platform: 'unix', cwd: SAMPLES, extent: 'all' } as const;
  const findings = lint(await analyse(await openScope(scope), options));
  expect(findings.filter(({ severity }) => severity !== 'info').map(placed)).toEqual([]);
});

test('every rule has a unique id, a summary and an explanation', () => {
  expect(new Set(RULES.map(({ id }) => id)).size).toBe(RULES.length);
  for (const { id, summary, why } of RULES) {
    expect(id).toMatch(/^[a-z0-9]+(-[a-z0-9]+)+$/);
    expect(summary).toMatch(/^[^\n]+\.$/);
    expect(why.length).toBeGreaterThan(20);
  }
});

// All cases of a call: which files there are, the cases side by side on one bench, and what came of each.
import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { ClientError } from '../client/error.js';
import { isDirectory } from '../host/files.js';
import type { TestBench } from './bench.js';
import { readTestFile, TEST_FILE, type TestCase } from './case-file.js';
import { runCase, type CaseLimits, type CaseRecord } from './case-run.js';
import type { Difference } from './differences.js';
import { changedStates, compare } from './expect.js';

/** What came of a case; without a record it could not be started. */
export interface CaseOutcome {
  readonly test: TestCase;
  readonly differences: readonly Difference[];
  /** What does not make it fail. */
  readonly notes: readonly Difference[];
  readonly seconds: number;
  readonly record?: CaseRecord;
}

/** How to run cases. */
export interface SuiteOptions extends CaseLimits {
  /** How many at once. */
  readonly jobs: number;
  /** A state that has changed since its case was recorded makes that fail. */
  readonly strict: boolean;
  /** Hears of every case as soon as it is over. */
  readonly done: (outcome: CaseOutcome) => void;
}

/** Folders in which nobody keeps tests of their own. */
const PASSED_OVER = new Set(['node_modules', '.git', '.raymond']);

/** The files of tests that paths name: files as they are, folders with everything below. Throws `InvalidUsage` for a path without any. */
export async function testFiles(paths: readonly string[], cwd: string): Promise<readonly string[]> {
  const found = new Set<string>();
  for (const path of paths) {
    const whole = resolve(cwd, path);
    const files = (await isDirectory(whole)) ? await filesBelow(whole) : [whole];
    if (files.length === 0)
      throw new ClientError('InvalidUsage', `${path} has no tests; write NAME.test.yaml beside a workflow`);
    for (const file of files) found.add(file);
  }
  return [...found];
}

async function filesBelow(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const below = entries
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
    .map(async (entry) => {
      if (entry.isDirectory()) return PASSED_OVER.has(entry.name) ? [] : await filesBelow(join(folder, entry.name));
      return entry.isFile() && TEST_FILE.test(entry.name) ? [join(folder, entry.name)] : [];
    });
  return (await Promise.all(below)).flat();
}

/** The cases of files whose name has `wanted` in it; all without. Throws `InvalidUsage` when there is none, `InvalidWorkflow`. */
export async function casesOf(files: readonly string[], wanted?: string): Promise<readonly TestCase[]> {
  const all = (await Promise.all(files.map(readTestFile))).flat();
  const chosen = wanted === undefined ? all : all.filter(({ name }) => name.includes(wanted));
  if (chosen.length > 0) return chosen;
  const names = all.map(({ name }) => name).join(', ');
  throw new ClientError('InvalidUsage', `no case is called "${wanted ?? ''}"; there are ${names}`);
}

/** Runs the cases; gives what came of them, in their order. */
export async function runCases(
  bench: TestBench,
  { tests, options }: { readonly tests: readonly TestCase[]; readonly options: SuiteOptions },
): Promise<readonly CaseOutcome[]> {
  const outcomes = new Map<TestCase, CaseOutcome>();
  const left = [...tests];
  const work = async (): Promise<void> => {
    for (let test = left.shift(); test !== undefined; test = left.shift()) {
      const outcome = await outcomeOf(bench, { test, options });
      outcomes.set(test, outcome);
      options.done(outcome);
    }
  };
  await Promise.all(Array.from({ length: Math.min(options.jobs, tests.length) }, work));
  return tests.flatMap((test) => outcomes.get(test) ?? []);
}

async function outcomeOf(
  bench: TestBench,
  { test, options }: { readonly test: TestCase; readonly options: SuiteOptions },
): Promise<CaseOutcome> {
  const begun = performance.now();
  const took = (): number => Math.round(performance.now() - begun) / 1000;
  try {
    const record = await runCase(bench, test, options);
    const differences = await compare(test.expected, { record, artifacts: bench.artifacts });
    const changed = changedStates(test.hashes, record);
    const failing = options.strict ? [...differences, ...changed] : differences;
    return { test, differences: failing, notes: options.strict ? [] : changed, record, seconds: took() };
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    return { test, differences: [{ key: 'start', text: error.message }], notes: [], seconds: took() };
  }
}

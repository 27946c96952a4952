// Finds the test files, runs their cases in parallel in one environment, and collects the outcomes.
import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { ClientError } from '../client/error.js';
import { isDirectory } from '../host/files.js';
import type { TestEnvironment } from './environment.js';
import { readTestFile, TEST_FILE, type TestCase } from './case-file.js';
import { runCase, type CaseLimits, type CaseRecord } from './case-run.js';
import type { Difference } from './differences.js';
import { changedStates, compare, unusedReplies } from './expect.js';
import { UnknownStates } from './unknown-states.js';

/** The outcome of a case; without a record it could not be started. */
export interface CaseOutcome {
  readonly test: TestCase;
  readonly differences: readonly Difference[];
  /** Remarks that do not make it fail. */
  readonly notes: readonly Difference[];
  /** True for a case that was not run. */
  readonly isSkipped: boolean;
  readonly seconds: number;
  readonly record?: CaseRecord;
}

/** How to run cases. */
interface SuiteOptions extends CaseLimits {
  /** How many at once. */
  readonly jobs: number;
  /** Whether a state that changed since its case was recorded makes that case fail. */
  readonly strict: boolean;
  /** Whether the first failure ends the suite. */
  readonly bail: boolean;
  /** Called for every case when it has ended. */
  readonly done: (outcome: CaseOutcome) => void;
}

/** Folders that never contain a user's own tests. */
const PASSED_OVER = new Set(['node_modules', '.git', '.raymond']);

/**
 * The test files that paths name: files as they are, folders recursively. Throws `InvalidUsage` for a path without any.
 */
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

/** The cases of files, and the errors of the files that cannot be read. */
export interface FoundCases {
  readonly cases: readonly TestCase[];
  readonly errors: readonly ClientError[];
}

/**
 * The cases whose name contains `wanted`; without it, all. Throws `InvalidUsage` when there is none, and the error of a
 * file when no other file has cases.
 */
export async function casesOf(files: readonly string[], wanted?: string): Promise<FoundCases> {
  const errors: ClientError[] = [];
  const read = files.map((file) =>
    readTestFile(file).catch((error: unknown): readonly TestCase[] => {
      if (!(error instanceof ClientError)) throw error;
      errors.push(error);
      return [];
    }),
  );
  const all = (await Promise.all(read)).flat();
  const cases = wanted === undefined ? all : all.filter(({ name }) => name.includes(wanted));
  if (cases.length > 0) return { cases, errors };
  const [error] = errors;
  if (error !== undefined) throw new ClientError(error.code, errors.map(({ message }) => message).join('\n'));
  const names = all.map(({ name }) => name).join(', ');
  throw new ClientError('InvalidUsage', `no case is called "${wanted ?? ''}"; there are ${names}`);
}

/** True for a case that `skip`, or the `only` of another case of its file, keeps from running. */
function isLeftOut(test: TestCase, tests: readonly TestCase[]): boolean {
  return test.skip || (!test.only && tests.some(({ file, only }) => only && file === test.file));
}

/** Runs the cases; returns their outcomes in order. */
export async function runCases(
  environment: TestEnvironment,
  { tests, options }: { readonly tests: readonly TestCase[]; readonly options: SuiteOptions },
): Promise<readonly CaseOutcome[]> {
  const outcomes = new Map<TestCase, CaseOutcome>();
  const left = [...tests];
  let isOver = false;
  const work = async (): Promise<void> => {
    for (let test = left.shift(); test !== undefined; test = left.shift()) {
      const isSkipped = isOver || isLeftOut(test, tests);
      const outcome = isSkipped
        ? { test, isSkipped, differences: [], notes: [], seconds: 0 }
        : await outcomeOf(environment, { test, options });
      isOver ||= options.bail && outcome.differences.length > 0;
      outcomes.set(test, outcome);
      options.done(outcome);
    }
  };
  await Promise.all(Array.from({ length: Math.min(options.jobs, tests.length) }, work));
  return tests.flatMap((test) => outcomes.get(test) ?? []);
}

async function outcomeOf(
  environment: TestEnvironment,
  { test, options }: { readonly test: TestCase; readonly options: SuiteOptions },
): Promise<CaseOutcome> {
  const startedAt = performance.now();
  const took = (): number => Math.round(performance.now() - startedAt) / 1000;
  try {
    const record = await runCase(environment, test, options);
    const differences = await compare(test.expected, { record, artifacts: environment.artifacts });
    const changed = changedStates(test.hashes, record);
    const failing = options.strict ? [...differences, ...changed] : differences;
    const unused = failing.length === 0 ? unusedReplies(test, record) : [];
    const notes = [...(options.strict ? [] : changed), ...unused];
    return { test, isSkipped: false, differences: failing, notes, record, seconds: took() };
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    const differences = error instanceof UnknownStates ? error.differences : [{ key: 'start', text: error.message }];
    return { test, isSkipped: false, differences, notes: [], seconds: took() };
  }
}

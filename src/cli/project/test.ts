// `raymond test`: runs the cases of test files without a model, and reports the differences. With --record it writes
// such a file instead.
import { mkdir, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { ClientError } from '../../client/error.js';
import { temporalCliOf } from '../../client/open.js';
import { findRun, turns } from '../../client/operations.js';
import { exists } from '../../host/files.js';
import { findProject } from '../../client/project/project.js';
import { originOf } from '../../protocol/scope.js';
import { openTestEnvironment, type TestEnvironment } from '../../testing/environment.js';
import type { TestCase } from '../../testing/case-file.js';
import { concerns, nextChange } from '../../testing/changes.js';
import { coverageLines, coverageOf, percentOf, type Coverage } from '../../testing/coverage.js';
import { recorded } from '../../testing/recording.js';
import { documentOf, junitOf, linesOf, summaryOf } from '../../testing/report.js';
import { casesOf, runCases, testFiles, type CaseOutcome, type FoundCases } from '../../testing/suite.js';
import { updateFile } from '../../testing/update.js';
import { openForQuestion } from '../context.js';
import { EXIT } from '../exit.js';
import type { ConnectionFlags } from '../flags.js';
import { hearSignals, type Io } from '../io.js';
import { printDocument } from '../view/json.js';

/** How a report is printed. */
export type TestFormat = 'text' | 'json' | 'junit';

/** Flags of `test`. */
export interface TestFlags extends ConnectionFlags {
  readonly json?: boolean;
  readonly case?: string;
  readonly format?: TestFormat;
  readonly jobs?: number;
  readonly keep?: boolean;
  readonly timeout?: number;
  readonly strict?: boolean;
  readonly update?: boolean;
  /** True, or the required coverage in percent. */
  readonly coverage?: true | number;
  readonly watch?: boolean;
  readonly bail?: boolean;
  readonly record?: string;
}

interface TestRequest {
  readonly paths: readonly string[];
  readonly flags: TestFlags;
}

/** Real seconds that a case may take. */
const CASE_SECONDS = 60;

/** Tests what the paths name, else everything below the folder; returns the exit code. */
export async function test(io: Io, { paths: given, flags: said }: TestRequest): Promise<number> {
  const flags: TestFlags = said.json === true ? { ...said, format: 'json' } : said;
  if (flags.record !== undefined) return await record(io, { runId: flags.record, paths: given, flags });
  if (flags.watch === true && (flags.format ?? 'text') !== 'text')
    throw new ClientError(
      'InvalidUsage',
      'give --watch or --format, not both: a report needs an end, and --watch has none',
    );
  const { cwd, env, say } = io;
  const project = await findProject(cwd);
  const paths = given.length === 0 ? ['.'] : given;
  const find = async (): Promise<FoundCases> => await casesOf(await testFiles(paths, cwd), flags.case);
  // Mistakes in the files are reported before a server is started.
  const { cases, errors } = await find();
  for (const { message } of errors) say(message);
  const stop = new AbortController();
  const interruption = hearSignals(io, { names: ['SIGINT', 'SIGTERM', 'SIGHUP'], onSignal: () => stop.abort() });
  const environment = await openTestEnvironment({ env, report: say, ...temporalCliOf(project) });
  const work = async (): Promise<number> => {
    const code = await testOnce(io, { environment, cases, flags });
    if (flags.watch === true) return await watchOn(io, { environment, cases, flags, find, signal: stop.signal });
    return errors.length > 0 ? EXIT.usage : code;
  };
  try {
    return await Promise.race([work(), interrupted(stop.signal)]);
  } finally {
    interruption.off();
    await environment.close({ keep: flags.keep === true });
    if (flags.keep === true) say(`the files of the runs are in ${environment.folder}`);
  }
}

/** Runs in progress end with their server. */
function interrupted(signal: AbortSignal): Promise<number> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(EXIT.interrupted);
    else signal.addEventListener('abort', () => resolve(EXIT.interrupted), { once: true });
  });
}

interface TestingOptions {
  readonly environment: TestEnvironment;
  readonly cases: readonly TestCase[];
  readonly flags: TestFlags;
}

async function testOnce(io: Io, { environment, cases, flags }: TestingOptions): Promise<number> {
  const {
    format = 'text',
    jobs = 2 * availableParallelism(),
    timeout: seconds = CASE_SECONDS,
    strict = false,
    bail = false,
  } = flags;
  const startedAt = performance.now();
  const shown: Promise<void>[] = [];
  const done = (outcome: CaseOutcome): void => {
    if (format === 'text') shown.push(io.show(linesOf(outcome, io.cwd).join('\n')));
  };
  const outcomes = await runCases(environment, {
    tests: cases,
    options: { jobs: bail ? 1 : jobs, seconds, strict, bail, done },
  });
  await Promise.all(shown);
  if (flags.update === true) await update(io, { environment, outcomes });
  const records = outcomes.flatMap((outcome) => outcome.record ?? []);
  const coverage = flags.coverage === undefined ? undefined : await coverageOf(records);
  await report(io, { outcomes, coverage, format, seconds: (performance.now() - startedAt) / 1000 });
  const isGood = outcomes.every(({ differences }) => differences.length === 0);
  return isGood && isCovered(io, { coverage, wanted: flags.coverage }) ? EXIT.completed : EXIT.failed;
}

interface Results {
  readonly outcomes: readonly CaseOutcome[];
  readonly coverage: readonly Coverage[] | undefined;
  readonly format: TestFormat;
  readonly seconds: number;
}

async function report(io: Io, { outcomes, coverage, format, seconds }: Results): Promise<void> {
  const { cwd } = io;
  if (format === 'json') return await printDocument(io, 'test', documentOf(outcomes, { cwd, coverage }));
  if (format === 'junit') return await io.print(junitOf(outcomes, cwd));
  await io.show(summaryOf(outcomes, seconds));
  if (coverage !== undefined) await io.show(coverageLines(coverage, (path) => relative(cwd, path) || '.').join('\n'));
}

function isCovered(
  { say }: Io,
  { coverage, wanted }: { readonly coverage: readonly Coverage[] | undefined; readonly wanted: TestFlags['coverage'] },
): boolean {
  if (coverage === undefined || typeof wanted !== 'number') return true;
  const percent = percentOf(coverage);
  if (percent >= wanted) return true;
  say(`the tests cover ${percent} % of states and transitions, but --coverage requires ${wanted} %`);
  return false;
}

async function update(
  { say, cwd }: Io,
  {
    environment: { artifacts },
    outcomes,
  }: { readonly environment: TestEnvironment; readonly outcomes: readonly CaseOutcome[] },
): Promise<void> {
  for (const file of new Set(outcomes.map((outcome) => outcome.test.file))) {
    const own = outcomes.filter((outcome) => outcome.test.file === file);
    if (await updateFile(file, { outcomes: own, artifacts })) say(`updated ${relative(cwd, file)}`);
  }
}

interface WatchRequest extends TestingOptions {
  readonly find: () => Promise<FoundCases>;
  readonly signal: AbortSignal;
}

/** Reruns the tests that a change concerns, until interrupted. */
async function watchOn(io: Io, { environment, cases: first, flags, find, signal }: WatchRequest): Promise<number> {
  for (let cases = first; ;) {
    io.say('waiting for changes; press Ctrl-C to stop');
    const folders = cases.flatMap(({ file, workflow }) => [dirname(file), dirname(workflow)]);
    const changed = await nextChange(folders, signal);
    if (signal.aborted) return EXIT.interrupted;
    try {
      const found = await find();
      for (const { message } of found.errors) io.say(message);
      cases = found.cases;
      const concerned = cases.filter((one) => concerns(changed, one));
      if (concerned.length > 0) await testOnce(io, { environment, cases: concerned, flags });
    } catch (error) {
      // A file that is being written is invalid for a moment.
      if (!(error instanceof ClientError)) throw error;
      io.say(error.message);
    }
  }
}

/** Writes a test file from a run; never overwrites one. */
async function record(
  io: Io,
  { runId: name, paths, flags }: TestRequest & { readonly runId: string },
): Promise<number> {
  if (paths.length > 1) throw new ClientError('InvalidUsage', 'give exactly one file to write to');
  const context = await openForQuestion(io, { flags, runId: name });
  const view = await findRun(context, { runId: name });
  const found = await turns(context, { runId: view.runId });
  const [path] = paths;
  const scope = found.find(({ before }) => before !== undefined)?.before?.scope;
  const folder = scope?.kind === 'directory' ? originOf(scope) : io.cwd;
  const file = path === undefined ? join(folder, `${view.workflow}.test.yaml`) : resolve(io.cwd, path);
  if (await exists(file)) {
    const what = `${file} already exists; choose another file: raymond test --record ${view.runId} NAME.test.yaml`;
    throw new ClientError('InvalidUsage', what);
  }
  const text = await recorded({ view, turns: found, artifacts: context.artifacts }, file);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
  await io.print(file);
  return EXIT.completed;
}

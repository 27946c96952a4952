// `raymond test`: runs the cases of test files without a model, and says what is not as they expect.
import { availableParallelism } from 'node:os';
import { temporalCliOf } from '../client/open.js';
import { findProject } from '../project.js';
import type { TestFormat } from '../testing/formats.js';
import { documentOf, junitOf, linesOf, summaryOf } from '../testing/report.js';
import { casesOf, runSuite, testFiles, type CaseOutcome } from '../testing/suite.js';
import { EXIT } from './exit.js';
import type { Io } from './io.js';

/** Flags of `test`. */
export interface TestFlags {
  readonly case?: string;
  readonly format?: TestFormat;
  readonly jobs?: number;
  readonly keep?: boolean;
  readonly timeout?: number;
}

/** Real seconds that a case may take. */
const CASE_SECONDS = 60;

/** Tests what the paths name, else everything below the folder; gives the exit code. */
export async function test(
  io: Io,
  { paths, flags }: { readonly paths: readonly string[]; readonly flags: TestFlags },
): Promise<number> {
  const { cwd, env, say } = io;
  const project = await findProject(cwd);
  const { format = 'text', keep = false, jobs = 2 * availableParallelism(), timeout: seconds = CASE_SECONDS } = flags;
  const cases = await casesOf(await testFiles(paths.length === 0 ? ['.'] : paths, cwd), flags.case);
  const begun = performance.now();
  const shown: Promise<void>[] = [];
  const done = (outcome: CaseOutcome): void => {
    if (format === 'text') shown.push(io.show(linesOf(outcome, cwd).join('\n')));
  };
  const { outcomes, folder } = await runSuite(cases, {
    env,
    jobs,
    keep,
    seconds,
    done,
    report: say,
    ...temporalCliOf(project),
  });
  await Promise.all(shown);
  const took = (performance.now() - begun) / 1000;
  if (format === 'text') await io.show(summaryOf(outcomes, took));
  else
    await io.print(
      format === 'json' ? JSON.stringify(documentOf(outcomes, cwd), undefined, 2) : junitOf(outcomes, cwd),
    );
  if (folder !== undefined) say(`the files of the runs are in ${folder}`);
  return outcomes.every(({ differences }) => differences.length === 0) ? EXIT.completed : EXIT.failed;
}

// `raymond lint`: checks packages, prints the findings, and fixes those that have exactly one fix.
import { ruleOf, RULES } from '../../analysis/lint/rules.js';
import type { Severity } from '../../analysis/lint/rule.js';
import { ClientError } from '../../client/error.js';
import { lintPackages, lintRequest, type LintedPackage, type LintRequest } from '../../authoring/lint.js';
import { fixFindings } from '../../authoring/lint-fix.js';
import { findProject } from '../../client/project/project.js';
import { nearest } from '../../protocol/text.js';
import { EXIT } from '../exit.js';
import type { Io } from '../io.js';
import { findingLines, githubLines, sarifOf, shownFindings, summaryOf, type ShownFinding } from '../view/findings.js';
import { printDocument } from '../view/json.js';

/** How findings are printed. */
export type LintFormat = 'text' | 'json' | 'sarif' | 'github';

/** Flags of `lint`. */
export interface LintFlags {
  readonly format?: LintFormat;
  readonly json?: boolean;
  readonly fix?: boolean;
  readonly explain?: string;
  readonly level?: Severity;
  readonly maxWarnings?: number;
  readonly win?: boolean;
}

/** Lints the packages at the paths, else those of the project; returns the exit code. */
export async function lint(
  io: Io,
  { paths, flags }: { readonly paths: readonly string[]; readonly flags: LintFlags },
): Promise<number> {
  if (flags.explain !== undefined) return await explain(io, flags.explain);
  const { cwd, env } = io;
  const request = lintRequest(await findProject(cwd), { paths, cwd, env });
  const wanted: LintRequest = flags.win === true ? { ...request, platform: 'windows' } : request;
  const packages = flags.fix === true ? await fixAll(io, wanted) : await lintPackages(wanted);
  const findings = shownFindings(packages, cwd);
  const counts = { errors: countOf(findings, 'error'), warnings: countOf(findings, 'warning') };
  await print(io, {
    findings: findings.filter(({ severity }) => isShown(severity, flags.level)),
    ...counts,
    flags,
    packages,
  });
  const tooMany = flags.maxWarnings !== undefined && counts.warnings > flags.maxWarnings;
  return counts.errors > 0 || tooMany ? EXIT.failed : EXIT.completed;
}

async function fixAll(io: Io, request: LintRequest): Promise<readonly LintedPackage[]> {
  const count = await fixFindings((await lintPackages(request)).flatMap(({ findings }) => findings));
  if (count > 0) io.say(`fixed: ${count}`);
  return await lintPackages(request);
}

function countOf(findings: readonly ShownFinding[], severity: Severity): number {
  return findings.filter((finding) => finding.severity === severity).length;
}

/** Severities, the lowest first. */
const LEVELS: readonly Severity[] = ['info', 'warning', 'error'];

function isShown(severity: Severity, level: Severity = 'warning'): boolean {
  return LEVELS.indexOf(severity) >= LEVELS.indexOf(level);
}

interface Printing {
  readonly findings: readonly ShownFinding[];
  readonly errors: number;
  readonly warnings: number;
  readonly flags: LintFlags;
  readonly packages: readonly LintedPackage[];
}

async function print(io: Io, { findings, errors, warnings, flags, packages }: Printing): Promise<void> {
  const format = flags.json === true ? 'json' : (flags.format ?? 'text');
  switch (format) {
    case 'json': {
      const listed = findings.map(({ line: _line, state: _state, at, ...finding }) => ({ ...finding, ...at }));
      return await printDocument(io, 'lint', { findings: listed, errors, warnings });
    }
    case 'sarif':
      return await io.print(JSON.stringify(sarifOf(findings)));
    case 'github':
      return await io.print(githubLines(findings).join('\n'));
    case 'text':
      return await io.show(
        [...findings.flatMap(findingLines), summaryOf({ errors, warnings, packages: packages.length })].join('\n'),
      );
  }
}

async function explain(io: Io, id: string): Promise<number> {
  const rule = ruleOf(id);
  if (rule === undefined) {
    const near = nearest(
      id,
      RULES.map((one) => one.id),
    );
    const hint =
      near === undefined ? `the rules are ${RULES.map((one) => one.id).join(', ')}` : `did you mean ${near}?`;
    throw new ClientError('InvalidUsage', `there is no rule "${id}"; ${hint}`);
  }
  await io.show(`${rule.id} (${rule.severity}): ${rule.summary}\n\n${rule.why}`);
  return EXIT.completed;
}

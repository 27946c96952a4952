// Lint findings for people, GitHub and other programs.
import type { Finding, Severity } from '../../analysis/lint/rule.js';
import type { Position } from '../../analysis/position.js';
import { ruleOf } from '../../analysis/lint/rules.js';
import type { LintedPackage } from '../../authoring/lint.js';
import { shownPath } from '../../packages/search.js';
import { clip, defined } from '../../protocol/text.js';

/** A finding with the line of its file, and its path for people. */
export interface ShownFinding {
  readonly id: string;
  readonly severity: Severity;
  readonly at: Position;
  readonly message: string;
  readonly fix?: string;
  readonly state?: string;
  readonly line?: string;
}

/** The findings of packages, with paths relative to `cwd`. */
export function shownFindings(packages: readonly LintedPackage[], cwd: string): readonly ShownFinding[] {
  const seen = new Set<string>();
  return packages.flatMap(({ findings, textOf }) => {
    const texts = new Map<string, readonly string[]>();
    return findings.flatMap((finding) => {
      const { file } = finding.at;
      // A package that is named twice, or by one of its states, is reported once.
      const key = JSON.stringify([finding.id, finding.at, finding.message]);
      if (seen.has(key)) return [];
      seen.add(key);
      if (!texts.has(file)) texts.set(file, textOf(file)?.split(/\r?\n/) ?? []);
      return [shownFinding(finding, { line: texts.get(file)?.[finding.at.line - 1], cwd })];
    });
  });
}

function shownFinding(
  { id, severity, at, message, fix, state }: Finding,
  { line, cwd }: { readonly line: string | undefined; readonly cwd: string },
): ShownFinding {
  return { id, severity, at: { ...at, file: shownPath(at.file, cwd) }, message, ...defined({ fix, state, line }) };
}

/** The longest part of a line that is shown. */
const WIDTH = 160;

/** A finding in lines: position and message, the line with a caret, the fix. */
export function findingLines({ id, severity, at, message, fix, line }: ShownFinding): readonly string[] {
  const head = `${at.file}:${at.line}:${at.column}: ${severity} ${id}: ${message}`;
  const todo = fix === undefined ? [] : [`  fix: ${fix}`];
  if (line === undefined || line.trim() === '' || at.column > WIDTH) return [head, ...todo];
  const indent = line.slice(0, at.column - 1).replace(/[^\t]/g, ' ');
  return [head, `  ${clip(line, WIDTH)}`, `  ${indent}^`, ...todo];
}

/** The last line. */
export function summaryOf({
  errors,
  warnings,
  packages,
}: {
  readonly errors: number;
  readonly warnings: number;
  readonly packages: number;
}): string {
  const where = packages === 1 ? '' : ` in ${packages} workflows`;
  if (errors === 0 && warnings === 0) return `no errors or warnings${where}`;
  return `${amount(errors, 'error')}, ${amount(warnings, 'warning')}${where}`;
}

function amount(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

const COMMANDS: Readonly<Record<Severity, string>> = { error: 'error', warning: 'warning', info: 'notice' };

/** GitHub workflow commands, which show findings at their lines. */
export function githubLines(findings: readonly ShownFinding[]): readonly string[] {
  return findings.map(({ id, severity, at, message, fix }) => {
    const text = fix === undefined ? message : `${message}\nfix: ${fix}`;
    const where = `file=${property(at.file)},line=${at.line},col=${at.column},title=${property(id)}`;
    return `::${COMMANDS[severity]} ${where}::${escaped(text)}`;
  });
}

function escaped(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function property(text: string): string {
  return escaped(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}

const SARIF_LEVELS: Readonly<Record<Severity, string>> = { error: 'error', warning: 'warning', info: 'note' };

/** The findings as SARIF 2.1.0. */
export function sarifOf(findings: readonly ShownFinding[]): object {
  const ids = [...new Set(findings.map(({ id }) => id))].sort();
  const rules = ids.map((id) => {
    const rule = ruleOf(id);
    return { id, shortDescription: { text: rule?.summary ?? id }, fullDescription: { text: rule?.why ?? id } };
  });
  const results = findings.map(({ id, severity, at, message, fix }) => ({
    ruleId: id,
    ruleIndex: ids.indexOf(id),
    level: SARIF_LEVELS[severity],
    message: { text: fix === undefined ? message : `${message}\nfix: ${fix}` },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: encodeURI(at.file.replaceAll('\\', '/')) },
          region: { startLine: at.line, startColumn: at.column },
        },
      },
    ],
  }));
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [{ tool: { driver: { name: 'raymond lint', rules } }, columnKind: 'utf16CodeUnits', results }],
  };
}

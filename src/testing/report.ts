// The results of a suite for people, programs and build servers: lines, one JSON document, or JUnit XML.
import { relative } from 'node:path';
import type { DocumentOf } from '../client/documents/documents.js';
import { MAIN_AGENT, stem } from '../protocol/ids.js';
import { defined } from '../protocol/text.js';
import type { RunStatus } from '../contract/runs.js';
import type { CaseRecord } from './case-run.js';
import type { Coverage } from './coverage.js';
import { visitsOf } from './expect.js';
import type { CaseOutcome } from './suite.js';

/** The name of a case; paths are relative to `cwd`. */
export function titleOf({ test: { file, name } }: Pick<CaseOutcome, 'test'>, cwd: string): string {
  const path = relative(cwd, file);
  return path.endsWith(`${name}.test.yaml`) || path.endsWith(`${name}.test.yml`) ? path : `${path} · ${name}`;
}

/** The lines of one case; with its path when it failed. */
export function linesOf(outcome: CaseOutcome, cwd: string): readonly string[] {
  const { test, differences, notes, seconds, record, isSkipped } = outcome;
  if (isSkipped) return [`- ${titleOf(outcome, cwd)} (skipped)`];
  const mark = differences.length === 0 ? '✓' : '✗';
  const place = (key: string): string => `${relative(cwd, test.file)}:${test.lineOf(key)}`;
  const lines = differences.flatMap(({ key, text }) => {
    const [first = '', ...rest] = text.split('\n');
    return [`    ${place(key)}: ${key}: ${first}`, ...rest.map((line) => `      ${line}`)];
  });
  const path = record === undefined ? [] : visitsOf(record, MAIN_AGENT).map(stem);
  const went = differences.length === 0 || path.length === 0 ? [] : [`    path: ${path.join(' → ')}`];
  const noted = notes.map(({ key, text }) => `    ${place(key)}: note: ${key}: ${text}`);
  return [`${mark} ${titleOf(outcome, cwd)} (${seconds.toFixed(1)} s)`, ...lines, ...went, ...noted];
}

/** The last line. */
export function summaryOf(outcomes: readonly CaseOutcome[], seconds: number): string {
  const { passed, failed, skipped } = countsOf(outcomes);
  const others = [[failed, 'failed'] as const, [skipped, 'skipped'] as const].filter(([count]) => count > 0);
  return `${[`${passed} passed`, ...others.map((one) => one.join(' '))].join(', ')} (${seconds.toFixed(1)} s)`;
}

function countsOf(outcomes: readonly CaseOutcome[]): Readonly<Record<'passed' | 'failed' | 'skipped', number>> {
  const failed = outcomes.filter(({ differences }) => differences.length > 0).length;
  const skipped = outcomes.filter(({ isSkipped }) => isSkipped).length;
  return { passed: outcomes.length - failed - skipped, failed, skipped };
}

/** The JSON document. */
export function documentOf(
  outcomes: readonly CaseOutcome[],
  { cwd, coverage }: { readonly cwd: string; readonly coverage?: readonly Coverage[] | undefined },
): DocumentOf<'test'> {
  return {
    cases: outcomes.map(({ test, differences, notes, seconds, record, isSkipped }) => ({
      file: relative(cwd, test.file),
      name: test.name,
      status: isSkipped ? 'skipped' : differences.length === 0 ? 'passed' : 'failed',
      seconds,
      differences: differences.map((one) => ({ ...one, line: test.lineOf(one.key) })),
      notes: notes.map((one) => ({ ...one, line: test.lineOf(one.key) })),
      ...(record === undefined ? {} : { run: runOf(record) }),
    })),
    ...countsOf(outcomes),
    ...defined({ coverage }),
  };
}

function runOf(record: CaseRecord): { status: RunStatus; costUsd: number; path: readonly string[] } {
  const { status, costUsd } = record.view;
  return { status, costUsd, path: visitsOf(record, MAIN_AGENT).map(stem) };
}

/** JUnit XML. */
export function junitOf(outcomes: readonly CaseOutcome[], cwd: string): string {
  const { failed, skipped } = countsOf(outcomes);
  const cases = outcomes.map(({ test, differences, seconds, isSkipped }) => {
    const file = relative(cwd, test.file);
    const head = `    <testcase classname="${escaped(file)}" name="${escaped(test.name)}" time="${seconds}"`;
    if (isSkipped) return `${head}><skipped/></testcase>`;
    if (differences.length === 0) return `${head}/>`;
    const text = differences.map(({ key, text: said }) => `${file}:${test.lineOf(key)}: ${key}: ${said}`).join('\n');
    return `${head}>\n      <failure message="${escaped(differences[0]?.key ?? '')}">${escaped(text)}</failure>\n    </testcase>`;
  });
  const time = outcomes.reduce((sum, { seconds }) => sum + seconds, 0);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<testsuites>',
    `  <testsuite name="raymond" tests="${outcomes.length}" failures="${failed}" skipped="${skipped}" time="${time.toFixed(3)}">`,
    ...cases,
    '  </testsuite>',
    '</testsuites>',
  ].join('\n');
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/** Characters that XML cannot contain. */
// eslint-disable-next-line no-control-regex -- they are what is looked for
const UNWRITABLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g;

function escaped(text: string): string {
  return text.replaceAll(UNWRITABLE, '\ufffd').replaceAll(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign);
}

// The results of a suite for people, programs and build servers: lines, one JSON document, or JUnit XML.
import { relative } from 'node:path';
import type { DocumentOf } from '../client/documents/documents.js';
import { MAIN_AGENT, stem } from '../protocol/ids.js';
import { defined } from '../protocol/text.js';
import type { RunStatus } from '../workflows/contract.js';
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
  const { differences, notes, seconds, record } = outcome;
  const mark = differences.length === 0 ? '✓' : '✗';
  const lines = differences.flatMap(({ key, text }) => {
    const [first = '', ...rest] = text.split('\n');
    return [`    ${key}: ${first}`, ...rest.map((line) => `      ${line}`)];
  });
  const path = record === undefined ? [] : visitsOf(record, MAIN_AGENT).map(stem);
  const went = differences.length === 0 || path.length === 0 ? [] : [`    path: ${path.join(' → ')}`];
  const noted = notes.map(({ text }) => `    note: ${text}`);
  return [`${mark} ${titleOf(outcome, cwd)} (${seconds.toFixed(1)} s)`, ...lines, ...went, ...noted];
}

/** The last line. */
export function summaryOf(outcomes: readonly CaseOutcome[], seconds: number): string {
  const failed = outcomes.filter(({ differences }) => differences.length > 0).length;
  const passed = outcomes.length - failed;
  return `${passed} passed${failed === 0 ? '' : `, ${failed} failed`} (${seconds.toFixed(1)} s)`;
}

/** The JSON document. */
export function documentOf(
  outcomes: readonly CaseOutcome[],
  { cwd, coverage }: { readonly cwd: string; readonly coverage?: readonly Coverage[] | undefined },
): DocumentOf<'test'> {
  const failed = outcomes.filter(({ differences }) => differences.length > 0).length;
  return {
    cases: outcomes.map(({ test, differences, notes, seconds, record }) => ({
      file: relative(cwd, test.file),
      name: test.name,
      status: differences.length === 0 ? 'passed' : 'failed',
      seconds,
      differences,
      notes,
      ...(record === undefined ? {} : { run: runOf(record) }),
    })),
    passed: outcomes.length - failed,
    failed,
    ...defined({ coverage }),
  };
}

function runOf(record: CaseRecord): { status: RunStatus; costUsd: number; path: readonly string[] } {
  const { status, costUsd } = record.view;
  return { status, costUsd, path: visitsOf(record, MAIN_AGENT).map(stem) };
}

/** JUnit XML. */
export function junitOf(outcomes: readonly CaseOutcome[], cwd: string): string {
  const failed = outcomes.filter(({ differences }) => differences.length > 0).length;
  const cases = outcomes.map(({ test, differences, seconds }) => {
    const head = `    <testcase classname="${escaped(relative(cwd, test.file))}" name="${escaped(test.name)}" time="${seconds}"`;
    if (differences.length === 0) return `${head}/>`;
    const text = differences.map(({ key, text: said }) => `${key}: ${said}`).join('\n');
    return `${head}>\n      <failure message="${escaped(differences[0]?.key ?? '')}">${escaped(text)}</failure>\n    </testcase>`;
  });
  const time = outcomes.reduce((sum, { seconds }) => sum + seconds, 0);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<testsuites>',
    `  <testsuite name="raymond" tests="${outcomes.length}" failures="${failed}" time="${time.toFixed(3)}">`,
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

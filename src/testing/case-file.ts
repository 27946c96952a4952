// Reads a test file, `NAME.test.yaml`, and checks it by its schema; every problem has its line. Keys at the top apply
// to all cases.
import { basename, dirname, resolve } from 'node:path';
import type { z } from 'zod';
import {
  parseSelector,
  type Script,
  type ScriptedReply,
  type ScriptedState,
  type Selector,
} from '../backends/scripted/script.js';
import { ClientError } from '../client/error.js';
import { MAX_BYTES, readPlainText } from '../host/plain-file.js';
import { ScopeError, whyUnreadable } from '../packages/error.js';
import { YamlText } from '../packages/yaml-document.js';
import type { YamlEntry } from '../packages/yaml-parse.js';
import { isUrl } from '../protocol/scope.js';
import { defined, issueText, nearest } from '../protocol/text.js';
import { spreadCases } from './each.js';
import { testFileSchema, type Expected, type ScriptedAnswer, type TestFile, type WrittenReply } from './case-schema.js';

/** The name pattern of test files. */
export const TEST_FILE = /\.test\.ya?ml$/;

/** The answers to the questions of a state, in order; the last one repeats. */
interface ScriptedAsk {
  readonly selector: Selector;
  readonly answers: readonly ScriptedAnswer[];
}

/** A key of `claude` or `answers`, and how many texts it has. */
interface OwnReplies {
  readonly kind: 'claude' | 'answers';
  readonly name: string;
  readonly selector: Selector;
  readonly count: number;
}

/** One case: a run, and its expected results. */
export interface TestCase {
  readonly file: string;
  readonly name: string;
  /** A path, or an address. */
  readonly workflow: string;
  readonly start: NonNullable<TestFile['start']>;
  readonly files: Readonly<Record<string, string>>;
  readonly commands: Readonly<Record<string, string>>;
  readonly script: Script;
  readonly answers: readonly ScriptedAsk[];
  readonly hashes: Readonly<Record<string, string>>;
  readonly expected: Expected;
  readonly only: boolean;
  readonly skip: boolean;
  /** The replies and answers that stand in this case, not at the top of a file with several. */
  readonly ownReplies: readonly OwnReplies[];
  /** The line of what a difference is about, such as `files.a.txt`; of the case when its file does not say more. */
  readonly lineOf: (key: string) => number;
}

/** Reads the cases of a file. Throws `InvalidWorkflow` with every problem and its line. */
export async function readTestFile(path: string): Promise<readonly TestCase[]> {
  const text = await readPlainText(path, MAX_BYTES.test).catch((error: unknown) => {
    throw new ClientError('InvalidUsage', `cannot read ${path}: ${whyUnreadable(error)}`);
  });
  const { data, yaml, sources } = parsed(text, path);
  const { cases, ...common } = data;
  const own = basename(path).replace(TEST_FILE, '');
  if (cases === undefined) return [caseOf({ file: path, yaml, own: common }, { name: own, ...common })];
  const twice = cases.find(({ name }, index) => cases.findIndex((one) => one.name === name) !== index);
  if (twice !== undefined)
    throw new ClientError(
      'InvalidWorkflow',
      `${path}: two cases are called "${twice.name}"; rename one, or name a column of its table: {{each.COLUMN}}`,
    );
  return cases.map((one, row) => {
    const index = sources[row] ?? row;
    return caseOf({ file: path, yaml, own: one, index }, { ...merged(common, one), name: one.name });
  });
}

function parsed(
  text: string,
  path: string,
): { readonly data: TestFile; readonly yaml: YamlText; readonly sources: readonly number[] } {
  try {
    const yaml = new YamlText(text, { positionText: (line) => `${path}:${line}`, tooLong: 'split the tests' });
    const top = yaml.top('a test file consists of keys and values, such as "claude:"');
    const plain = Object.fromEntries(top.map(({ key, value }) => [key, yaml.plain(value)]));
    const { cases, sources } = spreadCases(Array.isArray(plain['cases']) ? plain['cases'] : []);
    const read = testFileSchema.safeParse(cases.length === 0 ? plain : { ...plain, cases });
    if (read.success) return { data: read.data, yaml, sources };
    const written = (at: Path): Path =>
      at.map((step, depth) => (depth === 1 && at[0] === 'cases' ? (sources[Number(step)] ?? step) : step));
    const problems = read.error.issues.flatMap((issue) => problemsIn(issue, []));
    const lines = problems
      .slice(0, 20)
      .map(({ path: at, text: said }) => yaml.positions.message(lineOf(yaml, written(at)), said));
    throw new ClientError('InvalidWorkflow', [...new Set(lines)].join('\n'));
  } catch (error) {
    if (error instanceof ScopeError) throw new ClientError('InvalidWorkflow', error.message, { cause: error });
    throw error;
  }
}

type Path = readonly PropertyKey[];

/** Of an alternative that did not match, the message of the closest one. */
function problemsIn(issue: z.core.$ZodIssue, above: Path): readonly { readonly path: Path; readonly text: string }[] {
  const path = [...above, ...issue.path];
  if (issue.code === 'invalid_union') {
    const branches = issue.errors.map((issues) => issues.flatMap((one) => problemsIn(one, path)));
    const depth = (problems: (typeof branches)[number]): number => Math.max(...problems.map((one) => one.path.length));
    const [first] = branches.toSorted((one, other) => depth(other) - depth(one) || one.length - other.length);
    // No alternative resembles the value: describing all of them together is clearer.
    if (first === undefined || depth(first) <= path.length) return branches.at(-1) ?? [{ path, text: issue.message }];
    return first;
  }
  const name = path.map(String).join('.');
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({ path: [...path, key], text: `unknown key "${key}"${name && ` in ${name}`}` }));
  if (issue.code === 'invalid_key') {
    const [inner] = issue.issues;
    return [{ path, text: `${name}: ${issueText(inner?.message ?? issue.message)}` }];
  }
  return [{ path, text: `${name}: ${issueText(issue.message)}` }];
}

/** The line of the deepest part of a path that exists in the file. */
function lineOf(yaml: YamlText, path: Path): number {
  let line = yaml.positions.firstLine;
  let node: unknown;
  for (const [depth, step] of path.entries()) {
    const entries = depth === 0 ? yaml.top() : yaml.entriesOf(node);
    const entry = entries?.find(({ key }) => key === String(step));
    const item = entry === undefined ? yaml.itemsOf(node)?.[Number(step)] : undefined;
    node = entry?.value ?? item;
    line = entry?.line ?? yaml.positions.lineOf(item) ?? line;
  }
  return line;
}

/** The keys of differences that are next to `expect`, not in it. */
const NOT_EXPECTED = /^(?:claude|answers|hashes|start)(?:\.|$)/;

/** The line of a difference in its case, else at the top of the file, else that of the case. */
function lineOfKey(
  yaml: YamlText,
  { key, index }: { readonly key: string; readonly index?: number | undefined },
): number {
  const path = NOT_EXPECTED.test(key) ? key : `expect.${key}`;
  const top = yaml.top();
  const item =
    index === undefined ? undefined : yaml.itemsOf(top.find((entry) => entry.key === 'cases')?.value)?.[index];
  const own = item === undefined ? undefined : yaml.entriesOf(item);
  const line = (own && lineWithin(yaml, { entries: own, path })) ?? lineWithin(yaml, { entries: top, path });
  return line ?? yaml.positions.lineOf(item) ?? yaml.positions.firstLine;
}

/** Keys may contain dots, as `letter.txt` does. */
function lineWithin(
  yaml: YamlText,
  { entries, path }: { readonly entries: readonly YamlEntry[]; readonly path: string },
): number | undefined {
  const entry = entries.find(({ key }) => path === key || path.startsWith(`${key}.`));
  if (entry === undefined) return undefined;
  const inner = yaml.entriesOf(entry.value);
  if (path === entry.key || inner === undefined) return entry.line;
  return (
    lineWithin(yaml, { entries: inner, path: path.slice(entry.key.length + 1) }) ??
    (path.startsWith('expect.') ? undefined : entry.line)
  );
}

type Fields = Omit<TestFile, 'cases'>;

function merged(common: Fields, own: Fields): Fields {
  return {
    ...common,
    ...own,
    start: { ...common.start, ...own.start, ...defined({ env: joined(common.start?.env, own.start?.env) }) },
    ...defined({
      files: joined(common.files, own.files),
      commands: joined(common.commands, own.commands),
      claude: joined(common.claude, own.claude),
      answers: joined(common.answers, own.answers),
      hashes: joined(common.hashes, own.hashes),
      expect: joined(common.expect, own.expect),
    }),
  };
}

function joined<T extends object>(common: T | undefined, own: T | undefined): T | undefined {
  return common === undefined && own === undefined ? undefined : ({ ...common, ...own } as T);
}

/** Where a case is written. */
interface WrittenCase {
  readonly file: string;
  readonly yaml: YamlText;
  readonly own: Fields;
  readonly index?: number;
}

function caseOf({ file, yaml, own, index }: WrittenCase, { workflow = '.', ...fields }: Fields): TestCase {
  const { name = '', start = {}, files = {}, commands = {}, claude = {}, answers = {}, hashes = {} } = fields;
  return {
    file,
    name,
    workflow: isUrl(workflow) ? workflow : resolve(dirname(file), workflow),
    start,
    files,
    commands,
    script: { states: Object.entries(claude).map(scripted), exact: String(fields.exact) === 'true' },
    answers: Object.entries(answers).map(([key, given]) => ({ selector: selectorOf(key), answers: given })),
    hashes,
    expected: fields.expect ?? {},
    only: fields.only === 'true',
    skip: fields.skip === 'true',
    ownReplies: (['claude', 'answers'] as const).flatMap((kind) =>
      Object.entries<readonly unknown[]>(own[kind] ?? {}).map(([key, given]) => ({
        kind,
        name: key,
        selector: selectorOf(key),
        count: given.length,
      })),
    ),
    lineOf: (key) => lineOfKey(yaml, { key, index }),
  };
}

function scripted([key, replies]: readonly [string, readonly WrittenReply[]]): ScriptedState {
  return { selector: selectorOf(key), replies: replies.map(replyOf) };
}

function replyOf(reply: WrittenReply): ScriptedReply {
  const {
    says = '',
    cost = 0,
    writes = {},
    removes = [],
    denied = [],
    fails,
    resets,
  } = reply as Partial<Extract<WrittenReply, { cost?: unknown }>>;
  return {
    says,
    costUsd: cost,
    writes,
    removes,
    denied,
    ...defined({ fails, resetsInMs: resets === undefined ? undefined : resets * 1000 }),
  };
}

/** The selector of a key that the schema has accepted. */
export function selectorOf(key: string): Selector {
  return parseSelector(key) ?? { state: key, attributes: {} };
}

/** A suggestion for a misspelt name, as a clause. */
export function meant(name: string, known: readonly string[]): string {
  const near = nearest(name, known);
  return near === undefined ? '' : `, did you mean ${near}?`;
}

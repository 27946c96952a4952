// The JSON schemas that editors get: they are what the readers say, take every sample, and point out mistakes.
import { readdir, readFile } from 'node:fs/promises';
import { describe, expect, test } from '@jest/globals';
import { Ajv } from 'ajv';
import { parse as parseToml } from 'smol-toml';
import { parse as parseYaml } from 'yaml';
import { editorSchemas } from '../src/schemas.js';
import { configKeys, parseConfig } from '../src/client/project/config.js';
import { parseFrontmatter } from '../src/packages/frontmatter.js';
import { parseManifest } from '../src/packages/manifest.js';
import { parseYaml as readPackage } from '../src/packages/yaml.js';
import { splitPrompt } from '../src/protocol/language/state-file.js';
import { readTestFile } from '../src/testing/case-file.js';
import { folder } from './support/folder.js';

type Kind = 'config' | 'frontmatter' | 'package' | 'test' | 'workflow';

const root = new URL('../', import.meta.url);
const schemas = editorSchemas();
const ajv = new Ajv({
  strict: true,
  strictRequired: false,
  strictTypes: false,
  allErrors: true,
  formats: { uri: true },
});
const validators = new Map(Object.entries(schemas).map(([name, schema]) => [name, ajv.compile(schema)]));

/** Where a schema has something to say about a value. */
function mistakesIn(kind: Kind, value: unknown): readonly string[] {
  const validate = validators.get(`${kind}.schema.json`);
  if (validate === undefined) throw new Error(`no schema for ${kind}`);
  validate(value);
  return (validate.errors ?? []).map(({ instancePath, message = '' }) => `${instancePath} ${message}`);
}

const yaml = (text: string): unknown => parseYaml(text, { merge: true });

test('the files in schemas/ are up to date; else npm run schemas writes them again', async () => {
  const names = Object.keys(schemas);
  expect((await readdir(new URL('schemas/', root))).sort()).toEqual(names);
  for (const name of names) {
    const text = await readFile(new URL(`schemas/${name}`, root), 'utf8');
    expect({ name, schema: JSON.parse(text) as unknown }).toEqual({ name, schema: schemas[name] });
  }
});

test('they are shipped with the package', async () => {
  const { files } = JSON.parse(await readFile(new URL('package.json', root), 'utf8')) as { files: readonly string[] };
  expect(files).toContain('schemas');
});

test('every key of them says what it is for', () => {
  const silent = Object.entries(schemas).flatMap(([name, schema]) =>
    keysWithout(schema).map((path) => `${name}: ${path}`),
  );
  expect(silent).toEqual([]);
});

/** The keys of objects that have no description, but for those of a list of parts (`accounts`, what is expected of a prompt). */
function keysWithout(schema: unknown, path = ''): readonly string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const { properties = {}, ...rest } = schema as { properties?: Record<string, { description?: string }> };
  const own = Object.entries(properties).flatMap(([key, value]) => [
    ...(value.description === undefined && !DEEPER.test(path) ? [`${path}.${key}`] : []),
    ...keysWithout(value, `${path}.${key}`),
  ]);
  const below = Object.entries(rest).filter(([key]) => key !== 'allOf');
  return [...own, ...below.flatMap(([, value]) => keysWithout(value, path))];
}

const DEEPER = /\.(?:allowed_transitions|accounts|answers|prompts|agents)$|^\.raymond$|^$/;

describe('every sample fits:', () => {
  test('frontmatters and files of tests', async () => {
    const workflows = new URL('workflows/', root);
    const names = await readdir(workflows, { recursive: true });
    const found: Record<string, readonly string[]> = {};
    for (const name of names.filter((one) => /\.(md|yaml)$/.test(one) && !one.endsWith('README.md'))) {
      const text = await readFile(new URL(name, workflows), 'utf8');
      found[name] = name.endsWith('.yaml')
        ? mistakesIn('test', yaml(text))
        : mistakesIn('frontmatter', yaml(splitPrompt(text).frontmatter ?? '{}'));
    }
    expect(Object.keys(found).length).toBeGreaterThan(10);
    expect(Object.entries(found).filter(([, mistakes]) => mistakes.length > 0)).toEqual([]);
  });

  test('the config with every key in force', () => {
    const raymond = Object.fromEntries(
      configKeys().map(({ name, byDefault, example }) => [name, byDefault ?? example]),
    );
    expect(mistakesIn('config', { raymond })).toEqual([]);
    expect(mistakesIn('config', {})).toEqual([]);
  });
});

/** What the reader of a kind says to a text: nothing, or its complaint. */
async function complaintOf(kind: Kind, text: string): Promise<string | undefined> {
  try {
    return (await warningsOf(kind, text)).at(0);
  } catch (error) {
    return String(error);
  }
}

async function warningsOf(kind: Kind, text: string): Promise<readonly string[]> {
  switch (kind) {
    case 'config':
      return parseConfig(text, 'F').warnings;
    case 'frontmatter': {
      const read = parseFrontmatter(`---\n${text}\n---\n`, String);
      return read.kind === 'invalid' ? read.problems : read.warnings;
    }
    case 'package':
      return readPackage(text, 'F').warnings;
    case 'workflow':
      return parseManifest(text, 'F')?.warnings ?? ['a package'];
    case 'test':
      await readTestFile(`${await folder({ 'f.test.yaml': text })}/f.test.yaml`);
      return [];
  }
}

const read = (kind: Kind, text: string): unknown => (kind === 'config' ? parseToml(text) : yaml(text));

describe('what is right is taken by the reader and by the schema:', () => {
  test.each<[Kind, string]>([
    ['config', '[raymond]\nmodel = "claude-sonnet-4"\neffort = "max"\npriority = 1\nlimits = { opus = 2 }'],
    ['config', '[raymond]\naccounts = [{ name = "a", env = { A = "b" }, weight = 0.5 }]'],
    ['frontmatter', 'model: haiku\neffort: low\ntimeout: 90\nlimit: a, b\naccount: [x, y]\nforce_implicit: false'],
    ['frontmatter', 'timeout: 1.5h\nlint_ignore: [dead-end-state]\nbackend: pi'],
    [
      'frontmatter',
      'allowed_transitions:\n  - { tag: goto, target: A, input: 3 }\n  - { tag: fork, target: B, next: A, item: x }\n  - { tag: result }',
    ],
    [
      'workflow',
      'id: 7\nname: Greet\ninput: { mode: required, label: name }\ndefault_budget: 2.50\nenvironment: { A: "1", B: 2 }\nx-why: [1]\nrequires_human_input: true',
    ],
    [
      'package',
      'states:\n  START: { sh: "echo hi", timeout: 5m, retries: 2 }\n  B: { prompt: hi, model: opus, x-a: 1 }',
    ],
    ['package', 'id: a\ndescription: b\nx-base: &base { model: haiku }\nstates:\n  START: { <<: *base, prompt: hi }'],
    [
      'test',
      'claude:\n  A: ok\n  main_worker1/C[item=a b]: [one, { says: two, cost: 0.2, fails: usage-limit, resets: 3h }]',
    ],
    [
      'test',
      'exact: true\nstart: { budget: 1, env: { A: 1 } }\nexpect: { cost: "<= 0.50", files: { a: { absent: true }, b: 3 } }',
    ],
    ['test', 'answers: { A: none, B: [{ text: yes, files: { a: b } }] }\ncases: [{ name: a, expect: { cost: 1 } }]'],
  ])('%s %j', async (kind, text) => {
    expect({ complaint: await complaintOf(kind, text), mistakes: mistakesIn(kind, read(kind, text)) }).toEqual({
      complaint: undefined,
      mistakes: [],
    });
  });
});

describe('a mistake is found by the reader and by the schema:', () => {
  test.each<[Kind, string, string]>([
    ['config', '[raymond]\nbudgit = 3', '/raymond must NOT have additional properties'],
    ['config', 'budget = 3', ' must NOT have additional properties'],
    ['config', '[raymond]\nbudget = "3"', '/raymond/budget must be number'],
    ['config', '[raymond]\nbudget = -1', '/raymond/budget must be >= 0'],
    ['config', '[raymond]\nmodel = "g pt"', '/raymond/model must match pattern'],
    ['config', '[raymond]\neffort = "huge"', '/raymond/effort must be equal to one of'],
    ['config', '[raymond]\npriority = 6', '/raymond/priority must be equal to one of'],
    ['config', '[raymond]\nmax_prompts = 0', '/raymond/max_prompts must be > 0'],
    ['frontmatter', 'modle: haiku', ' must NOT have additional properties'],
    ['frontmatter', 'model: g pt', '/model must match pattern'],
    ['frontmatter', 'effort: huge', '/effort must be equal to one of'],
    ['frontmatter', 'timeout: soon', '/timeout must match pattern'],
    ['frontmatter', 'timeout: -5', '/timeout must be >= 0'],
    ['frontmatter', 'force_implicit: perhaps', '/force_implicit must be equal to one of'],
    ['frontmatter', 'allowed_transitions: { tag: goto }', '/allowed_transitions must be array'],
    ['frontmatter', 'allowed_transitions: [{ tag: gto }]', '/allowed_transitions/0/tag must be equal to one of'],
    ['frontmatter', 'allowed_transitions: [{ target: A }]', "/allowed_transitions/0 must have required property 'tag'"],
    ['frontmatter', 'allowed_transitions: [{ tag: await, nxt: A }]', '/allowed_transitions/0 property name must be'],
    ['workflow', 'name: no id', " must have required property 'id'"],
    ['workflow', 'id: a\ndefault_bugdet: 3', ' must NOT have additional properties'],
    ['workflow', 'id: a\ndefault_budget: much', '/default_budget must match pattern'],
    ['workflow', 'id: a\ninput: { mode: perhaps }', '/input/mode must be equal to one of'],
    ['workflow', 'id: a\ninput: { mod: none }', '/input must NOT have additional properties'],
    ['workflow', 'id: a\nenvironment: { RAYMOND_X: b }', '/environment property name must be valid'],
    ['workflow', 'id: a\nenvironment: { 1a: b }', '/environment property name must be valid'],
    ['package', 'id: a', " must have required property 'states'"],
    ['package', 'states: {}', '/states must NOT have fewer than 1'],
    ['package', 'states: { A: { model: haiku } }', '/states/A must match a schema in anyOf'],
    ['package', 'states: { A: { prompt: a, sh: b } }', '/states/A must NOT be valid'],
    ['package', 'states: { A: { sh: a, model: haiku } }', '/states/A must have property prompt when property model'],
    ['package', 'states: { A: { sh: a, retries: often } }', '/states/A/retries must match pattern'],
    ['package', 'states: { A: { promt: a, sh: b } }', '/states/A must NOT have additional properties'],
    ['package', 'states: { A.md: { prompt: a } }', '/states property name must be valid'],
    ['test', 'expekt: {}', ' must NOT have additional properties'],
    ['test', 'start: { budgit: 1 }', '/start must NOT have additional properties'],
    ['test', 'claude: { A: { say: x } }', '/claude/A must NOT have additional properties'],
    ['test', 'claude: { A: { cost: dear } }', '/claude/A/cost must match pattern'],
    ['test', 'claude: { A: { fails: badly } }', '/claude/A/fails must be equal to one of'],
    ['test', 'claude: { A/B/C: x }', '/claude property name must be valid'],
    ['test', 'expect: { status: dead }', '/expect/status must be equal to one of'],
    ['test', 'expect: { cost: "~ 1" }', '/expect/cost must match pattern'],
    ['test', 'expect: { waited: { A: soon } }', '/expect/waited/A must match pattern'],
    ['test', 'cases: [{ expect: {} }]', "/cases/0 must have required property 'name'"],
  ])('%s %j', async (kind, text, mistake) => {
    expect(mistakesIn(kind, read(kind, text))).toContainEqual(expect.stringContaining(mistake));
    expect(await complaintOf(kind, text)).toBeDefined();
  });
});

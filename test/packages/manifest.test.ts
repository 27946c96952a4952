// Manifests: what may stand in one, how mistakes are reported, and what its directory and environment come to.
import { describe, expect, test } from '@jest/globals';
import { parseManifest, filledEnvironment, workingDirectoryOf, type Manifest } from '../../src/packages/manifest.js';
import type { Scope } from '../../src/protocol/scope.js';
import { thrownBy } from './thrown.js';

const EMPTY: Manifest = { id: 'x', input: { mode: 'optional' }, environment: {}, requiresHumanInput: 'auto' };

function read(text: string): Manifest | undefined {
  return parseManifest(text, 'workflow.yaml')?.manifest;
}

test('every key is understood', () => {
  const text = `
id: review
name: Code review
description: |
  Reviews a branch.
input:
  mode: required
  label: Branch
  description: the branch to review
default_budget: 2.50
working_directory: ../repo
environment:
  TOKEN: \${SECRET}
  PORT: 8080
  EMPTY: ""
requires_human_input: true
`;
  expect(read(text)).toEqual({
    id: 'review',
    name: 'Code review',
    description: 'Reviews a branch.\n',
    input: { mode: 'required', label: 'Branch', description: 'the branch to review' },
    defaultBudgetUsd: 2.5,
    workingDirectory: '../repo',
    environment: { TOKEN: '${SECRET}', PORT: '8080', EMPTY: '' },
    requiresHumanInput: 'true',
  });
});

test.each<[string, string, Manifest]>([
  ['only an id', 'id: x', EMPTY],
  ['keys without values', 'id: x\nname:\ninput: ~\nenvironment:\ndefault_budget: null', EMPTY],
  ['a budget of nothing', 'id: x\ndefault_budget: 0', { ...EMPTY, defaultBudgetUsd: 0 }],
  ['labels', 'id: x\nlabels: [issue, branch]', { ...EMPTY, labels: ['issue', 'branch'] }],
  ['limits', 'id: x\nlimit: [db, gpu]', { ...EMPTY, limits: ['db', 'gpu'] }],
  ['a quoted truth', 'id: x\nrequires_human_input: "false"', { ...EMPTY, requiresHumanInput: 'false' }],
  ['a backend by name', 'id: x\nbackend: pi', { ...EMPTY, backend: { name: 'pi' } }],
  ['a backend without options', 'id: x\nbackend: {name: claude}', { ...EMPTY, backend: { name: 'claude' } }],
  [
    'a backend with every option',
    `id: x
backend:
  name: pi
  options:
    provider: openai
    thinking: off
    tools: [read, grep]
    no_builtin_tools: false
    no_extensions: true
    no_skills: "true"
    extensions: [npm:x]
    skills: [./skills/a]
    session_dir: sessions
`,
    {
      ...EMPTY,
      backend: {
        name: 'pi',
        options: {
          ...{ provider: 'openai', thinking: 'off', tools: ['read', 'grep'], noBuiltinTools: false },
          ...{ noExtensions: true, noSkills: true, extensions: ['npm:x'], skills: ['./skills/a'] },
          sessionDir: 'sessions',
        },
      },
    },
  ],
  ['an id that is a number', 'id: 007', { ...EMPTY, id: '007' }],
  ['an input without a mode', 'id: x\ninput: {label: L}', { ...EMPTY, input: { mode: 'optional', label: 'L' } }],
])('%s', (_title, text, manifest) => {
  expect(read(text)).toEqual(manifest);
});

test.each(['states', 'initial_state'])('a file with the key %s is no manifest', (key) => {
  expect(parseManifest(`id: x\n${key}: a`, 'workflow.yaml')).toBeUndefined();
});

test.each<[string, string, string]>([
  ['no id', 'name: x', 'InvalidManifest: workflow.yaml:1: id: missing; add one'],
  ['an empty id', 'name: x\nid: ""', 'InvalidManifest: workflow.yaml:2: id: the value is empty'],
  ['an id without a value', 'name: x\nid:', 'InvalidManifest: workflow.yaml:2: id: the value is empty'],
  [
    'an unknown mode',
    'id: x\ninput:\n  mode: maybe',
    'workflow.yaml:3: mode: expected optional, required, none, got "maybe"',
  ],
  ['an input that is a text', 'id: x\ninput: required', 'workflow.yaml:2: input: expected the keys mode, label'],
  ['a negative budget', 'id: x\ndefault_budget: -1', 'workflow.yaml:2: default_budget: expected an amount in USD'],
  [
    'a list of variables',
    'id: x\nenvironment: [A]',
    'workflow.yaml:2: environment: expected names and texts, got a list',
  ],
  [
    'a variable that is a list',
    'id: x\nenvironment:\n  A: [b]',
    'workflow.yaml:3: environment: expected a text, got a list',
  ],
  ['a variable that is no name', 'id: x\nenvironment:\n  a-b: c', 'environment: "a-b" is not a valid variable name'],
  ['a variable of ours', 'id: x\nenvironment:\n  RAYMOND_X: c', 'environment: RAYMOND_X is set by Raymond itself'],
  [
    'half a truth',
    'id: x\nrequires_human_input: maybe',
    'requires_human_input: expected auto, true, false, got "maybe"',
  ],
  ['a label that is no variable', 'id: x\nlabels: [my-issue]', 'workflow.yaml:2: labels: "my-issue" cannot be the key'],
  ['a label of ours', 'id: x\nlabels: input', 'the label "input" would replace a variable of Raymond'],
  ['an unknown backend', 'id: x\nbackend: codex', 'workflow.yaml:2: backend: expected claude, pi, got "codex"'],
  ['a backend without a name', 'id: x\nbackend:\n  options: {}', 'workflow.yaml:3: name: expected a text, got nothing'],
  [
    'a misspelt option',
    'id: x\nbackend: {name: pi, options: {tool: [read]}}',
    'backend: there is no key "tool", did you mean tools? (the keys are provider, thinking, tools,',
  ],
  ['options of pi for Claude', 'id: x\nbackend: {name: claude, options: {tools: [a]}}', 'tools are options of pi'],
  ['no tool', 'id: x\nbackend: {name: pi, options: {tools: []}}', 'tools: the list is empty; write "no_tools: true"'],
  ['two tools in one', 'id: x\nbackend: {name: pi, options: {tools: ["a,b"]}}', '"a,b" cannot be the name of a tool'],
  [
    'options that exclude each other',
    'id: x\nbackend: {name: pi, options: {tools: [a], no_tools: true}}',
    'tools and no_tools exclude each other; keep one',
  ],
  [
    'an unknown effort',
    'id: x\nbackend: {name: pi, options: {thinking: hard}}',
    'thinking: expected off, minimal, low',
  ],
  ['no YAML', 'id: "x', 'InvalidYaml: workflow.yaml:1: Missing closing "quote'],
  ['a list', '- id', 'InvalidYaml: workflow.yaml:1: a workflow file consists of keys'],
])('%s is an error with file and line', async (_title, text, words) => {
  const thrown = await thrownBy(() => parseManifest(text, 'workflow.yaml'));
  expect(thrown).toMatch(/^Invalid(Manifest|Yaml): workflow\.yaml:\d+: /);
  expect(thrown).toContain(words);
});

test('keys that nobody knows are warnings with their lines', () => {
  expect(parseManifest('id: x\nbackends: pi\nx-own: 1\ninput:\n  mod: none\n', 'workflow.yaml')?.warnings).toEqual([
    expect.stringMatching(
      /^workflow\.yaml:2: unknown key "backends", did you mean backend\? \(the keys are id, name, /,
    ),
    expect.stringMatching(/^workflow\.yaml:5: unknown key "mod", did you mean mode\?/),
  ]);
});

describe('the working directory is relative to the package as a folder of its name: of', () => {
  test.each<[string, Scope, readonly [written: string, path: string]]>([
    ['a folder', { kind: 'directory', path: '/flows/a' }, ['..', '/flows']],
    ['a zip', { kind: 'zip', path: '/flows/a.zip' }, ['..', '/flows']],
    ['a YAML file', { kind: 'yaml', path: '/flows/a.yaml' }, ['..', '/flows']],
    ['a frozen one', { kind: 'zip', path: '/store/x.zip', origin: '/flows/a.zip' }, ['../b', '/flows/b']],
    ['a folder, below it', { kind: 'directory', path: '/flows/a' }, ['work', '/flows/a/work']],
    ['a YAML file, below it', { kind: 'yaml', path: '/flows/a.yaml' }, ['work', '/flows/a/work']],
    ['an address: where the run is started', { kind: 'zip', path: '/c/a.zip', url: 'http://x' }, ['w', '/home/w']],
    ['any, when it is absolute', { kind: 'yaml', path: '/flows/a.yaml' }, ['/srv', '/srv']],
  ])('%s', (_title, scope, [workingDirectory, path]) => {
    expect(workingDirectoryOf({ ...EMPTY, workingDirectory }, { scope, home: '/home' })).toBe(path);
  });

  test('nothing when there is none', () => {
    expect(workingDirectoryOf(EMPTY, { scope: { kind: 'directory', path: '/a' }, home: '/home' })).toBeUndefined();
  });
});

test('variables are filled in once; one that is not set becomes nothing, with a warning', () => {
  const environment = { A: '${X}-${X}', B: '${NO}${NO}', C: '$X ${} ${x y} ${toString}', D: 'plain' };
  expect(filledEnvironment({ ...EMPTY, environment }, { X: '${A}', A: 'a' })).toEqual({
    environment: { A: '${A}-${A}', B: '', C: '$X ${} ${x y} ', D: 'plain' },
    warnings: [
      'environment: B uses ${NO}, which is not set; it becomes empty',
      'environment: C uses ${toString}, which is not set; it becomes empty',
    ],
  });
});

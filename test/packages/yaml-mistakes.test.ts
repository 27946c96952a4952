// Mistakes in YAML packages: each is reported with its line and what to do; what is only strange is a warning.
import { describe, expect, test } from '@jest/globals';
import { parseYaml } from '../../src/packages/yaml.js';
import { thrownBy } from './thrown.js';

describe('mistakes name the line and what to do', () => {
  test.each<[string, string, string]>([
    ['no YAML', 'states:\n  A: "x\n', 'flow.yaml:2: Missing closing "quote'],
    ['a list', '- a', 'flow.yaml:1: a workflow file consists of keys and values'],
    ['nothing', '', 'flow.yaml:1: a workflow file consists of keys'],
    [
      'two documents',
      'states:\n---\nstates:\n',
      'flow.yaml:2: a second YAML document begins here; there can be only one',
    ],
    ['no states', 'id: x\n', 'flow.yaml:1: there is no key states; put the states of the workflow under it'],
    ['a state at the top', 'id: x\nA:\n  sh: a', '"A" on line 2 looks like a state: put it under "states:", indented'],
    ['states without any', 'id: x\nstates:\n', 'flow.yaml:2: states: expected states by name'],
    ['a list of states', 'states: [A]', 'flow.yaml:1: states: expected states by name'],
    ['a state twice', 'states:\n  A: {sh: a}\n  A: {sh: b}\n', 'flow.yaml:3: the key "A" is repeated'],
    ['a key twice', 'states:\n  A:\n    sh: a\n    sh: b\n', 'flow.yaml:4: the key "sh" is repeated'],
    ['a key that is no text', 'states:\n  ? [a]\n  : {sh: a}\n', 'flow.yaml:2: a key must be a text'],
    ['an empty name', 'states:\n  "": {sh: a}', 'flow.yaml:2: the name "" is empty'],
    ['a name with a slash', 'states:\n  a/b: {sh: a}', 'flow.yaml:2: the name "a/b" contains a / or \\'],
    ['a name with an extension', 'states:\n  A.md: {prompt: a}', 'flow.yaml:2: the name "A.md" contains a dot'],
    ['a name with a line break', 'states:\n  "A\\nB": {sh: a}', 'flow.yaml:2: the name "A\\nB" begins or ends'],
    ['a long name', `states:\n  ${'é'.repeat(101)}: {sh: a}`, 'is too long'],
    ['names alike', 'states:\n  A: {sh: a}\n  a: {sh: a}', 'flow.yaml:3: the name "a" differs from "A" only in case'],
    ['a state that is a text', 'states:\n  A: hi', 'flow.yaml:2: the state "A" needs a key prompt or sh'],
    ['a state without anything', 'states:\n  A:\n    timeout: 1', 'flow.yaml:2: the state "A" has nothing to run'],
    ['an empty prompt', 'states:\n  A: {prompt: " "}', 'flow.yaml:2: the state "A" has nothing to run'],
    ['prompt and script', 'states:\n  A: {prompt: a, ps1: b}', 'has both prompt and ps1; make two states of it'],
    ['a prompt that is a list', 'states:\n  A:\n    prompt: [a]', 'flow.yaml:3: prompt: expected a text, got a list'],
    ['a negative timeout', 'states:\n  A:\n    sh: a\n    timeout: -1', 'flow.yaml:4: timeout: expected a duration'],
    ['an endless timeout', 'states:\n  A:\n    sh: a\n    timeout: .inf', 'flow.yaml:4: timeout: expected a duration'],
    ['half a try', 'states:\n  A:\n    sh: a\n    retries: 1.5', 'flow.yaml:4: retries: expected a number of retries'],
    [
      'a model for a script',
      'states:\n  A:\n    sh: a\n    model: x',
      'flow.yaml:4: the state "A" is a script, and model',
    ],
    [
      'a policy for a script',
      'states:\n  A:\n    allowed_transitions: [x]\n    sh: a',
      'flow.yaml:3: the state "A" is',
    ],
    ['an alias of nothing', 'states:\n  A: *x', 'flow.yaml:2: nothing before it is marked with &x'],
    ['<< of a text', 'states:\n  A: {<<: x, sh: a}', 'flow.yaml:2: << takes over mappings only'],
    ['an alias of itself', 'states:\n  A: &m {<<: *m, sh: a}', 'more than 20 levels, or an alias of itself'],
    ['a value in itself', 'states:\n  A: {prompt: a, model: &m [*m]}', 'more than 20 levels, or an alias of itself'],
  ])('%s', async (_title, text, words) => {
    const thrown = await thrownBy(() => parseYaml(text, 'flow.yaml'));
    expect(thrown).toMatch(/^InvalidYaml: flow\.yaml:\d+: /);
    expect(thrown).toContain(words);
  });

  test('a manifest that is started by itself', async () => {
    const thrown = await thrownBy(() => parseYaml('id: x\nname: y\n', '/flows/a/workflow.yaml'));
    expect(thrown).toContain('there is no key states; this is the manifest of a folder: start the folder');
  });

  test('all of them are reported at once, but not too many', async () => {
    const three = await thrownBy(() => parseYaml('states:\n  A: x\n  B: x\n  C: x\n', 'flow.yaml'));
    expect(three.split('\n')).toHaveLength(3);
    const many = `states:\n${Array.from({ length: 50 }, (_, n) => `  S${n}: x\n`).join('')}`;
    expect((await thrownBy(() => parseYaml(many, 'flow.yaml'))).split('\n')).toHaveLength(20);
  });

  test.each<[string, string, string]>([
    [
      'at the top',
      'stats: 1\nstates:\n  A: {sh: a}',
      'flow.yaml:1: unknown key "stats", did you mean states? (the keys are',
    ],
    [
      'of a prompt',
      'states:\n  A:\n    prompt: a\n    modle: x',
      'flow.yaml:4: unknown key "modle", did you mean model?',
    ],
    [
      'of a script',
      'states:\n  A:\n    sh: a\n    after: x',
      'flow.yaml:4: unknown key "after" (the keys are prompt, sh,',
    ],
    ['in a type of its own', 'states:\n  A:\n    sh: !x a', 'flow.yaml:3: Unresolved tag: !x'],
  ])('what is unknown %s is only a warning', (_title, text, words) => {
    const { warnings } = parseYaml(text, 'flow.yaml');
    expect(warnings).toEqual([expect.stringContaining(words)]);
  });

  test('keys that begin with x- are free', () => {
    expect(parseYaml('x-note: 1\nstates:\n  A: {sh: a, x-why: b}', 'flow.yaml').warnings).toEqual([]);
  });
});

// Labels of runs: which can be variables of states, and how they are shown.
import { expect, test } from '@jest/globals';
import { labelText, labelsProblem, shownLabels } from '../../src/protocol/labels.js';

test.each([
  ['issue', '42', undefined],
  ['fix_version', '', undefined],
  ['issue-id', '1', 'cannot be the key of a label'],
  ['1st', '1', 'cannot be the key of a label'],
  ['input', 'x', 'would replace a variable of Raymond'],
  ['Raymond_x', 'x', 'would replace a variable of Raymond'],
  ['PATH', '/bin', 'may be a variable of a program'],
  ['note', 'a\0b', 'contains a NUL character'],
  ['note', 'x'.repeat(1025), 'is longer than 1024 bytes'],
])('the label %s=%j: %j', (key, value, problem) => {
  const found = labelsProblem({ [key]: value });
  if (problem === undefined) expect(found).toBeUndefined();
  else expect(found).toContain(problem);
});

test('a run has at most 20', () => {
  const labels = Object.fromEntries(Array.from({ length: 21 }, (_none, at) => [`l${at}`, 'x']));
  expect(labelsProblem(labels)).toContain('21 labels; a run may have 20');
});

test('they are shown on one line, and searched one by one', () => {
  expect(labelText({ issue: '42', branch: 'a=b' })).toBe('issue=42 branch=a=b');
  expect(shownLabels({ issue: '42', branch: 'a=b' })).toEqual({ RaymondLabels: ['issue=42', 'branch=a=b'] });
  expect(shownLabels(undefined)).toEqual({});
});

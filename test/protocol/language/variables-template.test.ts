// Placeholders of prompts.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { renderPrompt, renderTemplate, templateVariables } from '../../../src/protocol/language/variables.js';
import { anyText } from '../../support/any-text.js';

describe('placeholders', () => {
  const variables = { a: '1', 'issue-id': '7', empty: '', money: "$& $1 $'", 'my name': 'n' };
  test.each([
    ['{{a}} and {{a}}', '1 and 1', ['a']],
    ['{{issue-id}}{{a}}', '71', ['issue-id', 'a']],
    ['[{{empty}}]', '[]', ['empty']],
    ['{{money}}', "$& $1 $'", ['money']],
    ['{{my name}}', 'n', ['my name']],
    ['{{unknown}}', '{{unknown}}', []],
    ['{{ a }} {{a }} {{ a}}', '{{ a }} {{a }} {{ a}}', []],
    ['{{A}}', '{{A}}', []],
    ['{a} {{a} {{}} {{', '{a} {{a} {{}} {{', []],
    ['{{{a}}}', '{1}', ['a']],
    ['{{x{{a}}', '{{x1', ['a']],
    ['{{constructor}} {{__proto__}} {{toString}}', '{{constructor}} {{__proto__}} {{toString}}', []],
  ])('%s', (text, filled, used) => {
    expect(renderTemplate(text, variables)).toEqual({ text: filled, used });
  });

  test('what a value holds is never filled in again', () => {
    const variables = { a: '{{b}}', b: '{{a}}', c: '{{', d: 'a}}' };
    expect(renderTemplate('{{a}} {{b}} {{c}}{{d}}', variables).text).toBe('{{b}} {{a}} {{a}}');
  });

  test('a text is the same as its pieces filled one by one', () => {
    const piece = fc.oneof(
      fc.constantFrom('{{a}}', '{{b}}', '{{x}}'),
      fc.string().filter((text) => !/[{}]/.test(text)),
    );
    const values = fc.record({ a: anyText(), b: fc.constantFrom('{{a}}', '{{b}}', '}}', '{{') });
    fc.assert(
      fc.property(fc.array(piece), values, (pieces, { a, b }) => {
        const filled = pieces.map((part) => (part === '{{a}}' ? a : part === '{{b}}' ? b : part));
        expect(renderTemplate(pieces.join(''), { a, b }).text).toBe(filled.join(''));
      }),
    );
  });
});

describe('variables of a prompt', () => {
  const agent = { id: 'main_worker1', attributes: { item: 'x', agent_id: 'forged', result: 'mine' } };

  test('a pending value has two names, and ours win over attributes', () => {
    expect(
      templateVariables({ runId: 'r1', agent, stateDir: '/flows/f', taskFolder: '/tasks/t', pendingText: 'v' }),
    ).toEqual({
      item: 'x',
      input: 'v',
      result: 'v',
      workflow_id: 'r1',
      agent_id: 'main_worker1',
      task_folder: '/tasks/t',
      state_dir: '/flows/f',
    });
  });

  test('without a pending value its names are free for attributes', () => {
    expect(templateVariables({ runId: 'r1', agent, stateDir: '/flows/f', taskFolder: '/tasks/t' })).toEqual({
      item: 'x',
      result: 'mine',
      workflow_id: 'r1',
      agent_id: 'main_worker1',
      task_folder: '/tasks/t',
      state_dir: '/flows/f',
    });
  });
});

describe('warnings of a prompt', () => {
  const agent = { id: 'main', attributes: {} };

  test.each(['result', 'input'])('{{%s}} with nothing pending stays, with a warning', (name) => {
    const { text, used, warnings } = renderPrompt(`a {{${name}}} b`, {
      runId: 'r',
      stateDir: '/f',
      taskFolder: '/t',
      agent,
    });
    expect({ text, used }).toEqual({ text: `a {{${name}}} b`, used: [] });
    expect(warnings).toEqual([expect.stringContaining(`{{${name}}}`)]);
  });

  test('an empty pending value is a value', () => {
    expect(
      renderPrompt('[{{result}}]', { runId: 'r', stateDir: '/f', taskFolder: '/t', agent, pendingText: '' }),
    ).toEqual({
      text: '[]',
      used: ['result'],
      warnings: [],
    });
  });

  test('other unknown names are nobody’s business', () => {
    expect(renderPrompt('{{handlebars}}', { runId: 'r', stateDir: '/f', taskFolder: '/t', agent }).warnings).toEqual(
      [],
    );
  });
});

describe('a value that is JSON', () => {
  const agent = { id: 'main', attributes: {} };
  const pendingText = '{"score":4,"why":"it is {{clear}}","list":[{"name":"a"}],"none":null,"FILE":"x"}';
  const render = (text: string, value = pendingText): ReturnType<typeof renderPrompt> =>
    renderPrompt(text, { runId: 'r', stateDir: '/f', taskFolder: '/t', agent, pendingText: value });

  test.each([
    ['{{result.score}}', '4'],
    ['{{input.why}}', 'it is {{clear}}'],
    ['{{result.list.0.name}}', 'a'],
    ['{{result.list.length}}', '1'],
    ['{{result.list}}', '[{"name":"a"}]'],
    ['{{result.none}}', 'null'],
  ])('fills %s with %s', (text, filled) => {
    expect(render(text)).toMatchObject({ text: filled, warnings: [] });
  });

  test.each([
    ['a field that it does not have', '{{result.socre}}', pendingText],
    ['what every object has', '{{result.toString}}', pendingText],
    ['a part of a text', '{{result.why.length}}', pendingText],
    ['a value that is no JSON', '{{result.score}}', 'four'],
  ])('leaves %s, with a warning', (_what, text, value) => {
    expect(render(text, value)).toMatchObject({ text, warnings: [expect.stringContaining(text)] });
  });
});

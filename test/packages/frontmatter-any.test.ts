// Prompt files of any content: frontmatter is understood or has mistakes with a place, and the body is never lost.
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseFrontmatter } from '../../src/packages/frontmatter.js';
import { anyText } from '../support/any-text.js';

test('whatever a prompt file holds, it is a prompt or a list of mistakes; nothing is thrown', () => {
  const key = fc.constantFrom(
    'allowed_transitions',
    'model',
    'effort',
    'timeout',
    'tag',
    'target',
    'x',
    '__proto__',
    '- ',
    '? ',
  );
  const value = fc.oneof(
    fc.constantFrom(
      'goto',
      'opus',
      '[',
      '{',
      '&a',
      '*a',
      '!!js/function x',
      '|',
      '1e999',
      '.nan',
      '"',
      '<<: *a',
      '~',
      '- tag: goto',
    ),
    anyText(),
  );
  const line = fc.oneof(
    fc
      .tuple(fc.constantFrom('', '  ', '\t', '- '), key, value)
      .map(([indent, name, text]) => `${indent}${name}: ${text}`),
    value,
  );
  fc.assert(
    fc.property(fc.array(line), fc.string(), (lines, body) => {
      const text = ['---', ...lines, '---', body].join('\n');
      const read = parseFrontmatter(text, (at) => `F:${at}`);
      expect(JSON.stringify(read)).toEqual(expect.any(String));
      if ('problems' in read) expect(read.problems.length).toBeGreaterThan(0);
    }),
    { numRuns: 500 },
  );
});

// YAML packages of any text: understood or refused, and never more work or memory than their size deserves.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ScopeError } from '../../src/packages/error.js';
import { MAX_YAML_BYTES, MAX_YAML_TOKENS } from '../../src/packages/limits.js';
import { parseYaml } from '../../src/packages/yaml.js';
import { anyText } from '../support/any-text.js';
import { thrownBy } from './thrown.js';

describe('texts that want to be too much', () => {
  const states = 'states:\n  A: {prompt: hi, allowed_transitions: *z}\n';
  const doubled = (width: number, depth: number): string =>
    Array.from(
      { length: depth },
      (_, n) =>
        `x-${n}: &a${n} [${Array(width)
          .fill(n === 0 ? 'lol' : `*a${n - 1}`)
          .join()}]`,
    )
      .concat(states.replace('*z', `*a${depth - 1}`))
      .join('\n');
  const merged = Array.from(
    { length: 15 },
    (_, n) =>
      `x-${n}: &a${n} {<<: [${Array(9)
        .fill(n === 0 ? '{}' : `*a${n - 1}`)
        .join()}]}`,
  ).join('\n');
  const large = 'x'.repeat(1_000_000);
  test.each<[string, string, RegExp]>([
    ['aliases of aliases', doubled(10, 9), /^TooLarge: .*the aliases make the file too large/],
    ['one alias too often', doubled(2000, 3), /^TooLarge: .*the aliases/],
    ['mappings of mappings', `${merged}\nstates:\n  A: {<<: *a14, sh: a}\n`, /^TooLarge: .*the aliases/],
    [
      'one long text in many states',
      `x-t: &t ${large}\nstates:\n${Array.from({ length: 80 }, (_, n) => `  S${n}: {sh: *t}\n`).join('')}`,
      /^TooLarge: .*the aliases/,
    ],
    ['many keys', Array.from({ length: MAX_YAML_TOKENS }, (_, n) => `k${n}: v`).join('\n'), /^TooLarge: flow.yaml:1: /],
    ['many lists', '- '.repeat(MAX_YAML_TOKENS), /^TooLarge: /],
    ['deep lists', '['.repeat(20_000), /^InvalidYaml: /],
    ['deep mappings', '{a: '.repeat(10_000), /^InvalidYaml: /],
    ['a long file', `states:\n  A:\n    prompt: ${'x'.repeat(MAX_YAML_BYTES)}`, /^TooLarge: /],
    [
      'many states',
      `states:\n${Array.from({ length: 1001 }, (_, n) => `  S${n}: {sh: a}\n`).join('')}`,
      /^TooLarge: flow.yaml:1: states: more than 1000 states/,
    ],
  ])('%s', async (_title, text, words) => {
    const started = process.cpuUsage();
    expect(await thrownBy(() => parseYaml(text, 'flow.yaml'))).toMatch(words);
    // Microseconds of the processor: the worst of them would take hours without limits.
    expect(process.cpuUsage(started).user).toBeLessThan(20_000_000);
  });

  test('a shared text and a thousand states are not too much', () => {
    const many = Array.from({ length: 1000 }, (_, n) => `  S${n}: {<<: *p, prompt: go on}\n`).join('');
    const text = `x-p: &p {model: haiku, allowed_transitions: [{tag: goto, target: S1}]}\nstates:\n${many}`;
    expect(parseYaml(text, 'flow.yaml').files.size).toBe(1000);
  });

  test('any text is understood or refused', () => {
    const piece = fc.constantFrom(
      ...['states:', 'A', 'B: ', 'prompt: ', 'sh: ', 'hi', '\n', '\n  ', '\n    ', '- ', '{', '}', '[', ']', ', '],
      ...[
        '&a ',
        '*a',
        '<<: ',
        '? ',
        '!t ',
        '|',
        '>',
        '"',
        "'",
        '#',
        '---\n',
        '~',
        'timeout: ',
        'allowed_transitions: ',
      ],
      ...['\t', '\r', '%YAML 1.1\n', '\u2028', 'id: x\n', 'environment: '],
    );
    const head = fc.constantFrom('', 'states:\n  A:\n    prompt: hi\n', 'states:\n  A: ');
    const hostile = fc.tuple(head, fc.array(piece, { maxLength: 40 })).map(([first, rest]) => first + rest.join(''));
    let understood = 0;
    fc.assert(
      fc.property(fc.oneof(hostile, anyText()), (text) => {
        try {
          for (const name of parseYaml(text, 'flow.yaml').files.keys())
            expect(name).toMatch(/^[^/\\.]+\.(md|sh|ps1|bat)$/);
          understood += 1;
        } catch (error) {
          if (!(error instanceof ScopeError)) throw error;
        }
      }),
      { numRuns: 2000 },
    );
    expect(understood).toBeGreaterThan(10);
  });
});

// `<print>` in a stream, however it is cut.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { MAX_PRINT, PrintScanner } from '../../../src/protocol/language/print.js';

function scan(...chunks: readonly string[]): readonly string[] {
  const scanner = new PrintScanner();
  return chunks.flatMap((chunk) => scanner.push(chunk));
}

describe('the print scanner', () => {
  test.each<[string, readonly string[], readonly string[]]>([
    ['one print', ['a <print> hi </print> b'], ['hi']],
    ['several prints', ['<print>1</print><print>2</print>'], ['1', '2']],
    ['a tag cut by a chunk', ['<pri', 'nt>h', 'i</prin', 't>'], ['hi']],
    ['an empty print', ['<print></print>'], ['']],
    ['an unclosed print', ['<print>never'], []],
    ['a close without an open', ['</print>x'], []],
    ['upper case is no print', ['<PRINT>x</PRINT>'], []],
    ['several lines', ['<print>\n a\nb\n</print>'], ['a\nb']],
  ])('finds %s', (_name, chunks, found) => expect(scan(...chunks)).toEqual(found));

  test('gives a print up that grows beyond the bound, and continues with the next', () => {
    expect(scan('<print>', 'x'.repeat(MAX_PRINT + 1), 'y</print><print>z</print>')).toEqual(['z']);
  });

  test('finds the same however the text is cut', () => {
    const text = fc.array(fc.constantFrom('<print>', '</print>', '<pri', 'nt>', 'a', ' ', '</', '<'), {
      maxLength: 30,
    });
    fc.assert(
      fc.property(text, fc.array(fc.nat({ max: 60 }), { maxLength: 8 }), (parts, cuts) => {
        const whole = parts.join('');
        const at = [...new Set([0, ...cuts.filter((cut) => cut < whole.length), whole.length])].sort((a, b) => a - b);
        const chunks = at.slice(1).map((end, index) => whole.slice(at[index], end));
        expect(scan(...chunks)).toEqual(scan(whole));
      }),
    );
  });
});

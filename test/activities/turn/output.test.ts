// What is kept of a process's output: the end for messages, the whole for tags, never without bound.
import { describe, expect, test } from '@jest/globals';
import { MAX_OUTPUT_BYTES, OutputTail, OutputText } from '../../../src/activities/turn/output-text.js';

const added = <T extends OutputTail | OutputText>(output: T, chunks: readonly (string | Buffer)[]): T => {
  for (const chunk of chunks) output.add(Buffer.from(chunk as string));
  return output;
};

describe('the tail', () => {
  test.each([
    ['nothing', [], ''],
    ['less than the limit', ['abc'], 'abc'],
    ['exactly the limit', ['abcde', 'fghij'], 'abcdefghij'],
    ['more than the limit in small pieces', ['abcdefgh', 'ijk', 'l'], 'cdefghijkl'],
    ['one piece beyond the limit', ['0123456789abcdef'], '6789abcdef'],
    ['surrounding white space', ['\n a b \n\n'], 'a b'],
    ['a character cut in two', ['é'.repeat(5), 'x'], '\ufffd' + 'é'.repeat(4) + 'x'],
    ['a character that came in two pieces', [Buffer.from([0xc3]), Buffer.from([0xa9])], 'é'],
  ])('of %s', (_what, chunks, text) => {
    expect(added(new OutputTail(10), chunks).text()).toBe(text);
  });

  test('keeps 4 KiB by default', () => {
    expect(added(new OutputTail(), ['x'.repeat(5000)]).text()).toHaveLength(4096);
  });

  test('does not hold on to the large pieces that it was given', () => {
    const tail = new OutputTail(10);
    const chunk = Buffer.alloc(1024 * 1024, 'x');
    tail.add(chunk);
    chunk.fill('y');
    expect(tail.text()).toBe('xxxxxxxxxx');
  });
});

describe('the whole text', () => {
  test('is all pieces in order, characters whole', () => {
    const text = added(new OutputText(), ['one ', Buffer.from([0xe2, 0x82]), Buffer.from([0xac]), ' two']);
    expect([text.text(), text.overflowed]).toEqual(['one € two', false]);
  });

  test.each([
    [['12345', '67890'], false, '1234567890'],
    [['12345', '678901'], true, ''],
    [['12345678901'], true, ''],
    [['12345', '678901', '2'], true, ''],
  ])('of %j with a limit of 10: overflow %s', (chunks, overflowed, text) => {
    const output = added(new OutputText(10), chunks);
    expect([output.overflowed, output.text()]).toEqual([overflowed, text]);
  });

  test('invalid UTF-8 becomes U+FFFD', () => {
    expect(added(new OutputText(), [Buffer.from([0x61, 0xff, 0x62])]).text()).toBe('a\ufffdb');
  });

  test('may be 64 MiB', () => {
    expect(MAX_OUTPUT_BYTES).toBe(64 * 1024 * 1024);
  });
});

// Where a prompt's frontmatter ends: at the very start of the file or nowhere, whatever editor has written it.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { splitPrompt } from '../../../src/protocol/language/state-file.js';

describe('a prompt with frontmatter', () => {
  test.each([
    ['plain', '---\nmodel: haiku\n---\nHello.\n', { frontmatter: 'model: haiku\n', body: 'Hello.\n' }],
    ['with nothing in it', '---\n---\nHello.\n', { frontmatter: '', body: 'Hello.\n' }],
    ['with nothing after it', '---\nmodel: haiku\n---\n', { frontmatter: 'model: haiku\n', body: '' }],
    [
      'with Windows line ends',
      '---\r\na: 1\r\nb: 2\r\n---\r\nHello.\r\nBye.\r\n',
      { frontmatter: 'a: 1\nb: 2\n', body: 'Hello.\nBye.\n' },
    ],
    ['behind a byte order mark', '\ufeff---\na: 1\n---\nHello.\n', { frontmatter: 'a: 1\n', body: 'Hello.\n' }],
    [
      'behind a byte order mark, with Windows line ends',
      '\ufeff---\r\na: 1\r\n---\r\nHi\r\n',
      { frontmatter: 'a: 1\n', body: 'Hi\n' },
    ],
    ['whose fences have trailing spaces', '--- \na: 1\n---\t \nHello.\n', { frontmatter: 'a: 1\n', body: 'Hello.\n' }],
    [
      'with blank lines around the body',
      '---\na: 1\n---\n\nHello.\n\n',
      { frontmatter: 'a: 1\n', body: '\nHello.\n\n' },
    ],
    [
      'and a rule in the body',
      '---\na: 1\n---\nHello.\n---\nBye.\n',
      { frontmatter: 'a: 1\n', body: 'Hello.\n---\nBye.\n' },
    ],
    [
      'with dashes inside',
      '---\na: ---x\n- ---\n ---\n----\n---\nHi\n',
      { frontmatter: 'a: ---x\n- ---\n ---\n----\n', body: 'Hi\n' },
    ],
  ])('%s is split', (_what, text, parts) => {
    expect(splitPrompt(text)).toEqual(parts);
  });
});

describe('a prompt without frontmatter is all body', () => {
  test.each([
    ['empty', ''],
    ['plain', 'Hello.\n'],
    ['that begins with a rule', '---\nHello.\n'],
    ['whose block is never closed', '---\nmodel: haiku\nHello.\n'],
    ['with a blank line before the block', '\n---\nmodel: haiku\n---\nHello.\n'],
    ['with a comment before the block', '<!-- mine -->\n---\nmodel: haiku\n---\nHello.\n'],
    ['with a space before the fence', ' ---\nmodel: haiku\n---\nHello.\n'],
    ['with words on the fence', '--- yaml\nmodel: haiku\n---\nHello.\n'],
    ['with four dashes', '----\nmodel: haiku\n----\nHello.\n'],
  ])('when it is %s', (_what, text) => {
    expect(splitPrompt(text)).toEqual({ body: text });
  });

  test('its line ends become LF, its byte order mark goes', () => {
    expect(splitPrompt('\ufeffone\r\ntwo\r\n')).toEqual({ body: 'one\ntwo\n' });
  });
});

test('nothing of any text is lost', () => {
  const line = fc.constantFrom('---', '--- ', 'a: 1', '', 'words', '----');
  fc.assert(
    fc.property(fc.array(line), fc.constantFrom('\n', '\r\n'), (lines, end) => {
      const plain = lines.map((text) => `${text}\n`).join('');
      const { frontmatter, body } = splitPrompt(plain.replaceAll('\n', end));
      if (frontmatter === undefined) expect(body).toBe(plain);
      else {
        expect(plain.endsWith(body)).toBe(true);
        expect(plain.slice(0, plain.length - body.length)).toMatch(/^---[ ]?\n[^]*---[ ]?\n$/);
        expect(plain.slice(0, plain.length - body.length)).toContain(frontmatter);
      }
    }),
  );
});

test('a megabyte without a closing fence is read in no time', () => {
  const begin = process.cpuUsage();
  expect(splitPrompt(`---\n${'a: 1\n'.repeat(200_000)}`).frontmatter).toBeUndefined();
  expect(process.cpuUsage(begin).user).toBeLessThan(2_000_000);
});

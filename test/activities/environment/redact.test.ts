// Credentials in texts and in output of any chunking: names stand where values were, and all else stays as it is.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Redactor } from '../../../src/activities/environment/redact.js';

const ENVIRONMENT = {
  ANTHROPIC_API_KEY: 'sk-ant-12345678',
  SECRET_TOKEN: 'sk-ant-12345678-and-more',
  npm_token: 'päss"word\\$(x)',
  DB_PASSWORD: 'short',
  AWS_SECRET_ACCESS_KEY: ' padded-value\n',
  HOME: '/home/somebody',
};
const redactor = new Redactor(ENVIRONMENT);

describe('a credential in a text is replaced', () => {
  test.each([
    ['by its name', 'the key sk-ant-12345678 is wrong', 'the key [ANTHROPIC_API_KEY] is wrong'],
    ['everywhere', 'sk-ant-12345678sk-ant-12345678', '[ANTHROPIC_API_KEY][ANTHROPIC_API_KEY]'],
    ['by the name of the longest', '=sk-ant-12345678-and-more=', '=[SECRET_TOKEN]='],
    ['whatever characters it has', 'päss"word\\$(x)!', '[npm_token]!'],
    ['inside JSON', JSON.stringify({ a: 'päss"word\\$(x)' }), '{"a":"[npm_token]"}'],
    ['without the white space around it', 'padded-value', '[AWS_SECRET_ACCESS_KEY]'],
    ['but not when it is too short to tell', 'a short word', 'a short word'],
    ['but not when it is none', 'in /home/somebody', 'in /home/somebody'],
  ])('%s', (_how, text, shown) => {
    expect(redactor.text(text)).toBe(shown);
  });
});

test('every string of a value is looked at', () => {
  const at = new Date(0);
  const value = { list: ['x', { text: 'is sk-ant-12345678' }], number: 1, none: undefined, at };
  expect(redactor.all(value)).toEqual({
    list: ['x', { text: 'is [ANTHROPIC_API_KEY]' }],
    number: 1,
    none: undefined,
    at,
  });
});

test('an environment without credentials changes nothing', () => {
  const none = new Redactor({ HOME: '/home/somebody', API_KEY: undefined });
  const chunk = Buffer.from('text');
  expect(none.text('text')).toBe('text');
  expect(none.stream().push(chunk)).toBe(chunk);
});

test('output of any chunking is shown as if it had come in one piece, and no value gets through', () => {
  const values = Object.values(ENVIRONMENT).map((value) => value.trim());
  const piece = fc.oneof(fc.constantFrom(...values, 'sk-ant-', 's', 'more-', 'é', '\n'), fc.string());
  fc.assert(
    fc.property(fc.array(piece), fc.infiniteStream(fc.integer({ min: 1, max: 9 })), (pieces, sizes) => {
      const bytes = Buffer.from(pieces.join(''));
      const stream = redactor.stream();
      const shown: Buffer[] = [];
      for (let at = 0; at < bytes.length;) {
        const next: IteratorResult<number, undefined> = sizes.next();
        const size = next.value ?? 1;
        shown.push(stream.push(bytes.subarray(at, at + size)));
        at += size;
      }
      const text = Buffer.concat([...shown, stream.end()]).toString('utf8');
      expect(text).toBe(redactor.text(bytes.toString('utf8')));
    }),
  );
});

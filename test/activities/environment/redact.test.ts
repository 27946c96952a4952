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
  expect(none.text('text')).toBe('text');
  expect(none.stream().push(Buffer.from('text')).toString()).toBe('text');
});

// Put together here, so that nobody takes them for real ones.
const of = (prefix: string, length: number): string => prefix + 'aB3'.repeat(length).slice(0, length);
const JWT = [of('eyJ', 20), of('eyJ', 30), of('', 43)].join('.');
const PEM = (kind: string, lineEnd = '\n'): string =>
  [`-----BEGIN ${kind}-----`, of('', 64), of('', 64), of('', 20), `-----END ${kind}-----`].join(lineEnd);

describe('what has the shape of a credential is replaced, whatever the environment holds', () => {
  const none = new Redactor({});
  test.each([
    ...['ghp_', 'gho_', 'ghs_', 'npm_'].map((prefix) => of(prefix, 36)),
    of('github_pat_', 40),
    of('glpat-', 20),
    of('sk-ant-', 40),
    of('sk-proj-', 40),
    of('sk-', 48),
    of('sk_live_', 24),
    of('xoxb-', 30),
    `AKIA${'ABCD2345'.repeat(2)}`,
    of('AIza', 35),
    of('hf_', 34),
    JWT,
  ])('%s', (token) => {
    expect(none.text(`a ${token} b`)).toBe('a [token] b');
    expect(none.text(`{"token":"${token}"}`)).toBe('{"token":"[token]"}');
    expect(none.text(`https://x:${token}@host`)).toBe('https://x:[token]@host');
  });

  test.each([
    ['RSA PRIVATE KEY', '\n'],
    ['PRIVATE KEY', '\\n'],
    ['OPENSSH PRIVATE KEY', '\r\n'],
  ])('a key %s whose lines end with %j', (kind, lineEnd) => {
    expect(none.text(`is ${PEM(kind, lineEnd)} so`)).toBe('is [private key] so');
    expect(none.text(PEM(kind, lineEnd).slice(0, 120))).toBe('[private key]');
  });

  test.each([
    'ghp_short',
    `task-${'0123456789abcdef'.repeat(2)}`,
    'sk-button-with-a-very-long-name-of-a-class',
    'eyJhbGciOiJIUzI1NiJ9',
    'AKIAcamelCase',
    '0123456789abcdef'.repeat(4),
    '-----BEGIN CERTIFICATE-----',
    'the PRIVATE KEY is not here',
  ])('but not %s', (text) => {
    expect(none.text(`a ${text} b`)).toBe(`a ${text} b`);
  });
});

test('output of any chunking is shown as if it had come in one piece, and no value gets through', () => {
  const values = [
    ...Object.values(ENVIRONMENT).map((value) => value.trim()),
    // What is known by its shape stands apart, as in a file or a log.
    ...[of('ghp_', 36), of('sk-', 32), JWT, PEM('PRIVATE KEY')].map((token) => `\n${token}\n`),
  ];
  const piece = fc.oneof(
    fc.constantFrom(
      ...values,
      'sk-ant-',
      's',
      'more-',
      'gh',
      'eyJ',
      of('', 10),
      '-----BEGIN PRIVATE KEY-----',
      'é',
      '\n',
    ),
    fc.string(),
  );
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

// Work that grows faster than its input would not end within the time limit of a test.
test.each([
  ['plain output', 'compiled src/some/file.ts in 12 ms, eyJ sk- ghp_\n', 'compiled src/some/file.ts'],
  ['tokens', `${of('ghp_', 36)} `, '[token] [token]'],
  ['beginnings of tokens', 'eyJsk-ghp_AKIA', 'eyJsk-ghp_AKIA'],
  ['beginnings of keys', '-----BEGIN RSA PRIVATE KEY-----', '[private key]'],
])('20 MB of %s are masked', (_what, line, expected) => {
  const chunk = Buffer.from(line.repeat(Math.ceil(65_536 / line.length)));
  const stream = redactor.stream();
  let shown = '';
  for (let bytes = 0; bytes < 20e6; bytes += chunk.length) shown ||= stream.push(chunk).toString();
  stream.end();
  expect(shown.includes(expected)).toBe(true);
});

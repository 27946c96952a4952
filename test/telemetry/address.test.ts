// HOST:PORT as people write it.
import { expect, test } from '@jest/globals';
import { hostPortText, parseHostPort } from '../../src/telemetry/address.js';

test.each([
  ['127.0.0.1:9464', '127.0.0.1', 9464],
  ['localhost:1', 'localhost', 1],
  ['[::1]:65535', '::1', 65_535],
])('%s is a host and a port, and is written as it was', (text, host, port) => {
  const parsed = parseHostPort(text);
  expect(parsed).toEqual({ host, port });
  expect(hostPortText(parsed!)).toBe(text);
});

test.each(['', '9464', ':9464', 'host', 'host:', 'host:0', 'host:65536', 'host:9a', '::1:9464', 'a b:1', 'x/y:1'])(
  '"%s" is none',
  (text) => {
    expect(parseHostPort(text)).toBeUndefined();
  },
);

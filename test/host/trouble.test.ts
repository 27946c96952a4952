// What counts as trouble of the host.
import { expect, test } from '@jest/globals';
import { hostTrouble, troubleOf } from '../../src/host/trouble.js';

const errorOf = (code: string, more: object = {}): Error => Object.assign(new Error(code), { code, ...more });

test.each([
  ['ENOSPC', 'disk', 'the disk is full (ENOSPC); free some space'],
  ['EDQUOT', 'disk', 'the disk quota is used up (EDQUOT); free some space'],
  ['EROFS', 'disk', 'the file system is read-only (EROFS); make it writable'],
  ['EIO', 'disk', 'the disk reports an error (EIO); check the disk'],
  ['ESTALE', 'disk', 'the network file system has lost it (ESTALE); mount it again'],
  ['ETIMEDOUT', 'disk', 'the network does not answer (ETIMEDOUT); check the network'],
  ['EMFILE', 'resources', 'this process has too many open files (EMFILE); raise the limit (ulimit -n)'],
  ['ENFILE', 'resources', 'this host has too many open files (ENFILE); close some programs'],
  ['ENOMEM', 'resources', 'this host has too little memory (ENOMEM); close some programs'],
  ['EAGAIN', 'resources', 'this host has too many processes (EAGAIN); close some programs (ulimit -u)'],
])('%s is trouble of the host', (code, kind, message) => {
  expect(hostTrouble(errorOf(code))).toEqual({ kind, code, message });
  expect(troubleOf(code, '/a')).toEqual({ kind, code, message: `/a: ${message}` });
});

test.each([['ENOENT'], ['EACCES'], ['ENOEXEC'], ['E2BIG'], ['toString'], [undefined]])('%s is not', (code) => {
  expect(troubleOf(code)).toBeUndefined();
});

test('it is found behind other errors, in the words of the one that was thrown', () => {
  const cause = errorOf('ENOSPC', { path: '/full/file' });
  const wrapped = new Error('cannot unpack', { cause: new AggregateError([new Error('x'), cause]) });
  expect(hostTrouble(wrapped)).toEqual({ kind: 'disk', code: 'ENOSPC', message: 'cannot unpack' });
  expect(hostTrouble(cause)?.message).toBe('/full/file: the disk is full (ENOSPC); free some space');
});

test('causes that go round in a circle end the search', () => {
  const error = new Error('a');
  error.cause = error;
  expect(hostTrouble(error)).toBeUndefined();
  expect(hostTrouble('text')).toBeUndefined();
});

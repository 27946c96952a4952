// The policy of a sandbox, merged: the strictest kind wins, and a package never gets more than the config allows.
import { describe, expect, test } from '@jest/globals';
import { coversHost, mergeSandbox, parseSandbox, parseSize } from '../../src/protocol/sandbox.js';

const NOTHING = { read: [], write: [], network: [], env: [], processes: 4096 };

test.each([
  [{}, undefined],
  [{ worker: { kind: 'none' }, state: { kind: 'none' } }, undefined],
  [{ worker: { kind: 'process' }, state: { kind: 'none' } }, 'process'],
  [{ run: { kind: 'process' }, package: { kind: 'container' } }, 'container'],
  [{ state: { kind: 'process' } }, 'process'],
] as const)('of %j the strictest kind counts: %s', (requests, kind) => {
  expect(mergeSandbox(requests).policy?.kind).toBe(kind);
});

describe('what a package asks for', () => {
  const worker = { kind: 'process', network: ['*.example.com'], env: ['NPM_*'], read: ['/srv/data'] } as const;

  test.each([
    ['nothing: it gets all that is allowed', {}, { ...worker, write: [] }, []],
    ['less', { network: ['a.example.com'] }, { ...worker, write: [], network: ['a.example.com'] }, []],
    ['no network', { network: [] }, { ...worker, write: [], network: [] }, []],
    ['all hosts', { network: ['*'] }, { ...worker, write: [], network: ['*.example.com'] }, ['network: *']],
    ['another host', { network: ['example.org'] }, { ...worker, write: [], network: [] }, ['network: example.org']],
    ['a folder inside', { read: ['/srv/data/a'] }, { ...worker, write: [], read: ['/srv/data/a'] }, []],
    ['the way out', { read: ['/srv/data/../x'] }, { ...worker, write: [], read: [] }, ['read: /srv/data/../x']],
    ['to write', { write: ['/etc'] }, { ...worker, write: [] }, ['write: /etc']],
    ['a variable', { env: ['NPM_TOKEN', 'AWS_KEY'] }, { ...worker, write: [], env: ['NPM_TOKEN'] }, ['env: AWS_KEY']],
  ] as const)('%s', (...[, state, policy, refused]) => {
    expect(mergeSandbox({ worker, state })).toEqual({
      policy: { ...NOTHING, ...policy },
      refused: refused.map((entry) => `the config does not allow ${entry} in the sandbox`),
    });
  });

  test('a profile of the config gives more, one that is not there gives nothing', () => {
    const profiles = { web: { network: ['example.org'] } };
    const asked = { kind: 'process', profile: 'web' } as const;
    expect(mergeSandbox({ state: asked, profiles }).policy).toEqual({
      ...NOTHING,
      kind: 'process',
      network: ['example.org'],
    });
    expect(mergeSandbox({ state: { ...asked, profile: 'wed' }, profiles })).toEqual({
      policy: { ...NOTHING, kind: 'process' },
      refused: ['the config has no sandbox profile "wed"; it has web'],
    });
  });
});

test('the config of a worker is the limit for that of another host', () => {
  const worker = { kind: 'process', network: ['a.com'] } as const;
  expect(mergeSandbox({ worker, run: { network: ['*'] } }).policy?.network).toEqual(['a.com']);
  expect(mergeSandbox({ worker: { kind: 'process' }, run: { network: ['b.com'] } }).policy?.network).toEqual(['b.com']);
});

test('a package cannot raise a limit that the config does not set; the config can', () => {
  const state = { kind: 'process', processes: 9000 } as const;
  expect(mergeSandbox({ state }).policy?.processes).toBe(4096);
  expect(mergeSandbox({ state, worker: { processes: 10_000 } }).policy?.processes).toBe(9000);
});

test('the smallest limit counts, and the image of the config', () => {
  const worker = { kind: 'container', memory: 100, image: 'a@sha256:1' } as const;
  const { policy, refused } = mergeSandbox({ worker, state: { memory: 50, cpu: 9, image: 'b' } });
  expect(policy).toEqual({ ...NOTHING, kind: 'container', memory: 50, cpu: 9, image: 'a@sha256:1' });
  expect(refused).toEqual(['the image b is not used: the config names the image a@sha256:1']);
});

test.each([
  ['*', 'example.com', true],
  ['example.com', 'EXAMPLE.com', true],
  ['*.example.com', 'a.b.example.com', true],
  ['*.example.com', 'example.com', false],
  ['*.example.com', 'evilexample.com', false],
  ['example.com', 'example.com.evil.org', false],
])('the pattern %s includes %s: %s', (pattern, host, expected) => {
  expect(coversHost(pattern, host)).toBe(expected);
});

test.each([
  ['process', { kind: 'process' }],
  ['process:web', { kind: 'process', profile: 'web' }],
  ['proces', undefined],
  ['process:', undefined],
  ['process:a:b', undefined],
])('the word %s is %j', (word, request) => {
  expect(parseSandbox(word)).toEqual(request);
});

test.each([
  ['512MiB', 2 ** 29],
  ['1.5 GB', 1.5 * 2 ** 30],
  ['2g', 2 ** 31],
  ['0', undefined],
  ['many', undefined],
])('the size %s is %d bytes', (text, bytes) => {
  expect(parseSize(text)).toBe(bytes);
});

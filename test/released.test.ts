// The schemas of files and of JSON documents keep what those of released versions promise: a field that is removed or renamed breaks programs.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { DOCUMENTS } from '../src/client/documents/documents.js';
import { editorSchemas } from '../src/schemas.js';
import { brokenPromises, type Direction } from './support/promises.js';

const RELEASED = fileURLToPath(new URL('released', import.meta.url));
const TODO =
  'before the first release: npm run build && node scripts/release/freeze.mjs; later only in a new major version';

const documents: Readonly<Record<string, unknown>> = Object.fromEntries(
  Object.entries(DOCUMENTS).map(([name, schema]) => [name, z.toJSONSchema(schema)]),
);

const NOW: Readonly<
  Record<string, { readonly now: Readonly<Record<string, unknown>>; readonly direction: Direction }>
> = {
  'documents.json': { now: documents, direction: 'written' },
  'schemas.json': { now: editorSchemas(), direction: 'read' },
};

const stored = readdirSync(RELEASED).flatMap((version) =>
  Object.keys(NOW).flatMap((file) => {
    const before = JSON.parse(readFileSync(join(RELEASED, version, file), 'utf8')) as Readonly<Record<string, unknown>>;
    return Object.entries(before).map(([name, schema]) => ({ version, file, name, schema }));
  }),
);

test('the schemas of a version are stored', () => {
  expect(stored.length).toBeGreaterThan(20);
});

test.each(stored)('$name keeps what version $version promises ($file)', ({ file, name, schema }) => {
  const { now, direction } = NOW[file]!;
  const broken = name in now ? brokenPromises(schema, now[name], direction) : ['all of it'];
  expect({ broken, todo: TODO }).toEqual({ broken: [], todo: TODO });
});

interface Change {
  readonly what: string;
  readonly direction?: Direction;
  readonly before: object;
  readonly now: object;
}

describe('a promise is broken by', () => {
  const text = { type: 'string' };
  const object = (properties: object, required: readonly string[] = []): object => ({
    type: 'object',
    properties,
    required,
  });
  const recursive = (properties: object): object => ({
    $ref: '#/d/a',
    d: { a: object({ ...properties, a: { $ref: '#/d/a' } }) },
  });

  test.each<Change & { readonly broken: readonly string[] }>([
    {
      what: 'a field that is removed',
      before: object({ a: text, b: text }),
      now: object({ a: text }),
      broken: ['.b', '.b = any', '.b: string'],
    },
    {
      what: 'a type that changes',
      before: object({ a: text }),
      now: object({ a: { type: 'number' } }),
      broken: ['.a = any', '.a: string'],
    },
    {
      what: 'a field that may be absent now',
      before: object({ a: text }, ['a']),
      now: object({ a: text }),
      broken: ['.a is always there'],
    },
    {
      what: 'a value that is not known any more',
      direction: 'read',
      before: object({ a: { enum: ['x', 'y'] } }),
      now: object({ a: { enum: ['x'] } }),
      broken: ['.a = "y"'],
    },
    {
      what: 'a key that is required now',
      direction: 'read',
      before: object({ a: text }),
      now: object({ a: text }, ['a']),
      broken: ['.a may be left out'],
    },
    {
      what: 'a field of an element',
      before: { items: object({ a: {} }) },
      now: { items: object({}) },
      broken: ['[].a'],
    },
    {
      what: 'a field of a variant',
      before: { anyOf: [object({ a: {} })] },
      now: { anyOf: [object({})] },
      broken: ['.a'],
    },
    { what: 'a field behind a reference', before: recursive({ b: {} }), now: recursive({}), broken: ['.b'] },
  ])('$what', ({ direction = 'written', before, now, broken }) => {
    expect(brokenPromises(before, now, direction)).toEqual(broken);
    expect(brokenPromises(before, before, direction)).toEqual([]);
  });

  test.each<Change>([
    { what: 'a new field', before: object({ a: text }), now: object({ a: text, b: text }, ['b']) },
    { what: 'a new key', direction: 'read', before: object({ a: text }), now: object({ a: text, b: text }) },
    {
      what: 'values that are free now',
      before: object({ a: { type: 'string', enum: ['x'] } }),
      now: object({ a: text }),
    },
  ])('nothing that adds: $what', ({ direction = 'written', before, now }) => {
    expect(brokenPromises(before, now, direction)).toEqual([]);
  });
});

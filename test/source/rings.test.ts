// No files of src/ import each other in a ring, imports of types included: a reader can always begin at the bottom. ESLint
// sees only rings of values.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from '@jest/globals';

type Imports = ReadonlyMap<string, readonly string[]>;

const FROM = /^(?:import|export)\b[^;'"]*?\bfrom '(\.[^']+)';/gm;

/** The files of a folder with the files of it that each imports. */
function importsIn(root: string): Imports {
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => join(root, name));
  const known = new Set(files);
  const importsOf = (file: string): readonly string[] =>
    [...readFileSync(file, 'utf8').matchAll(FROM)].flatMap(([, path = '']) => {
      const base = join(dirname(file), path).replace(/\.js$/, '');
      return [`${base}.ts`, `${base}.tsx`].filter((candidate) => known.has(candidate));
    });
  return new Map(files.map((file) => [file, importsOf(file)]));
}

/** The files that are left when those without an import, or without an importer, are taken away again and again. */
function inRings(imports: Imports): readonly string[] {
  const left = new Map([...imports].map(([file, others]) => [file, new Set(others)]));
  for (let before = Infinity; left.size < before;) {
    before = left.size;
    const imported = new Set([...left.values()].flatMap((others) => [...others]));
    for (const [file, others] of left) {
      const remaining = [...others].filter((other) => left.has(other));
      if (remaining.length === 0 || !imported.has(file)) left.delete(file);
      else left.set(file, new Set(remaining));
    }
  }
  return [...left.keys()].sort();
}

test('finds the files of a ring, and not those that only lead to it', () => {
  const imports = new Map([
    ['a', ['b']],
    ['b', ['c', 'd']],
    ['c', ['b']],
    ['d', []],
  ]);
  expect(inRings(imports)).toEqual(['b', 'c']);
});

test('no files of src/ import each other in a ring', () => {
  const imports = importsIn('src');
  expect([...imports.values()].flat().length).toBeGreaterThan(1500);
  expect(inRings(imports)).toEqual([]);
});

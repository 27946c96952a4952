// What is written for one platform: docs/reference/platforms.md lists the files, so that none is forgotten where another platform is tried.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';

const page = readFileSync('docs/reference/platforms.md', 'utf8');

test('the files of src that ask for Linux or macOS are those that the page of platforms names', () => {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((name) => /\.tsx?$/.test(name));
  const asking = files
    .map((name) => join('src', name))
    .filter((path) => /(?:platform\b.*|case |\bdarwin: )'(?:linux|darwin)'/.test(readFileSync(path, 'utf8')));
  const named = [...page.matchAll(/\| `(src\/\S+)` +\|$/gm)].map(([, path = '']) => path);
  expect(asking.sort()).toEqual([...new Set(named)].sort());
});

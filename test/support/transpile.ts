// Source folders as plain JavaScript, so that a test can run them in real processes of its own. They lie below node_modules,
// where their packages are found.
import { mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { transformFileSync } from '@swc/core';

/** Transpiles `src/<folder>` for each folder into a new temporary folder and returns that; the caller removes it. */
export function transpile(folders: readonly string[]): string {
  const cache = resolve('node_modules', '.cache', 'raymond');
  mkdirSync(cache, { recursive: true });
  const target = mkdtempSync(join(cache, 'js-'));
  writeFileSync(join(target, 'package.json'), '{"type":"module"}');
  for (const folder of folders) {
    for (const file of readdirSync(join('src', folder), { recursive: true, encoding: 'utf8' })) {
      if (file.endsWith('.ts'))
        transpileFile(join('src', folder, file), join(target, folder, file.replace(/\.ts$/, '.js')));
    }
  }
  return target;
}

function transpileFile(source: string, target: string): void {
  const { code } = transformFileSync(source, {
    jsc: { target: 'es2022', parser: { syntax: 'typescript' } },
    module: { type: 'es6' },
  });
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, code);
}

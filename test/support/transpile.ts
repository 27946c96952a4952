// Source folders as plain JavaScript, so that a test can run them in real processes of its own. Node built-ins only at
// their imports: what needs node_modules runs against dist/.
import { mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { transformFileSync } from '@swc/core';

/** Transpiles `src/<folder>` for each folder into a new temporary folder and returns that; the caller removes it. */
export function transpile(folders: readonly string[]): string {
  const target = mkdtempSync(join(tmpdir(), 'raymond-js-'));
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

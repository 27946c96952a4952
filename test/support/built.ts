// The launcher as a real process needs JavaScript: compiles it, with what it imports, into a cache keyed by its content.
// Tests of the launcher and of whatever uses it import this; end-to-end tests use dist/ instead.
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import ts from 'typescript';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const CACHE = join(ROOT, 'node_modules', '.cache', 'raymond');
const FOLDERS = ['launcher', 'host'];

/** The folder that holds the compiled launcher/ and host/, and program/ with the launcher in one file. */
export function builtFolder(): string {
  const sources = FOLDERS.flatMap(sourcesIn);
  const hash = createHash('sha256');
  for (const { path, text } of sources) hash.update(`${path}\0${text}\0`);
  const folder = join(CACHE, `built-${hash.digest('hex').slice(0, 16)}`);
  if (existsSync(folder)) return folder;
  const temporary = compile(sources);
  try {
    renameSync(temporary, folder);
  } catch (error) {
    // Another test process has built the same content meanwhile.
    rmSync(temporary, { recursive: true });
    if (!existsSync(folder)) throw error;
  }
  return folder;
}

/** The launcher in one file. */
export function builtLauncher(): string {
  return join(builtFolder(), 'program', 'launcher.cjs');
}

interface Source {
  readonly path: string;
  readonly text: string;
}

function sourcesIn(folder: string): Source[] {
  const names = readdirSync(join(ROOT, 'src', folder)).filter((name) => name.endsWith('.ts'));
  return names.sort().map((name) => {
    const path = join(folder, name);
    return { path, text: readFileSync(join(ROOT, 'src', path), 'utf8') };
  });
}

function compile(sources: readonly Source[]): string {
  mkdirSync(CACHE, { recursive: true });
  const folder = mkdtempSync(join(CACHE, 'building-'));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  const compilerOptions = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ES2022, verbatimModuleSyntax: true };
  for (const { path, text } of sources) {
    const target = join(folder, path.replace(/\.ts$/, '.js'));
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, ts.transpileModule(text, { compilerOptions, fileName: path }).outputText);
  }
  const [entry, outfile] = [join(folder, 'launcher/main.js'), join(folder, 'program/launcher.cjs')];
  buildSync({ entryPoints: [entry], outfile, bundle: true, platform: 'node', format: 'cjs' });
  return folder;
}

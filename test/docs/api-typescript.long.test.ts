// The program of docs/reference/api-typescript.md, as a user would have it: its types are checked against the package's, and it prints what the page says.
import { mkdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from '@jest/globals';
import { execa } from 'execa';
import ts from 'typescript';
import { Place } from '../support/cli.js';
import { fencedBlocks } from '../support/fenced-blocks.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const blocks = fencedBlocks(await readFile(join(root, 'docs/reference/api-typescript.md'), 'utf8'));
const files = Object.fromEntries(
  blocks.flatMap(({ caption, text }) => {
    const name = /^`(.+)`:$/.exec(caption ?? '')?.[1];
    return name === undefined ? [] : [[name, text]];
  }),
);
const printed = blocks.find(({ language }) => language === '')!.text;

let place: Place;
beforeAll(async () => {
  place = await Place.at({ ...files, 'package.json': '{"type":"module"}' });
  await mkdir(join(place.cwd, 'node_modules/@types'), { recursive: true });
  await symlink(root, join(place.cwd, 'node_modules/raymond'));
  await symlink(join(root, 'node_modules/@types/node'), join(place.cwd, 'node_modules/@types/node'));
});

test('has the types that it is written with', () => {
  const program = ts.createProgram([join(place.cwd, 'program.ts')], {
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ES2023,
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: ['node'],
    typeRoots: [join(place.cwd, 'node_modules/@types')],
  });
  const faults = ts.getPreEmitDiagnostics(program);
  expect(ts.formatDiagnostics(faults, ts.createCompilerHost({}))).toBe('');
});

test('runs, and prints what the page says', async () => {
  const { outputText } = ts.transpileModule(files['program.ts']!, {
    compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 },
  });
  await place.write('program.js', outputText);
  const { stdout, stderr, exitCode } = await execa(process.execPath, ['program.js'], {
    cwd: place.cwd,
    env: { TEMPORAL_ADDRESS: undefined },
    reject: false,
    timeout: 60_000,
  });
  expect({ stdout, stderr, exitCode }).toEqual({ stdout: printed.trim(), stderr: '', exitCode: 0 });
});

// `raymond init`: a commented config and a first workflow in this folder. Nothing that exists is touched.
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { ClientError } from '../client/error.js';
import { configKeys } from '../config.js';
import { exists, explainingWrites } from '../host/files.js';
import { findProject, makeRaymondDir } from '../project.js';
import type { Io } from './io.js';
import { printDocument } from './view/json.js';

const FIRST_WORKFLOW: Readonly<Record<string, string>> = {
  'hello/1_START.sh': [
    '# A script state: what it prints is read for the tag that says where to go next.',
    'name=${RAYMOND_INPUT:-world}',
    'echo "<goto input=\\"$name\\">GREET</goto>"',
    '',
  ].join('\n'),
  'hello/GREET.sh': [
    '# The value that the last state passed on is in RAYMOND_INPUT.',
    'echo "<result>Hello, $RAYMOND_INPUT!</result>"',
    '',
  ].join('\n'),
};

/** Flags of `init`. */
export interface InitFlags {
  readonly configOnly?: boolean;
  readonly json?: boolean;
}

/** Writes what is missing; with `configOnly` no workflow. Refuses when there is nothing left to write. */
export async function init(io: Io, { configOnly = false, json = false }: InitFlags = {}): Promise<number> {
  const { cwd, show } = io;
  const { raymondDir } = await findProject(cwd);
  const files = { [join(raymondDir, 'config.toml')]: configTemplate() };
  if (!configOnly) for (const [name, text] of Object.entries(FIRST_WORKFLOW)) files[join(cwd, name)] = text;
  const missing = await Promise.all(Object.keys(files).map(async (path) => ((await exists(path)) ? [] : [path])));
  const written = missing.flat();
  if (written.length === 0) {
    throw new ClientError('InvalidUsage', `nothing to write: ${Object.keys(files).join(', ')} exist already`);
  }
  await makeRaymondDir(raymondDir);
  for (const path of written) {
    await explainingWrites(path, async () => {
      // Not `recursive`, which says of a read-only file system that there is no such folder.
      if (!(await exists(dirname(path)))) await mkdir(dirname(path));
      await writeFile(path, files[path] ?? '', { flag: 'wx' });
    });
  }
  const names = written.map((path) => relative(cwd, path));
  if (json) await printDocument(io, 'init', { written: names });
  else await show(names.map((name) => `wrote ${name}`).join('\n'));
  if (!configOnly && !json) await show('now try: raymond start hello --input you');
  return 0;
}

/** The config with every key, commented out. */
function configTemplate(): string {
  const keys = configKeys().flatMap(({ name, says, byDefault, example }) => [
    `# ${says}`,
    `# ${name} = ${tomlOf(byDefault ?? example)}`,
    '',
  ]);
  return ['# Raymond reads this file from the project root. Flags win over it.', '[raymond]', '', ...keys].join('\n');
}

/** TOML writes texts, numbers and lists as JSON does, and tables on one line otherwise. */
function tomlOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(tomlOf).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{ ${Object.entries(value)
    .map(([key, item]) => `${JSON.stringify(key)} = ${tomlOf(item)}`)
    .join(', ')} }`;
}

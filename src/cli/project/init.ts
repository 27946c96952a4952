// `raymond init`: writes a commented config, and copies a sample into this folder. Existing files are not touched.
import { writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { copySample } from '../../authoring/shipped.js';
import { ClientError } from '../../client/error.js';
import { configKeys } from '../../client/project/config.js';
import { exists, explainingWrites } from '../../host/files.js';
import { shippedFolder } from '../../host/self.js';
import { findProject, makeRaymondDir } from '../../client/project/project.js';
import type { Io } from '../io.js';
import { printDocument } from '../view/json.js';

/** The sample that a project begins with when none is named. */
const FIRST_SAMPLE = 'hello';

/** Flags of `init`. */
export interface InitFlags {
  readonly configOnly?: boolean;
  readonly from?: string;
  readonly json?: boolean;
}

/** Writes what is missing; with `configOnly` no workflow. Throws when there is nothing left to write. */
export async function init(io: Io, { configOnly = false, from, json = false }: InitFlags = {}): Promise<number> {
  const { cwd, show } = io;
  if (configOnly && from !== undefined) throw new ClientError('InvalidUsage', 'give --config-only or --from, not both');
  const sample = from ?? FIRST_SAMPLE;
  const { raymondDir, configFiles } = await findProject(cwd);
  const config = configFiles[0]?.path ?? join(raymondDir, 'config.toml');
  // Checks first, writes later.
  const copied = configOnly ? undefined : await copySample(sample, join(cwd, sample));
  if (copied === undefined && from !== undefined)
    throw new ClientError('InvalidUsage', `${join(cwd, sample)} already exists; move it away, or use another folder`);
  const written = [...(await writeConfig(config)), ...(copied ?? []).map((name) => join(cwd, sample, name))];
  if (written.length === 0) {
    const existing = configOnly ? config : `${config} and ${join(cwd, sample)}`;
    throw new ClientError('InvalidUsage', `nothing to write: ${existing} already exist${configOnly ? 's' : ''}`);
  }
  const names = written.map((path) => relative(cwd, path));
  if (json) await printDocument(io, 'init', { written: names });
  else await show(names.map((name) => `wrote ${name}`).join('\n'));
  if (!json && written.includes(config)) await show(`git ignores ${names[0]}: ${SHARING}`);
  if (!configOnly && !json) await show(nextStep(sample));
  return 0;
}

const SHARING = 'to share a config with your team, write its keys into raymond.toml at the project root';

function nextStep(sample: string): string {
  if (sample === FIRST_SAMPLE) return `now try: raymond start ${sample} --input you`;
  return `now read ${sample}/README.md, and try: raymond test ${sample}`;
}

/** Writes the config if there is none; returns its path then. */
async function writeConfig(path: string): Promise<readonly string[]> {
  if (await exists(path)) return [];
  await makeRaymondDir(dirname(path));
  await explainingWrites(path, () => writeFile(path, configTemplate(), { flag: 'wx' }));
  return [path];
}

/** The config with every key, commented out. */
function configTemplate(): string {
  const keys = configKeys().flatMap(({ name, says, byDefault, example }) => [
    `# ${says}`,
    `# ${name} = ${tomlOf(byDefault ?? example)}`,
    '',
  ]);
  // The file is for this machine, so it may contain this installation's path.
  const schema = `#:schema ${pathToFileURL(join(shippedFolder('schemas'), 'config.schema.json')).href}`;
  const head = [schema, '', '# Raymond reads this file from the project root. Flags override it.', '[raymond]', ''];
  return [...head, ...keys].join('\n');
}

/** TOML writes texts, numbers and lists as JSON does, and inline tables differently. */
function tomlOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(tomlOf).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{ ${Object.entries(value)
    .map(([key, item]) => `${JSON.stringify(key)} = ${tomlOf(item)}`)
    .join(', ')} }`;
}

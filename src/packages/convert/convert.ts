// Converts a package between its three forms: a folder, a zip and a YAML file. A file that the target form cannot represent is an
// error that lists everything, and nothing is written. The new package is opened as a run would open it before it gets
// its name.
import { basename, join } from 'node:path';
import { assertNever } from '../../protocol/failure.js';
import { literalWorkflows } from '../../protocol/language/resolve.js';
import { folderOf, packageKind, scopeAt } from '../../protocol/scope.js';
import { isDirectory } from '../../host/files.js';
import { zipOf } from '../archive.js';
import { decodeText, readWhole, ScopeError } from '../error.js';
import { openScope } from '../open.js';
import { MAX_YAML_BYTES } from '../limits.js';
import { parseYaml } from '../yaml.js';
import { readZip } from '../zip.js';
import { filesOfFolder, filesOfZip, notThere, unconvertible, type Converted, type PackageFiles } from './files.js';
import { filesOfYaml } from './from-yaml.js';
import { yamlOfFiles } from './to-yaml.js';
import { put, refuseOccupied, type Product } from './write.js';

/** What to convert, by absolute paths; files named in `without` are left out. */
export interface Conversion {
  readonly from: string;
  readonly to: string;
  readonly without?: readonly string[];
  /** Whether a package at `to` may be replaced. */
  readonly force?: boolean;
}

/**
 * A package that was written, its files (of a YAML file, the files that its states stand for), and warnings about what
 * now means something else.
 */
export interface ConvertedPackage {
  readonly files: readonly string[];
  readonly warnings: readonly string[];
}

const FORMS = { directory: 'a folder', zip: 'a zip', yaml: 'a YAML file' } as const;
type Form = keyof typeof FORMS;

/** Converts a package. Throws a `ScopeError` that lists everything that cannot be converted, and `UnwritableError`. */
export async function convertPackage({ from, to, without = [], force = false }: Conversion): Promise<ConvertedPackage> {
  const source = await formOf(from);
  const target: Form = packageKind(to) ?? 'directory';
  if (source === target) {
    const forms = 'a name with .yaml makes a YAML file, one with .zip a zip, any other a folder';
    throw new ScopeError('InvalidName', `${from} is ${FORMS[source]} already; ${forms}`);
  }
  await refuseOccupied({ path: to, force });
  const all = await filesAt(from, { form: source, without: new Set(without) });
  const left = target === 'yaml' ? [...all.keys()].filter((name) => FOR_PEOPLE.test(name)) : [];
  const files = new Map([...all].filter(([name]) => !left.includes(name)));
  const product = await productOf(files, { form: target, from });
  await put(product, { path: to, force, check: (temporary) => checked(temporary, { to, form: target }) });
  const written = await openScope(scopeAt(to));
  const warnings = left.map((name) => `${join(from, name)}: left behind, because it is no state`);
  return { files: await written.list(), warnings: [...warnings, ...(await moved(files, { from, to }))] };
}

/** Files that are no part of a run, and that a YAML file cannot hold. */
const FOR_PEOPLE = /^readme(?:\.md)?$|\.test\.ya?ml$/i;

async function formOf(path: string): Promise<Form> {
  const kind = packageKind(path);
  if (kind !== undefined) return kind;
  if (await isDirectory(path)) return 'directory';
  throw new ScopeError('Missing', `there is no workflow at ${path}; give a folder of states, a .zip or a .yaml`);
}

async function filesAt(
  path: string,
  { form, without }: { readonly form: Form; readonly without: ReadonlySet<string> },
): Promise<PackageFiles> {
  switch (form) {
    case 'directory':
      return await filesOfFolder(path, without);
    case 'zip':
      return await filesOfZip(path, without);
    case 'yaml': {
      const [name] = without;
      if (name !== undefined) throw notThere(name, path);
      return valueOf(filesOfYaml(decodeText(path, await readWhole(path, MAX_YAML_BYTES)), path));
    }
    default:
      return assertNever(form);
  }
}

async function productOf(
  files: PackageFiles,
  { form, from }: { readonly form: Form; readonly from: string },
): Promise<Product> {
  switch (form) {
    case 'directory':
      return { kind: 'folder', files };
    case 'zip':
      return { kind: 'file', bytes: await zipOf(files, from) };
    case 'yaml': {
      const position = (name: string, line?: number): string =>
        `${join(from, name)}${line === undefined ? '' : `:${line}`}`;
      return { kind: 'file', bytes: Buffer.from(valueOf(yamlOfFiles(files, position))) };
    }
    default:
      return assertNever(form);
  }
}

function valueOf<T>(converted: Converted<T>): T {
  if (converted.kind === 'converted') return converted.value;
  throw unconvertible(converted.problems);
}

/**
 * Opens what was written as a run would: checks limits, names that no zip can have, and a hash in the new name that
 * belongs to another package.
 */
async function checked(temporary: string, { to, form }: { readonly to: string; readonly form: Form }): Promise<void> {
  try {
    if (form === 'yaml') parseYaml(decodeText(to, await readWhole(temporary, MAX_YAML_BYTES)), basename(to));
    else if (form === 'zip') await readZip(temporary);
  } catch (error) {
    if (!(error instanceof ScopeError)) throw error;
    throw new ScopeError(error.code, error.message.replaceAll(temporary, to), { cause: error });
  }
}

/** Warnings about paths that depend on the package's location, when that has changed. */
async function moved(files: PackageFiles, { from, to }: Conversion): Promise<readonly string[]> {
  if (folderOf(scopeAt(from)) === folderOf(scopeAt(to))) return [];
  const { manifest } = (await (await openScope(scopeAt(to))).manifest()) ?? {};
  const directory = manifest?.workingDirectory;
  const named = [...files].flatMap(([name, { content }]) =>
    literalWorkflows(content.toString()).map((path) => `${join(from, name)} names ${path}`),
  );
  const all = [...named, ...(directory === undefined ? [] : [`working_directory of ${from} is ${directory}`])];
  return all.map((what) => `${what}: this is relative to the package, which has moved`);
}

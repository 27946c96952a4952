// A package in memory, read from a zip, a frozen folder or YAML, and its copy on disk for the programs that run its
// scripts: one folder per content, shared by the turns of a worker. The copy is not trusted, because a script or a
// cleaner may have changed it.
import { chmod, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makePrivateFolder, temporaryName, touch } from '../host/files.js';
import { readPlainFile } from '../host/plain-file.js';
import { type Scope, originOf, packageStem } from '../protocol/scope.js';
import { ScopeError, decodeText, whyUnreadable } from './error.js';
import type { PolicyRead } from './frontmatter.js';
import { MANIFEST_FILE, parseManifest, type ParsedManifest } from './manifest.js';
import type { ScopeReader, StateSettings } from './package.js';

/**
 * One file. In YAML, `policy` is the policy beside a prompt's text, with lines of the YAML file; `lineOf` gives the
 * line there that a message is about: a line of a script, a line from the policy, or, without a line, the state.
 */
export interface PackedFile {
  readonly content: Buffer;
  readonly executable: boolean;
  /** For a file in a zip with Unix modes: whether it is executable. A script always counts as executable. */
  readonly marked?: boolean;
  readonly settings?: StateSettings;
  readonly policy?: PolicyRead;
  readonly lineOf?: (line?: number) => number;
}

/** A whole package; `sha256` and `size` are those of its file and of its content in memory. */
export interface Packed {
  readonly sha256: string;
  readonly size: number;
  readonly files: ReadonlyMap<string, PackedFile>;
  readonly warnings: readonly string[];
  readonly manifest?: ParsedManifest;
}

/** The files of a packed package. */
export class PackedScope implements ScopeReader {
  constructor(
    private readonly scope: Scope,
    private readonly packed: Packed,
  ) {}

  private get shown(): string {
    return originOf(this.scope);
  }

  get warnings(): readonly string[] {
    return this.packed.warnings;
  }

  list(): Promise<readonly string[]> {
    return Promise.resolve([...this.packed.files.keys()].sort());
  }

  async read(file: string): Promise<Buffer> {
    return await Promise.resolve(this.file(file).content);
  }

  settingsOf(file: string): StateSettings {
    return this.file(file).settings ?? {};
  }

  policyOf(file: string): PolicyRead | undefined {
    return this.file(file).policy;
  }

  positionOf(file: string, line?: number): string {
    if (this.scope.kind !== 'yaml') return `${join(this.shown, file)}${line === undefined ? '' : `:${line}`}`;
    const { lineOf = (own = 1) => own } = this.file(file);
    return `${this.shown}:${lineOf(line)}`;
  }

  async scriptPath(file: string, folder: string): Promise<string> {
    this.file(file);
    const label = packageStem(this.shown).slice(0, 40);
    try {
      return join(await unpack(this.packed, { folder, label, wanted: file }), file);
    } catch (error) {
      const message = `cannot unpack ${this.shown} below ${folder}: ${whyUnreadable(error)}`;
      throw new ScopeError('Unreadable', message, { cause: error });
    }
  }

  hash(): Promise<string> {
    return Promise.resolve(this.packed.sha256);
  }

  async manifest(): Promise<ParsedManifest | undefined> {
    if (this.packed.manifest !== undefined) return await Promise.resolve(this.packed.manifest);
    const found = this.packed.files.get(MANIFEST_FILE);
    const file = join(this.shown, MANIFEST_FILE);
    return found === undefined ? undefined : parseManifest(decodeText(file, found.content), file);
  }

  private file(name: string): PackedFile {
    const found = this.packed.files.get(name);
    if (found !== undefined) return found;
    throw new ScopeError('Missing', `there is no ${name} in ${this.shown}; its files are ${this.names()}`);
  }

  private names(): string {
    const names = [...this.packed.files.keys()].sort();
    return names.length > 20 ? `${names.slice(0, 20).join(', ')} and ${names.length - 20} more` : names.join(', ');
  }
}

/** Copies that this process has found complete. */
const whole = new Set<string>();

/**
 * Creates or repairs the copy of a package under `folder`; returns its folder. Checks the file `wanted` every time, the
 * others once.
 */
async function unpack(
  { sha256, files }: Packed,
  { folder, label, wanted }: { readonly folder: string; readonly label: string; readonly wanted: string },
): Promise<string> {
  const copy = join(folder, `${label}-${sha256.slice(0, 32)}`);
  const needed = files.get(wanted);
  const isThere = await touch(copy);
  if (isThere && needed !== undefined && whole.has(copy) && (await holds(join(copy, wanted), needed))) return copy;
  await makePrivateFolder(copy);
  for (const [name, file] of files) await put(join(copy, name), file);
  whole.add(copy);
  return copy;
}

async function put(path: string, file: PackedFile): Promise<void> {
  if (await holds(path, file)) return;
  // Renamed into place, because a shell reads a script bit by bit while it runs it.
  const temporary = temporaryName(path);
  try {
    await writeFile(temporary, file.content, { mode: 0o600, flag: 'wx' });
    if (file.executable) await chmod(temporary, 0o700);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined); // The original error says more.
    throw error;
  }
}

async function holds(path: string, { content }: PackedFile): Promise<boolean> {
  try {
    return content.equals(await readPlainFile(path, content.length));
  } catch {
    return false; // Absent or unreadable: `put` writes it again, or reports why it cannot.
  }
}

// A scope as it was read into memory: one file, a zip or YAML, or a frozen folder.
// Must not read the package itself; what it unpacks for scripts is unpack.ts's business.
import { join } from 'node:path';
import type { Scope } from '../../protocol/agent.js';
import { originOf, packageStem } from '../../protocol/scope.js';
import { decodeText, ScopeError, whyUnreadable } from './error.js';
import { MANIFEST_FILE, parseManifest, type ParsedManifest } from './manifest.js';
import type { Packed, PackedFile, StateSettings } from './packed.js';
import type { ScopeReader } from './scopeReader.js';
import { unpack } from './unpack.js';

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

  placeOf(file: string, line?: number): string {
    if (this.scope.kind !== 'yaml') return `${join(this.shown, file)}${line === undefined ? '' : `:${line}`}`;
    const { lineOf = (own: number) => own } = this.file(file);
    return `${this.shown}:${lineOf(line ?? 1)}`;
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

// A package whose prompts were replaced for one run: the new texts are in the artifact store, all other files are read
// from the package as it is.
import { readFile } from 'node:fs/promises';
import type { ParsedManifest } from './manifest.js';
import type { PolicyRead } from './frontmatter.js';
import type { ScopeReader, StateSettings } from './package.js';
import type { Blobs } from './stored.js';

/** The package with these texts, by file name, as hashes of the store. */
export class ReplacedScope implements ScopeReader {
  constructor(
    private readonly base: ScopeReader,
    private readonly texts: { readonly replaced: Readonly<Record<string, string>>; readonly blobs: Blobs },
  ) {}

  get warnings(): readonly string[] {
    return this.base.warnings;
  }

  list(): Promise<readonly string[]> {
    return this.base.list();
  }

  async read(file: string): Promise<Buffer> {
    const sha256 = this.sha256Of(file);
    return sha256 === undefined ? await this.base.read(file) : await readFile(await this.texts.blobs.locate(sha256));
  }

  settingsOf(file: string): StateSettings {
    return this.base.settingsOf(file);
  }

  policyOf(file: string): PolicyRead | undefined {
    return this.base.policyOf(file);
  }

  positionOf(file: string, line?: number): string {
    if (this.sha256Of(file) === undefined) return this.base.positionOf(file, line);
    return `${file} as replaced for this run${line === undefined ? '' : `:${line}`}`;
  }

  scriptPath(file: string, folder: string): Promise<string> {
    return this.base.scriptPath(file, folder);
  }

  hash(): Promise<string> {
    return this.base.hash();
  }

  manifest(): Promise<ParsedManifest | undefined> {
    return this.base.manifest();
  }

  private sha256Of(file: string): string | undefined {
    const { replaced } = this.texts;
    return Object.hasOwn(replaced, file) ? replaced[file] : undefined;
  }
}

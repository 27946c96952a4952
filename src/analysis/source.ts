// Reads an opened package into memory, as its author wrote it: every file with its positions. The only part of the analysis that reads
// the package; it decides nothing.
import { ScopeError, decodeText, readWhole } from '../packages/error.js';
import type { Manifest } from '../packages/manifest.js';
import { MANIFEST_FILE } from '../packages/manifest.js';
import { MAX_YAML_BYTES, type ScopeReader } from '../packages/package.js';
import type { StateSettings } from '../packages/packed.js';
import type { Scope } from '../protocol/machine/agent.js';
import { executorOf, stateFiles, type Folder, type Platform } from '../protocol/language/resolve.js';
import { originOf } from '../protocol/scope.js';
import { readScriptHeader } from '../protocol/language/state-file.js';
import { manifestSource, YamlSource, type ManifestSource } from './yaml-source.js';
import { PlacedText, type Locate, type Position } from './position.js';
import { faultsOf, readPromptFile, type Fault, type PromptSource, type WrittenKey } from './prompt-source.js';
import { readScript, type ScriptSource } from './script-source.js';

/** A file of a package. */
export type SourceFile = { readonly file: string; readonly at: Position } & (
  | { readonly kind: 'prompt'; readonly prompt: PromptSource; readonly raw: PlacedText }
  | {
      readonly kind: 'script';
      readonly script: ScriptSource;
      readonly raw: PlacedText;
      readonly settings: StateSettings;
      readonly faults: readonly Fault[];
      /** The keys beside it, in YAML. */
      readonly keys: readonly WrittenKey[];
    }
  | { readonly kind: 'other'; readonly raw?: PlacedText }
  | { readonly kind: 'unreadable'; readonly why: string; readonly isText: boolean }
);

/** A package as written. */
export interface Source {
  readonly scope: Scope;
  readonly path: string;
  readonly folder: Folder;
  readonly files: ReadonlyMap<string, SourceFile>;
  readonly manifest?: ManifestSource;
  /** What the engine makes of it. */
  readonly understood?: Manifest;
  /** The text of a file by the path in its positions, for whoever shows a line of it. */
  readonly textOf: (path: string) => string | undefined;
}

/** What else is read of a file that is no state: enough for a list or a note. */
const MAX_OTHER_BYTES = 256 * 1024;

/** Reads all files of `reader`. Throws a `ScopeError` for a package that is not there or is no package. */
export async function readSource(
  reader: ScopeReader,
  { scope, platform }: { readonly scope: Scope; readonly platform: Platform },
): Promise<Source> {
  const path = shownAs(scope);
  const names = await reader.list();
  const yaml = scope.kind === 'yaml' ? await yamlSourceOf(scope) : undefined;
  const context = { reader, path, yaml };
  const files = await Promise.all(names.map((name) => readFile(name, context)));
  const manifest = yaml?.manifest ?? (await manifestOf(reader, path, names));
  const understood = await reader.manifest().catch((error: unknown) => {
    if (error instanceof ScopeError) return undefined; // its faults stand in `manifest`
    throw error;
  });
  return {
    scope,
    path,
    folder: { files: names, kind: scope.kind, platform },
    files: new Map(files.map((file) => [file.file, file])),
    ...(manifest === undefined ? {} : { manifest }),
    ...(understood === undefined ? {} : { understood: understood.manifest }),
    textOf: (shown) => (yaml === undefined ? rawOf(files, { path, shown }) : yaml.text),
  };
}

/** A package from the web is shown by its address, without what may be a secret in it. */
function shownAs(scope: Scope): string {
  return scope.kind === 'zip' && scope.url !== undefined ? scope.url.replace(/[?#].*$/, '') : originOf(scope);
}

function rawOf(
  files: readonly SourceFile[],
  { path, shown }: { readonly path: string; readonly shown: string },
): string | undefined {
  const file = files.find((one) => `${path}/${one.file}` === shown);
  return file !== undefined && 'raw' in file ? file.raw.text : undefined;
}

async function yamlSourceOf(scope: Scope): Promise<YamlSource | undefined> {
  // A copy that travels with its run is no longer the author's file.
  if (scope.kind !== 'yaml' || scope.stored !== undefined) return undefined;
  const file = originOf(scope);
  return new YamlSource(decodeText(file, await readWhole(scope.path, MAX_YAML_BYTES)), file);
}

async function manifestOf(
  reader: ScopeReader,
  path: string,
  names: readonly string[],
): Promise<ManifestSource | undefined> {
  if (!names.includes(MANIFEST_FILE)) return undefined;
  const file = `${path}/${MANIFEST_FILE}`;
  return manifestSource(decodeText(file, await reader.read(MANIFEST_FILE)), file);
}

interface FileContext {
  readonly reader: ScopeReader;
  readonly path: string;
  readonly yaml: YamlSource | undefined;
}

async function readFile(file: string, { reader, path, yaml }: FileContext): Promise<SourceFile> {
  const shown = yaml === undefined ? `${path}/${file}` : path;
  const state = yaml?.stateOf(file);
  const locate: Locate = state?.locate ?? ((line, column) => ({ file: shown, line, column }));
  const at = state?.at ?? locate(1, 1);
  const isState = stateFiles([file]).length > 0 && file !== 'README.md';
  const read = await textOf(reader, { file, shown, isState });
  if (typeof read !== 'string') return { file, at, ...read };
  if (!isState) return { kind: 'other', file, at, raw: new PlacedText(read, locate) };
  const raw = new PlacedText(read, locate);
  if (executorOf(file) === 'prompt') {
    const prompt = state === undefined ? readPromptFile(read, locate) : { body: raw, ...state.policy };
    return { kind: 'prompt', file, at, prompt, raw };
  }
  const header = readScriptHeader(read, file);
  return {
    kind: 'script',
    file,
    at,
    raw,
    script: readScript(read, file),
    settings: { ...(header.kind === 'header' ? header.settings : {}), ...reader.settingsOf(file) },
    faults: header.kind === 'invalid' ? faultsOf(header.problems, locate) : [],
    keys: state?.policy.keys ?? [],
  };
}

type NotRead =
  { readonly kind: 'unreadable'; readonly why: string; readonly isText: boolean } | { readonly kind: 'other' };

async function textOf(
  reader: ScopeReader,
  { file, shown, isState }: { readonly file: string; readonly shown: string; readonly isState: boolean },
): Promise<string | NotRead> {
  try {
    const bytes = await reader.read(file);
    if (!isState && bytes.length > MAX_OTHER_BYTES) return { kind: 'other' };
    return decoded(bytes) ?? (isState ? notText(shown) : { kind: 'other' });
  } catch (error) {
    if (!(error instanceof ScopeError)) throw error;
    return isState ? { kind: 'unreadable', why: error.message, isText: true } : { kind: 'other' };
  }
}

function decoded(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function notText(shown: string): NotRead {
  return { kind: 'unreadable', why: `${shown} is not UTF-8 text; save it as UTF-8`, isText: false };
}

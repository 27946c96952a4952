// Reads a package into memory as its author wrote it: every file with positions. The only part of the analysis that reads the files of the
// package.
import { ScopeError, decodeText, readWhole } from '../packages/error.js';
import type { Manifest } from '../packages/manifest.js';
import { MANIFEST_FILE } from '../packages/manifest.js';
import { MAX_YAML_BYTES } from '../packages/limits.js';
import type { ScopeReader, StateSettings } from '../packages/package.js';
import { resultOfPolicy } from '../packages/result-schema.js';
import { type Scope, originOf } from '../protocol/scope.js';
import { executorOf, stateFiles, type Folder, type Platform } from '../protocol/language/resolve.js';
import { defined } from '../protocol/text.js';
import { readScriptHeader } from '../protocol/language/state-file.js';
import { manifestSource, YamlSource, type ManifestSource } from './yaml-source.js';
import { PositionedText, type Locate, type Position } from './position.js';
import {
  sourceProblems,
  readPromptFile,
  type SourceProblem,
  type PromptSource,
  type SourceKey,
} from './prompt-source.js';
import { readScript, type ScriptSource } from './script/source.js';

/** A file of a package. */
export type SourceFile = { readonly file: string; readonly at: Position } & (
  | { readonly kind: 'prompt'; readonly prompt: PromptSource; readonly raw: PositionedText }
  | {
      readonly kind: 'script';
      readonly script: ScriptSource;
      readonly raw: PositionedText;
      readonly settings: StateSettings;
      readonly faults: readonly SourceProblem[];
      /** Words of its header that have no effect. */
      readonly ignored: readonly SourceProblem[];
      /** True if it begins with a byte order mark. */
      readonly hasMark: boolean;
      /** The keys beside it, in YAML. */
      readonly keys: readonly SourceKey[];
    }
  | { readonly kind: 'other'; readonly raw?: PositionedText }
  | { readonly kind: 'unreadable'; readonly why: string; readonly isText: boolean }
);

/** A package as written. */
export interface Source {
  readonly scope: Scope;
  readonly path: string;
  readonly folder: Folder;
  readonly files: ReadonlyMap<string, SourceFile>;
  readonly manifest?: ManifestSource;
  /** The manifest as the engine parsed it; absent if it has problems. */
  readonly parsedManifest?: Manifest;
  /** The text of a file by the path in its positions, for messages that quote a line. */
  readonly textOf: (path: string) => string | undefined;
}

/** A larger file that is not a state is not read: rules only search lists and notes. */
const MAX_OTHER_BYTES = 256 * 1024;

/** Reads all files of a package. Throws a `ScopeError` if it does not exist or is not a package. */
export async function readSource(
  reader: ScopeReader,
  { scope, platform }: { readonly scope: Scope; readonly platform: Platform },
): Promise<Source> {
  const path = displayPathOf(scope);
  const names = await reader.list();
  const yaml = scope.kind === 'yaml' ? await yamlSourceOf(scope) : undefined;
  const context = { reader, path, yaml };
  const files = await withNamedPrompts(await Promise.all(names.map((name) => readFile(name, context))), context);
  const manifest = yaml?.manifest ?? (await manifestOf(reader, path, names));
  const parsedManifest = await reader.manifest().catch((error: unknown) => {
    if (error instanceof ScopeError) return undefined; // `manifest` has its problems
    throw error;
  });
  return {
    scope,
    path,
    folder: { files: names, kind: scope.kind, platform },
    files: new Map(files.map((file) => [file.file, file])),
    ...(manifest === undefined ? {} : { manifest }),
    ...(parsedManifest === undefined ? {} : { parsedManifest: parsedManifest.manifest }),
    textOf: (displayPath) => (yaml === undefined ? rawOf(files, { path, displayPath }) : yaml.text),
  };
}

/** A downloaded package is shown by its URL without the query, which may contain a secret. */
function displayPathOf(scope: Scope): string {
  return scope.kind === 'zip' && scope.url !== undefined ? scope.url.replace(/[?#].*$/, '') : originOf(scope);
}

function rawOf(
  files: readonly SourceFile[],
  { path, displayPath }: { readonly path: string; readonly displayPath: string },
): string | undefined {
  const file = files.find((candidate) => `${path}/${candidate.file}` === displayPath);
  return file !== undefined && 'raw' in file ? file.raw.text : undefined;
}

async function yamlSourceOf(scope: Scope): Promise<YamlSource | undefined> {
  // A stored copy is not the author's file, so positions in it would not help.
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

/** The files; one with the extension of no state, such as `NOTES.txt`, is a prompt if a tag contains its name. */
async function withNamedPrompts(files: readonly SourceFile[], context: FileContext): Promise<readonly SourceFile[]> {
  const named = new Set(
    files.flatMap((file) => ('raw' in file && file.kind !== 'other' ? namesInTags(file.raw.text) : [])),
  );
  return await Promise.all(
    files.map(async (file) => {
      const isPrompt = file.kind === 'other' && file.raw !== undefined && named.has(file.file);
      return isPrompt ? await readFile(file.file, { ...context, isState: true }) : file;
    }),
  );
}

/** What stands between an opening and a closing tag, or in `next`, as a name would. */
function namesInTags(text: string): readonly string[] {
  const found = text.matchAll(/>([^<>"\n]{1,255})(?=<\/)|next="([^<>"\n]{1,255})"/g);
  return [...found].map(([, body, next]) => body ?? next ?? '');
}

async function readFile(
  file: string,
  {
    reader,
    path,
    yaml,
    isState = stateFiles([file]).length > 0 && file !== 'README.md',
  }: FileContext & { readonly isState?: boolean },
): Promise<SourceFile> {
  const displayPath = yaml === undefined ? `${path}/${file}` : path;
  const state = yaml?.stateOf(file);
  const inFile: Locate = (line, column) => ({ file: displayPath, line, column });
  const locate = state?.locate ?? inFile;
  const at = state?.at ?? locate(1, 1);
  const read = await textOf(reader, { file, displayPath, isState });
  if (typeof read !== 'string') return { file, at, ...read };
  if (!isState) return { kind: 'other', file, at, raw: new PositionedText(read, locate) };
  const raw = new PositionedText(read, locate);
  if (executorOf(file) === 'prompt') {
    const prompt = state === undefined ? readPromptFile(read, locate) : { body: raw, ...state.policy };
    return { kind: 'prompt', file, at, prompt: await withSchema(prompt, { reader, locate: inFile }), raw };
  }
  const header = readScriptHeader(read, file);
  return {
    kind: 'script',
    file,
    at,
    raw,
    script: await readScript(read, file),
    settings: { ...(header.kind === 'header' ? header.settings : {}), ...reader.settingsOf(file) },
    faults: header.kind === 'invalid' ? sourceProblems(header.problems, locate) : [],
    ignored: header.kind === 'header' ? sourceProblems(header.warnings, locate) : [],
    hasMark: yaml === undefined && (await reader.read(file)).subarray(0, 3).toString('hex') === 'efbbbf',
    keys: state?.policy.keys ?? [],
  };
}

/** The prompt with the schema of its result, or with what is wrong with it. */
async function withSchema(
  prompt: PromptSource,
  { reader, locate }: { readonly reader: ScopeReader; readonly locate: Locate },
): Promise<PromptSource> {
  const { policy, keys, problems } = prompt;
  if (policy === undefined) return prompt;
  try {
    const check = await resultOfPolicy(policy, (file) => reader.read(file));
    return { ...prompt, ...defined({ resultSchema: check?.schema }) };
  } catch (error) {
    if (!(error instanceof ScopeError)) throw error;
    const at = keys.find(({ key }) => key === 'result')?.valueAt ?? prompt.body.at(0);
    const found =
      error.problems.length > 0
        ? sourceProblems(error.problems, locate).map((found) => (found.at.line === at.line ? { ...found, at } : found))
        : [{ text: `result: ${error.message}`, at, path: ['result'] }];
    return { ...prompt, problems: [...problems, ...found] };
  }
}

type UnreadFile =
  { readonly kind: 'unreadable'; readonly why: string; readonly isText: boolean } | { readonly kind: 'other' };

async function textOf(
  reader: ScopeReader,
  { file, displayPath, isState }: { readonly file: string; readonly displayPath: string; readonly isState: boolean },
): Promise<string | UnreadFile> {
  try {
    const bytes = await reader.read(file);
    if (!isState && bytes.length > MAX_OTHER_BYTES) return { kind: 'other' };
    return decodeUtf8(bytes) ?? (isState ? notUtf8(displayPath) : { kind: 'other' });
  } catch (error) {
    if (!(error instanceof ScopeError)) throw error;
    return isState ? { kind: 'unreadable', why: error.message, isText: true } : { kind: 'other' };
  }
}

function decodeUtf8(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function notUtf8(displayPath: string): UnreadFile {
  return { kind: 'unreadable', why: `${displayPath} is not UTF-8 text; save it as UTF-8`, isText: false };
}

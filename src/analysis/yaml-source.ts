// The positions of states and manifest keys in a package that is one YAML file. The engine's own parser (packages/yaml.ts) has accepted
// the file before. Pure.
import { isScalar } from 'yaml';
import { ScopeError } from '../packages/error.js';
import { BODY_KEYS } from '../packages/yaml.js';
import { YamlText } from '../packages/yaml-document.js';
import type { YamlEntry } from '../packages/yaml-parse.js';
import { FRONTMATTER_KEYS } from '../protocol/language/state-file.js';
import { parseManifest } from '../packages/manifest.js';
import type { Locate, Position } from './position.js';
import {
  sourceProblems,
  keysOf,
  policySource,
  type SourceProblem,
  type PromptSource,
  type SourceKey,
} from './prompt-source.js';

/** The keys of a manifest, or the top-level keys of a YAML package. */
export interface ManifestSource {
  readonly file: string;
  readonly keys: readonly SourceKey[];
  readonly input: readonly SourceKey[];
  readonly faults: readonly SourceProblem[];
}

/** A state of a YAML package. */
interface YamlState {
  readonly at: Position;
  /** Maps lines and columns of its text to the file. */
  readonly locate: Locate;
  readonly policy: Omit<PromptSource, 'body'>;
}

/** A package that is one YAML file. */
export class YamlSource {
  readonly manifest: ManifestSource;
  private readonly yaml: YamlText;
  private readonly states: ReadonlyMap<string, YamlEntry>;
  private readonly locate: Locate;
  private readonly lines: readonly string[];

  constructor(
    readonly text: string,
    file: string,
  ) {
    this.yaml = new YamlText(text, { positionText: String });
    this.locate = (line, column) => ({ file, line, column });
    this.lines = text.split('\n');
    const top = this.yaml.top();
    const states = top.find(({ key }) => key === 'states');
    this.states = new Map((this.yaml.entriesOf(states?.value) ?? []).map((entry) => [entry.key, entry]));
    this.manifest = manifestKeys(this.yaml, { file, entries: top.filter((entry) => entry !== states) });
  }

  /** The state that a virtual file, such as `NAME.sh`, represents. */
  stateOf(file: string): YamlState | undefined {
    const [, name = '', extension = ''] = /^(.*)\.(\w+)$/.exec(file) ?? [];
    const entry = this.states.get(name);
    if (entry === undefined) return undefined;
    const entries = this.yaml.entriesOf(entry.value) ?? [];
    const key = extension === 'md' ? 'prompt' : extension;
    const { line, column } = this.yaml.positions.spotAt(entry.offset);
    return {
      at: this.locate(line, column),
      locate: this.locateBody(entries.find((candidate) => candidate.key === key)?.value),
      policy: policySource(this.yaml, {
        entries: entries.filter((candidate) => isPolicyKey(candidate.key) || !isBodyKey(candidate.key)),
        locate: this.locate,
      }),
    };
  }

  /** A literal block contains the text line by line, indented; of any other scalar only the start is known. */
  private locateBody(node: unknown): Locate {
    const { line: firstLine, inOrder } = this.yaml.positionOf(node);
    const start = isScalar(node) ? this.yaml.positions.spotOf(node) : undefined;
    const indent = /^ */.exec(this.lines[firstLine - 1] ?? '')?.[0].length ?? 0;
    if (inOrder) return (line, column) => this.locate(firstLine + line - 1, column + indent);
    return (line, column) => this.locate(firstLine, (start?.column ?? 1) + (line === 1 ? column - 1 : 0));
  }
}

function isBodyKey(key: string): boolean {
  return BODY_KEYS.includes(key) || key === 'retries';
}

function isPolicyKey(key: string): boolean {
  return (FRONTMATTER_KEYS as readonly string[]).includes(key);
}

/** Reads a `workflow.yaml`; undefined if it is a package itself. */
export function manifestSource(text: string, file: string): ManifestSource | undefined {
  const locate: Locate = (line, column) => ({ file, line, column });
  try {
    if (parseManifest(text, file) === undefined) return undefined;
    const yaml = new YamlText(text, { positionText: String });
    return manifestKeys(yaml, { file, entries: yaml.top() });
  } catch (error) {
    if (!(error instanceof ScopeError)) throw error;
    return { file, keys: [], input: [], faults: sourceProblems(error.problems, locate) };
  }
}

function manifestKeys(
  yaml: YamlText,
  { file, entries }: { readonly file: string; readonly entries: readonly YamlEntry[] },
): ManifestSource {
  const locate: Locate = (line, column) => ({ file, line, column });
  const input = entries.find(({ key }) => key === 'input');
  const inner = yaml.entriesOf(input?.value) ?? [];
  return { file, keys: keysOf(yaml, { entries, locate }), input: keysOf(yaml, { entries: inner, locate }), faults: [] };
}

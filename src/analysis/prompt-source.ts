// A prompt as its author wrote it, with positions: its text, the keys of its policy, the entries of `allowed_transitions` as mentions. It also
// reads prompts that the engine rejects; the problems come from the engine's own parser (packages/frontmatter.ts). Pure.
import { ScopeError } from '../packages/error.js';
import { readPolicy, type PolicyRead } from '../packages/frontmatter.js';
import { YamlText } from '../packages/yaml-document.js';
import type { YamlEntry } from '../packages/yaml-parse.js';
import { NO_POLICY, type JsonObject, type Policy } from '../protocol/language/policy.js';
import { lostFrontmatter, splitPrompt, type LineProblem } from '../protocol/language/state-file.js';

import type { TagName } from '../protocol/language/tag.js';
import { isTagName, mentionsIn, type Mention, type SourceText } from './mention.js';
import { PositionedText, type Locate, type Position } from './position.js';

/** A key with its value as texts, lists and objects. */
export interface SourceKey {
  readonly key: string;
  readonly value: unknown;
  readonly at: Position;
  readonly valueAt: Position;
}

/** A problem of a text and its position; `path` = the path of YAML keys. */
export interface SourceProblem {
  readonly text: string;
  readonly at: Position;
  readonly path: readonly PropertyKey[];
}

/** A prompt with positions. */
export interface PromptSource {
  readonly body: PositionedText;
  readonly keys: readonly SourceKey[];
  /** The entries of `allowed_transitions` whose tags exist. */
  readonly entries: readonly Mention[];
  /** The replacements in its `evaluate`: tags, and the call of a judge. */
  readonly evaluators: readonly Mention[];
  /** Absent if the engine rejects it. */
  readonly policy?: Policy;
  readonly problems: readonly SourceProblem[];
  /** The JSON schema of its result, if it has one that can be used. */
  readonly resultSchema?: JsonObject;
  /** A block that looks like frontmatter but is not read as such: where it starts, and why. */
  readonly misplacedFrontmatter?: { readonly kind: 'not-at-top' | 'not-closed'; readonly at: Position };
}

/** Reads a prompt file: its frontmatter and its body. */
export function readPromptFile(text: string, locate: Locate): PromptSource {
  const plain = text.replaceAll('\r\n', '\n');
  const { frontmatter, body } = splitPrompt(plain);
  const linesAbove = plain.slice(0, plain.length - body.length).split('\n').length - 1;
  const positionedBody = new PositionedText(body, (line, column) => locate(line + linesAbove, column));
  if (frontmatter === undefined) {
    const misplacedFrontmatter = lostFrontmatter(body);
    const empty = { body: positionedBody, keys: [], entries: [], evaluators: [], problems: [] };
    if (misplacedFrontmatter === undefined) return { ...empty, policy: NO_POLICY };
    const { kind, line } = misplacedFrontmatter;
    return { ...empty, misplacedFrontmatter: { kind, at: locate(line, 1) } };
  }
  return { body: positionedBody, ...readFrontmatter(frontmatter, locate) };
}

type PolicySource = Omit<PromptSource, 'body' | 'lost'>;

function readFrontmatter(frontmatter: string, locate: Locate): PolicySource {
  try {
    const yaml = new YamlText(frontmatter, {
      positionText: String,
      firstLine: 2,
      tooLong: 'write the prompt below it',
    });
    if (yaml.isEmpty) return { keys: [], entries: [], evaluators: [], problems: [], policy: NO_POLICY };
    return policySource(yaml, {
      entries: yaml.top('the frontmatter must consist of keys and values, such as "model: haiku"'),
      locate,
    });
  } catch (error) {
    if (!(error instanceof ScopeError)) throw error;
    return { keys: [], entries: [], evaluators: [], problems: sourceProblems(error.problems, locate) };
  }
}

/** Reads the keys of a policy from a frontmatter or from a YAML state. */
export function policySource(
  yaml: YamlText,
  { entries, locate }: { readonly entries: readonly YamlEntry[]; readonly locate: Locate },
): PolicySource {
  const read: PolicyRead = readPolicy(yaml, entries);
  return {
    keys: keysOf(yaml, { entries, locate }),
    entries: entriesOf(yaml, { entries, locate }),
    evaluators: evaluatorsOf(yaml, { entries, locate }),
    problems: read.kind === 'invalid' ? sourceProblems(read.problems, locate) : [],
    ...(read.kind === 'invalid' ? {} : { policy: read.policy }),
  };
}

/** Adds positions to problems that have only a line. */
export function sourceProblems(problems: readonly LineProblem[], locate: Locate): readonly SourceProblem[] {
  return problems.map(({ line, text, path = [] }) => ({ text, at: locate(line, 1), path }));
}

interface KeyContext {
  readonly entries: readonly YamlEntry[];
  readonly locate: Locate;
}

/** Adds positions to the keys of a mapping. */
export function keysOf(yaml: YamlText, { entries, locate }: KeyContext): readonly SourceKey[] {
  return entries.map(({ key, value, offset }) => {
    const at = positionAt(locate, yaml.positions.spotAt(offset));
    const valuePosition = yaml.positions.spotOf(value);
    return {
      key,
      value: yaml.plain(value),
      at,
      valueAt: valuePosition === undefined ? at : positionAt(locate, valuePosition),
    };
  });
}

function positionAt(locate: Locate, { line, column }: { readonly line: number; readonly column: number }): Position {
  return locate(line, column);
}

/** The entries of a policy; a schema without any allows only a result. */
function entriesOf(yaml: YamlText, context: KeyContext): readonly Mention[] {
  const written = writtenEntries(yaml, context);
  const result = context.entries.find(({ key }) => key === 'result');
  if (written.length > 0 || result === undefined) return written;
  return [
    mentionOf('result', { written: new Map(), at: positionAt(context.locate, yaml.positions.spotAt(result.offset)) }),
  ];
}

function writtenEntries(yaml: YamlText, { entries, locate }: KeyContext): readonly Mention[] {
  const list = entries.find(({ key }) => key === 'allowed_transitions');
  return (yaml.itemsOf(list?.value) ?? []).flatMap((item): readonly Mention[] => {
    const inner = yaml.entriesOf(item);
    if (inner === undefined) return [];
    const keys = keysOf(yaml, { entries: inner, locate });
    const values = new Map(
      keys.flatMap((key) => (typeof key.value === 'string' ? [[key.key, { ...key, value: key.value }]] : [])),
    );
    const tag = values.get('tag')?.value.trim();
    const first = keys[0]?.at;
    return tag === undefined || first === undefined || !isTagName(tag)
      ? []
      : [mentionOf(tag, { written: values, at: first })];
  });
}

function evaluatorsOf(yaml: YamlText, { entries, locate }: KeyContext): readonly Mention[] {
  const list = entries.find(({ key }) => key === 'evaluate');
  return (yaml.itemsOf(list?.value) ?? []).flatMap((item): readonly Mention[] =>
    keysOf(yaml, { entries: yaml.entriesOf(item) ?? [], locate }).flatMap(({ key, value, at, valueAt }) => {
      if (typeof value !== 'string') return [];
      if (key === 'state') return [mentionOf('function', { written: judgeCall({ value, at, valueAt }), at })];
      const after = (index: number): Position => ({ ...valueAt, column: valueAt.column + index });
      return key === 'transition' ? mentionsIn({ text: value, source: 'policy', at: after }) : [];
    }),
  );
}

/** A judge gets the output and the transition like attributes. */
function judgeCall(state: Written): EntryValues {
  const given = { ...state, value: '' };
  return new Map([
    ['target', state],
    ['output', given],
    ['transition', given],
  ]);
}

interface Written {
  readonly value: string;
  readonly at: Position;
  readonly valueAt: Position;
}

type EntryValues = ReadonlyMap<string, Written>;

function mentionOf(tag: TagName, { written, at }: { readonly written: EntryValues; readonly at: Position }): Mention {
  const key = tag === 'result' ? 'payload' : tag === 'ask' ? 'prompt' : 'target';
  const bodyKey = written.get(key);
  const body: SourceText | undefined = bodyKey && { value: bodyKey.value.trim(), at: bodyKey.valueAt };
  const attributes = [...written].filter(([name]) => name !== 'tag' && name !== key);
  return {
    tag,
    source: 'policy',
    at,
    ...(body === undefined ? {} : { body }),
    attributes: new Map(attributes),
    repeated: [],
    fenced: false,
    inCode: false,
  };
}

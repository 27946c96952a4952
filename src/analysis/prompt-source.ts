// A prompt as its author wrote it, with positions: its text, the keys of its policy, the entries of `allowed_transitions` as mentions. It
// reads what the engine's own reader (packages/frontmatter.ts) refuses, too, and takes that reader's word for what is wrong. Pure.
import { ScopeError } from '../packages/error.js';
import { readPolicy, type PolicyRead } from '../packages/frontmatter.js';
import { YamlText } from '../packages/yaml-document.js';
import type { YamlEntry } from '../packages/yaml-parse.js';
import type { Policy } from '../protocol/language/policy.js';
import { lostFrontmatter, splitPrompt, type LineProblem } from '../protocol/language/state-file.js';
import { TAG_NAMES } from '../protocol/language/tag-table.js';
import type { TagName } from '../protocol/language/tag.js';
import type { Mention, Written } from './mention.js';
import { PlacedText, type Locate, type Position } from './position.js';

/** A key and what stands behind it, as texts, lists and objects. */
export interface WrittenKey {
  readonly key: string;
  readonly value: unknown;
  readonly at: Position;
  readonly valueAt: Position;
}

/** What is wrong with a text, and where; `path` = where in the keys of YAML. */
export interface Fault {
  readonly text: string;
  readonly at: Position;
  readonly path: readonly PropertyKey[];
}

/** A prompt as written. */
export interface PromptSource {
  readonly body: PlacedText;
  readonly keys: readonly WrittenKey[];
  /** The entries of `allowed_transitions` whose tags exist. */
  readonly entries: readonly Mention[];
  /** Absent when the engine refuses it. */
  readonly policy?: Policy;
  readonly faults: readonly Fault[];
  /** Where a block begins that was meant to be frontmatter and is none, and why. */
  readonly lost?: { readonly kind: 'not-at-top' | 'not-closed'; readonly at: Position };
}

/** Reads a prompt's file: a frontmatter, and the text below it. */
export function readPromptFile(text: string, locate: Locate): PromptSource {
  const plain = text.replaceAll('\r\n', '\n');
  const { frontmatter, body } = splitPrompt(plain);
  const above = plain.slice(0, plain.length - body.length).split('\n').length - 1;
  const placed = new PlacedText(body, (line, column) => locate(line + above, column));
  if (frontmatter === undefined) {
    const lost = lostFrontmatter(body);
    const told = lost === undefined ? {} : { lost: { kind: lost.kind, at: locate(lost.line, 1) } };
    return {
      body: placed,
      keys: [],
      entries: [],
      faults: [],
      ...(lost === undefined ? { policy: NOTHING } : {}),
      ...told,
    };
  }
  return { body: placed, ...readFrontmatter(frontmatter, locate) };
}

const NOTHING: Policy = { allowed: [], forceImplicit: false };

type Head = Omit<PromptSource, 'body' | 'lost'>;

function readFrontmatter(frontmatter: string, locate: Locate): Head {
  try {
    const yaml = new YamlText(frontmatter, { place: String, firstLine: 2, tooLong: 'a prompt belongs below it' });
    if (yaml.isEmpty) return { keys: [], entries: [], faults: [], policy: NOTHING };
    return policySource(yaml, {
      entries: yaml.top('the frontmatter must consist of keys and values, such as "model: haiku"'),
      locate,
    });
  } catch (error) {
    if (!(error instanceof ScopeError)) throw error;
    return { keys: [], entries: [], faults: faultsOf(error.problems, locate) };
  }
}

/** Reads the keys of a policy, wherever in YAML they stand. */
export function policySource(
  yaml: YamlText,
  { entries, locate }: { readonly entries: readonly YamlEntry[]; readonly locate: Locate },
): Head {
  const read: PolicyRead = readPolicy(yaml, entries);
  return {
    keys: keysOf(yaml, { entries, locate }),
    entries: entriesOf(yaml, { entries, locate }),
    faults: read.kind === 'invalid' ? faultsOf(read.problems, locate) : [],
    ...(read.kind === 'invalid' ? {} : { policy: read.policy }),
  };
}

/** Problems of lines as faults at these lines. */
export function faultsOf(problems: readonly LineProblem[], locate: Locate): readonly Fault[] {
  return problems.map(({ line, text, path = [] }) => ({ text, at: locate(line, 1), path }));
}

interface KeysIn {
  readonly entries: readonly YamlEntry[];
  readonly locate: Locate;
}

/** Keys with their positions. */
export function keysOf(yaml: YamlText, { entries, locate }: KeysIn): readonly WrittenKey[] {
  return entries.map(({ key, value, offset }) => {
    const at = spot(locate, yaml.places.spotAt(offset));
    const valueSpot = yaml.places.spotOf(value);
    return { key, value: yaml.plain(value), at, valueAt: valueSpot === undefined ? at : spot(locate, valueSpot) };
  });
}

function spot(locate: Locate, { line, column }: { readonly line: number; readonly column: number }): Position {
  return locate(line, column);
}

function entriesOf(yaml: YamlText, { entries, locate }: KeysIn): readonly Mention[] {
  const list = entries.find(({ key }) => key === 'allowed_transitions');
  return (yaml.itemsOf(list?.value) ?? []).flatMap((item): readonly Mention[] => {
    const inner = yaml.entriesOf(item);
    if (inner === undefined) return [];
    const keys = keysOf(yaml, { entries: inner, locate });
    const written = new Map(
      keys.flatMap((key) => (typeof key.value === 'string' ? [[key.key, { ...key, value: key.value }]] : [])),
    );
    const tag = written.get('tag')?.value.trim();
    const first = keys[0]?.at;
    return tag === undefined || first === undefined || !isTag(tag) ? [] : [mentionOf(tag, { written, at: first })];
  });
}

function isTag(name: string): name is TagName {
  return TAG_NAMES.includes(name);
}

type WrittenEntry = ReadonlyMap<string, { readonly value: string; readonly at: Position; readonly valueAt: Position }>;

function mentionOf(tag: TagName, { written, at }: { readonly written: WrittenEntry; readonly at: Position }): Mention {
  const key = tag === 'result' ? 'payload' : tag === 'ask' ? 'prompt' : 'target';
  const said = written.get(key);
  const body: Written | undefined = said && { value: said.value.trim(), at: said.valueAt };
  const attributes = [...written].filter(([name]) => name !== 'tag' && name !== key);
  return {
    tag,
    source: 'policy',
    at,
    ...(body === undefined ? {} : { body }),
    attributes: new Map(attributes),
    repeated: [],
    fenced: false,
  };
}

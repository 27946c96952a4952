// A YAML file whose scalars are all text as it was written, where every part is known by its line, no key is there twice and every
// alias has its target. Does no more work than the size of the file deserves: the parser has no limits of its own.
import {
  Lexer,
  Scalar,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  parseDocument,
  visit,
  type Alias,
  type Document,
  type Node,
  type YAMLMap,
} from 'yaml';
import type { z } from 'zod';
import type { ScopeError } from './error.js';
import { MAX_PACKAGE_BYTES, MAX_YAML_BYTES, MAX_YAML_DEPTH, MAX_YAML_TOKENS } from './package.js';
import { YamlPlaces } from './yaml-fields.js';

/** What a schema made of some entries, or the mistakes, each `file:line: …`. */
type YamlRead<T> =
  { readonly kind: 'read'; readonly data: T } | { readonly kind: 'mistaken'; readonly notes: readonly string[] };

/** About what a value takes in memory beside its text. */
const NODE_BYTES = 64;

const SHOWN_MISTAKES = 20;

/** A file that is YAML. */
export class YamlText {
  /** Where its parts stand. */
  readonly places: YamlPlaces;
  private readonly parsed: ParsedYaml;
  private spent = 0;

  /** Parses `text`; `file` is how messages call it. Throws `InvalidYaml`, or `TooLarge` for what would take too long. */
  constructor(text: string, file: string) {
    this.places = new YamlPlaces(file);
    this.parsed = parseYamlText(text, this.places);
  }

  /** What the parser found strange. */
  get warnings(): readonly string[] {
    return this.parsed.document.warnings.map(({ pos, message }) =>
      this.places.note(this.places.lineAt(pos[0]), message),
    );
  }

  /** The keys at the top, in their order. */
  top(): readonly YamlEntry[] {
    const entries = this.entriesOf(this.parsed.document.contents);
    if (entries === undefined)
      throw this.places.mistake(1, 'a workflow file consists of keys and values, such as "states:"');
    return entries;
  }

  /** The keys of a mapping, those that it takes over with `<<` included; undefined when `node` is none. */
  entriesOf(node: unknown, depth = 0): readonly YamlEntry[] | undefined {
    const map = this.target(node);
    if (!isMap(map)) return undefined;
    if (depth > MAX_YAML_DEPTH) throw this.tooDeep(node);
    const all = writtenEntries(map, this.places);
    const own = all.filter(({ key }) => key !== MERGE);
    const keys = new Set(own.map(({ key }) => key));
    const taken = all.filter(({ key }) => key === MERGE).flatMap(({ value }) => this.taken(value, depth + 1));
    this.spend(map, { nodes: 1 + all.length + taken.length });
    return [...own, ...taken.filter(({ key }) => !keys.has(key) && keys.add(key))];
  }

  /** The items of a list, undefined when `node` is none. */
  itemsOf(node: unknown): readonly unknown[] | undefined {
    const list = this.target(node);
    return isSeq(list) ? list.items : undefined;
  }

  /** What `node` holds as texts, lists and objects. */
  plain(node: unknown, depth = 0): unknown {
    const found = this.target(node);
    if (depth > MAX_YAML_DEPTH) throw this.tooDeep(node);
    if (isSeq(found)) {
      this.spend(found, { nodes: 1 + found.items.length });
      return found.items.map((item) => this.plain(item, depth + 1));
    }
    const entries = this.entriesOf(found);
    if (entries === undefined) return this.textOf(found);
    return Object.fromEntries(entries.map(({ key, value }) => [key, this.plain(value, depth + 1)]));
  }

  /** Entries as a schema understands them; those without a value are left out. */
  read<T>(schema: z.ZodType<T>, entries: readonly YamlEntry[]): YamlRead<T> {
    const given = entries.filter(({ value }) => !this.isNothing(value));
    const read = schema.safeParse(Object.fromEntries(given.map(({ key, value }) => [key, this.plain(value)])));
    if (read.success) return { kind: 'read', data: read.data };
    const notes = read.error.issues.slice(0, SHOWN_MISTAKES).map(({ path: [first, ...rest], message }) => {
      const entry = given.find(({ key }) => key === first);
      return this.places.note(entry === undefined ? 1 : (this.lineWithin(entry.value, rest) ?? entry.line), message);
    });
    return { kind: 'mistaken', notes };
  }

  /** True for a key without a value: empty, `~` or `null`. */
  isNothing(node: unknown): boolean {
    const found = this.target(node);
    if (found === null || found === undefined) return true;
    return isScalar(found) && found.type === Scalar.PLAIN && /^(~|null)?$/i.test(String(found.value));
  }

  /** Where the lines of a text are: at `line` its first one, the others below it if `inOrder`, else all at that line. */
  placeOf(node: unknown): { readonly line: number; readonly inOrder: boolean } {
    const found = this.target(node);
    const line = this.places.lineOf(found) ?? 1;
    const inOrder = isScalar(found) && found.type === Scalar.BLOCK_LITERAL;
    return { line: inOrder ? line + 1 : line, inOrder };
  }

  private taken(value: unknown, depth: number): readonly YamlEntry[] {
    const found = this.target(value);
    const maps = isSeq(found) ? found.items : [found];
    return maps.flatMap((map) => {
      const entries = this.entriesOf(map, depth);
      if (entries === undefined) throw this.places.mistakeAt(value, `${MERGE} takes over mappings only`);
      return entries;
    });
  }

  private target(node: unknown): unknown {
    return isAlias(node) ? this.parsed.targets.get(node) : node;
  }

  private textOf(node: unknown): string {
    const text = isScalar(node) ? String(node.value) : '';
    this.spend(node, { nodes: 1, characters: text.length });
    return text;
  }

  /** A few aliases can make a small file very large, or very long to read. */
  private spend(
    node: unknown,
    { nodes, characters = 0 }: { readonly nodes: number; readonly characters?: number },
  ): void {
    this.spent += nodes * NODE_BYTES + characters;
    if (this.spent <= MAX_PACKAGE_BYTES) return;
    throw this.places.mistakeAt(node, 'the aliases make the file too large; write fewer of them', 'TooLarge');
  }

  private tooDeep(node: unknown): ScopeError {
    return this.places.mistakeAt(node, `more than ${MAX_YAML_DEPTH} levels, or an alias of itself`);
  }

  private lineWithin(node: unknown, path: readonly PropertyKey[]): number | undefined {
    const found = this.target(node);
    const [first, ...rest] = path;
    const inner = isSeq(found)
      ? found.items[Number(first)]
      : this.entriesOf(found)?.find(({ key }) => key === first)?.value;
    return (
      (first === undefined || inner === undefined ? undefined : this.lineWithin(inner, rest)) ??
      this.places.lineOf(node)
    );
  }
}

/** A key of a mapping, what stands behind it, and the key's line. */
export interface YamlEntry {
  readonly key: string;
  readonly value: unknown;
  readonly line: number;
}

/** A document, and what its aliases stand for. */
interface ParsedYaml {
  readonly document: Document.Parsed;
  readonly targets: ReadonlyMap<Alias, Node>;
}

/** The key that takes over the keys of other mappings. */
const MERGE = '<<';

/** Parses `text`. Throws `InvalidYaml`, or `TooLarge` for what would take too long. */
function parseYamlText(text: string, places: YamlPlaces): ParsedYaml {
  if (text.length > MAX_YAML_BYTES) {
    throw places.mistake(1, `more than ${MAX_YAML_BYTES} characters; split the workflow`, 'TooLarge');
  }
  if (hasTooManyTokens(text)) {
    throw places.mistake(1, `more than ${MAX_YAML_TOKENS} keys, values and signs; split the workflow`, 'TooLarge');
  }
  // Not the parser's own check of twins: its work grows with the square of the keys.
  const options = { schema: 'failsafe', uniqueKeys: false, prettyErrors: false, lineCounter: places.lines } as const;
  const document = parseDocument(text, options);
  const [error] = document.errors;
  if (error !== undefined) throw places.mistake(places.lineAt(error.pos[0]), error.message);
  return { document, targets: look(document, places) };
}

/** The keys that stand in a mapping itself. */
function writtenEntries({ items }: YAMLMap, places: YamlPlaces): readonly YamlEntry[] {
  return items.map(({ key, value }) => {
    if (!isScalar(key)) throw places.mistakeAt(key, 'a key must be a text');
    return { key: String(key.value), value, line: places.lineOf(key) ?? 1 };
  });
}

/** True for a text that the parser would need too long for. */
export function hasTooManyTokens(text: string): boolean {
  let count = 0;
  for (const _token of new Lexer().lex(text)) {
    if (++count > MAX_YAML_TOKENS) return true;
  }
  return false;
}

function look(document: Document.Parsed, places: YamlPlaces): ReadonlyMap<Alias, Node> {
  const anchors = new Map<string, Node>();
  const targets = new Map<Alias, Node>();
  visit(document, {
    Alias: (_key, alias) => {
      const target = anchors.get(alias.source);
      if (target === undefined) throw places.mistakeAt(alias, `nothing before it is marked with &${alias.source}`);
      targets.set(alias, target);
    },
    Value: (_key, node) => {
      if (node.anchor !== undefined) anchors.set(node.anchor, node);
      if (isMap(node)) refuseTwins(node, places);
    },
  });
  return targets;
}

function refuseTwins(map: YAMLMap, places: YamlPlaces): void {
  const seen = new Set<string>();
  for (const { key, line } of writtenEntries(map, places)) {
    if (seen.has(key) && key !== MERGE) throw places.mistake(line, `the key "${key}" is there twice; remove one`);
    seen.add(key);
  }
}

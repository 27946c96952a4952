// A YAML file as its readers need it: keys with lines, aliases and `<<` resolved, values as texts, lists and objects,
// entries checked by a schema. The work is bounded by the size of the file.
import { Scalar, isAlias, isMap, isScalar, isSeq } from 'yaml';
import type { z } from 'zod';
import type { LineProblem } from '../protocol/language/state-file.js';
import type { ScopeError } from './error.js';
import { MAX_PACKAGE_BYTES, MAX_YAML_DEPTH } from './limits.js';
import {
  MERGE,
  YamlPositions,
  parseYamlText,
  writtenEntries,
  type ParsedYaml,
  type PositionText,
  type YamlEntry,
} from './yaml-parse.js';

/** The parsed entries of a schema, or their problems. */
type YamlRead<T> =
  { readonly kind: 'read'; readonly data: T } | { readonly kind: 'invalid'; readonly problems: readonly LineProblem[] };

/** The position of a YAML text, and the advice when it is too long. */
interface YamlOptions {
  readonly positionText: PositionText;
  readonly firstLine?: number;
  readonly tooLong?: string;
}

/** Rough memory of a value beside its text. */
const NODE_BYTES = 64;

const SHOWN_PROBLEMS = 20;

/** A boolean or a number of JSON. */
const JSON_WORD = /^(?:true|false|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/;

/** A file that is YAML. */
export class YamlText {
  /** The positions of its parts. */
  readonly positions: YamlPositions;
  private readonly parsed: ParsedYaml;
  private spent = 0;

  /** Parses `text`. Throws `InvalidYaml`, or `TooLarge` for what would take too long. */
  constructor(text: string, { positionText, firstLine, tooLong = 'split the workflow' }: YamlOptions) {
    this.positions = new YamlPositions(positionText, firstLine);
    this.parsed = parseYamlText(text, { positions: this.positions, tooLong });
  }

  /** The parser's warnings. */
  get warnings(): readonly LineProblem[] {
    return this.parsed.document.warnings.map(({ pos, message }) => ({
      line: this.positions.lineAt(pos[0]),
      text: message,
    }));
  }

  /** Problems as people read them, each `file:line: …`. */
  described(problems: readonly LineProblem[]): readonly string[] {
    return problems.map(({ line, text }) => this.positions.message(line, text));
  }

  /** True for an empty text. */
  get isEmpty(): boolean {
    return this.isNothing(this.parsed.document.contents);
  }

  /** The keys at the top, in order. Throws `InvalidYaml` with `expected` for anything else. */
  top(expected = 'a workflow file consists of keys and values, such as "states:"'): readonly YamlEntry[] {
    const { contents } = this.parsed.document;
    const entries = this.entriesOf(contents);
    if (entries === undefined) throw this.positions.errorAt(contents, expected);
    return entries;
  }

  /** The keys of a mapping, including those merged by `<<`; undefined when `node` is not a mapping. */
  entriesOf(node: unknown, depth = 0): readonly YamlEntry[] | undefined {
    const map = this.target(node);
    if (!isMap(map)) return undefined;
    if (depth > MAX_YAML_DEPTH) throw this.tooDeep(node);
    const all = writtenEntries(map, this.positions);
    const own = all.filter(({ key }) => key !== MERGE);
    const keys = new Set(own.map(({ key }) => key));
    const taken = all.filter(({ key }) => key === MERGE).flatMap(({ value }) => this.taken(value, depth + 1));
    this.spend(map, { nodes: 1 + all.length + taken.length });
    return [...own, ...taken.filter(({ key }) => !keys.has(key) && keys.add(key))];
  }

  /** The items of a list, undefined when `node` is not a list. */
  itemsOf(node: unknown): readonly unknown[] | undefined {
    const list = this.target(node);
    return isSeq(list) ? list.items : undefined;
  }

  /** The value of `node` as texts, lists and objects. */
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

  /** The value of `node` as JSON has it: with numbers, booleans and null. */
  typed(node: unknown, depth = 0): unknown {
    const found = this.target(node);
    if (depth > MAX_YAML_DEPTH) throw this.tooDeep(node);
    if (isSeq(found)) return found.items.map((item) => this.typed(item, depth + 1));
    const entries = this.entriesOf(found);
    if (entries !== undefined)
      return Object.fromEntries(entries.map(({ key, value }) => [key, this.typed(value, depth + 1)]));
    const text = this.textOf(found);
    if (this.isNothing(found)) return null;
    return isScalar(found) && found.type === Scalar.PLAIN && JSON_WORD.test(text) ? JSON.parse(text) : text;
  }

  /** Entries checked by a schema; entries without a value are left out. */
  read<T>(schema: z.ZodType<T>, entries: readonly YamlEntry[]): YamlRead<T> {
    const given = entries.filter(({ value }) => !this.isNothing(value));
    const read = schema.safeParse(Object.fromEntries(given.map(({ key, value }) => [key, this.plain(value)])));
    if (read.success) return { kind: 'read', data: read.data };
    const problems = read.error.issues.slice(0, SHOWN_PROBLEMS).map(({ path, message }) => {
      const [first, ...rest] = path;
      const entry = given.find(({ key }) => key === first);
      const line = entry === undefined ? undefined : (this.lineWithin(entry.value, rest) ?? entry.line);
      return { line: line ?? this.positions.firstLine, text: message, path };
    });
    return { kind: 'invalid', problems };
  }

  /** True for a key without a value: empty, `~` or `null`. */
  isNothing(node: unknown): boolean {
    const found = this.target(node);
    if (found === null || found === undefined) return true;
    return isScalar(found) && found.type === Scalar.PLAIN && /^(~|null)?$/i.test(String(found.value));
  }

  /**
   * The positions of a text's lines: `line` is its first one; the others follow it if `inOrder`, else all are at that
   * line.
   */
  positionOf(node: unknown): { readonly line: number; readonly inOrder: boolean } {
    const found = this.target(node);
    const line = this.positions.lineOf(found) ?? 1;
    const inOrder = isScalar(found) && found.type === Scalar.BLOCK_LITERAL;
    return { line: inOrder ? line + 1 : line, inOrder };
  }

  /** The line of the part of `node` at `path`, or of the last part that is there. */
  lineWithin(node: unknown, path: readonly PropertyKey[]): number | undefined {
    const found = this.target(node);
    const [first, ...rest] = path;
    const inner = isSeq(found)
      ? found.items[Number(first)]
      : this.entriesOf(found)?.find(({ key }) => key === first)?.value;
    return (
      (first === undefined || inner === undefined ? undefined : this.lineWithin(inner, rest)) ??
      this.positions.lineOf(node)
    );
  }

  private taken(value: unknown, depth: number): readonly YamlEntry[] {
    const found = this.target(value);
    const maps = isSeq(found) ? found.items : [found];
    return maps.flatMap((map) => {
      const entries = this.entriesOf(map, depth);
      if (entries === undefined) throw this.positions.errorAt(value, `${MERGE} takes over mappings only`);
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

  /** A few aliases can make a small file very large, or very slow to read. */
  private spend(
    node: unknown,
    { nodes, characters = 0 }: { readonly nodes: number; readonly characters?: number },
  ): void {
    this.spent += nodes * NODE_BYTES + characters;
    if (this.spent <= MAX_PACKAGE_BYTES) return;
    throw this.positions.errorAt(node, 'the aliases make the file too large; write fewer of them', 'TooLarge');
  }

  private tooDeep(node: unknown): ScopeError {
    return this.positions.errorAt(node, `more than ${MAX_YAML_DEPTH} levels, or an alias of itself`);
  }
}

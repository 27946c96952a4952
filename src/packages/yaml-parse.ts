// Parses YAML within limits, because the parser has none: every scalar stays text, every part has a line, no key is
// repeated, every alias has a target.
import {
  Lexer,
  LineCounter,
  Scalar,
  isMap,
  isNode,
  isScalar,
  parseDocument,
  visit,
  type Alias,
  type Document,
  type Node,
  type YAMLError,
  type YAMLMap,
} from 'yaml';
import { clip } from '../protocol/text.js';
import { ScopeError, type ScopeErrorCode } from './error.js';
import { MAX_YAML_BYTES, MAX_YAML_TOKENS } from './limits.js';

/** The position of a line in messages: `file:line`. */
export type PositionText = (line: number) => string;

/** The lines of a YAML text whose first line has the number `firstLine` in its file. */
export class YamlPositions {
  /** The parser notes here where lines begin. */
  readonly lines = new LineCounter();

  constructor(
    readonly positionText: PositionText,
    readonly firstLine = 1,
  ) {}

  /** The line where `node` begins, if it is in the text. */
  lineOf(node: unknown): number | undefined {
    const start = isNode(node) ? node.range?.[0] : undefined;
    return start === undefined ? undefined : this.lineAt(start);
  }

  /** The line of a character. */
  lineAt(offset: number): number {
    return Math.max(1, this.lines.linePos(offset).line) + this.firstLine - 1;
  }

  /** The line and column where `node` begins, inside its quotes if it has some. */
  spotOf(node: unknown): Spot | undefined {
    if (!isNode(node) || node.range == null) return undefined;
    const quoted = isScalar(node) && (node.type === Scalar.QUOTE_SINGLE || node.type === Scalar.QUOTE_DOUBLE);
    return this.spotAt(node.range[0] + (quoted ? 1 : 0));
  }

  /** The line and column of a character. */
  spotAt(offset: number): Spot {
    const { line, col } = this.lines.linePos(offset);
    return { line: Math.max(1, line) + this.firstLine - 1, column: Math.max(1, col) };
  }

  /** A message about a line. */
  message(line: number, message: string): string {
    return `${this.positionText(line)}: ${clip(message, 500)}`;
  }

  /** An error about a line. */
  error(line: number, message: string, code: ScopeErrorCode = 'InvalidYaml'): ScopeError {
    return new ScopeError(code, this.message(line, message), { problems: [{ line, text: message }] });
  }

  /** An error about the line where `node` begins. */
  errorAt(node: unknown, message: string, code: ScopeErrorCode = 'InvalidYaml'): ScopeError {
    return this.error(this.lineOf(node) ?? this.firstLine, message, code);
  }
}

/** A line and a column, both from 1. */
interface Spot {
  readonly line: number;
  readonly column: number;
}

/** A key of a mapping, its value, its line, and the offset where it begins. */
export interface YamlEntry {
  readonly key: string;
  readonly value: unknown;
  readonly line: number;
  readonly offset: number;
}

/** A document, and the targets of its aliases. */
export interface ParsedYaml {
  readonly document: Document.Parsed;
  readonly targets: ReadonlyMap<Alias, Node>;
}

/** The key that merges other mappings. */
export const MERGE = '<<';

/** Parses `text`. Throws `InvalidYaml`, or `TooLarge` for what would take too long. */
export function parseYamlText(
  text: string,
  { positions, tooLong }: { readonly positions: YamlPositions; readonly tooLong: string },
): ParsedYaml {
  const { firstLine } = positions;
  if (text.length > MAX_YAML_BYTES) {
    throw positions.error(firstLine, `more than ${MAX_YAML_BYTES} characters; ${tooLong}`, 'TooLarge');
  }
  if (hasTooManyTokens(text)) {
    throw positions.error(firstLine, `more than ${MAX_YAML_TOKENS} keys, values and signs; ${tooLong}`, 'TooLarge');
  }
  // Not the parser's own check of repeated keys, which takes quadratic time.
  const options = { schema: 'failsafe', uniqueKeys: false, prettyErrors: false, lineCounter: positions.lines } as const;
  const document = parseDocument(text, options);
  const [error] = document.errors;
  if (error !== undefined) {
    const open = /^Flow (?:map|sequence)/.test(error.message) ? unclosedBefore(text, error.pos[0]) : undefined;
    if (open !== undefined)
      throw positions.error(
        positions.lineAt(open),
        `this ${text[open] ?? ''} is not closed; add ${text[open] === '{' ? '}' : ']'}`,
      );
    throw positions.error(positions.lineAt(offsetOf(error, text)), messageOf(error));
  }
  return { document, targets: resolveAliases(document, positions) };
}

/** The last brace or bracket before an offset that nothing closes: the parser reports where it stopped, often lines below. */
function unclosedBefore(text: string, end: number): number | undefined {
  const open: number[] = [];
  for (const { 0: sign, index } of text.slice(0, end).matchAll(/"(?:\\.|[^"\\])*"|'[^']*'|(?<=^|\s)#.*|[{}[\]]/gm)) {
    if (sign === '{' || sign === '[') open.push(index);
    else if (sign === '}' || sign === ']') open.pop();
  }
  return open.at(-1);
}

/** Where an error is; an open quote ends with the text, so it is the last one. */
function offsetOf({ message, pos: [end] }: YAMLError, text: string): number {
  const [, quote] = /^Missing closing (["'])/.exec(message) ?? [];
  return quote === undefined ? end : Math.max(0, text.lastIndexOf(quote, end));
}

function messageOf({ code, message }: YAMLError): string {
  return code === 'MULTIPLE_DOCS' ? 'a second YAML document begins here; there can be only one' : message;
}

/** A mapping's own keys. */
export function writtenEntries({ items }: YAMLMap, positions: YamlPositions): readonly YamlEntry[] {
  return items.map(({ key, value }) => {
    if (!isScalar(key)) throw positions.errorAt(key, 'a key must be a text');
    return {
      key: String(key.value),
      value,
      line: positions.lineOf(key) ?? positions.firstLine,
      offset: key.range?.[0] ?? 0,
    };
  });
}

/** Its lexer adds marks of its own. */
const MOST_TOKENS_OF_A_CHARACTER = 4;

/** True for a text that would take the parser too long. */
function hasTooManyTokens(text: string): boolean {
  // A short text cannot have too many tokens: most files are scanned only once.
  if (text.length * MOST_TOKENS_OF_A_CHARACTER < MAX_YAML_TOKENS) return false;
  let count = 0;
  for (const _token of new Lexer().lex(text)) {
    if (++count > MAX_YAML_TOKENS) return true;
  }
  return false;
}

function resolveAliases(document: Document.Parsed, positions: YamlPositions): ReadonlyMap<Alias, Node> {
  const anchors = new Map<string, Node>();
  const targets = new Map<Alias, Node>();
  visit(document, {
    Alias: (_key, alias) => {
      const target = anchors.get(alias.source);
      if (target === undefined) throw positions.errorAt(alias, `nothing before it is marked with &${alias.source}`);
      targets.set(alias, target);
    },
    Value: (_key, node) => {
      if (node.anchor !== undefined) anchors.set(node.anchor, node);
      if (isMap(node)) checkTwins(node, positions);
    },
  });
  return targets;
}

function checkTwins(map: YAMLMap, positions: YamlPositions): void {
  const seen = new Set<string>();
  for (const { key, line } of writtenEntries(map, positions)) {
    if (seen.has(key) && key !== MERGE)
      throw positions.error(line, `the key "${clip(key, 60)}" is repeated; remove one`);
    seen.add(key);
  }
}

// Parses YAML into a document in which every scalar is text, no key is there twice and every alias has its target.
// Must not do more work than the size of the file deserves: the parser has no limits of its own.
import type { Alias, Document, Node, YAMLMap } from 'yaml';
import { isMap, isScalar, Lexer, parseDocument, visit } from 'yaml';
import { MAX_YAML_BYTES, MAX_YAML_TOKENS } from './limits.js';
import type { YamlPlaces } from './yamlPlaces.js';

/** A key of a mapping, what stands behind it, and the key's line. */
export interface YamlEntry {
  readonly key: string;
  readonly value: unknown;
  readonly line: number;
}

/** A document, and what its aliases stand for. */
export interface ParsedYaml {
  readonly document: Document.Parsed;
  readonly targets: ReadonlyMap<Alias, Node>;
}

/** The key that takes over the keys of other mappings. */
export const MERGE = '<<';

/** Parses `text`. Throws `InvalidYaml`, or `TooLarge` for what would take too long. */
export function parseYamlText(text: string, places: YamlPlaces): ParsedYaml {
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
export function writtenEntries({ items }: YAMLMap, places: YamlPlaces): readonly YamlEntry[] {
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

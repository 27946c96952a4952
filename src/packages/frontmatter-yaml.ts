// A frontmatter's YAML with the lines of its file: what it says as plain text, and where each piece of it stands.
import type { Document, YAMLError, YAMLMap } from 'yaml';
import { isMap, isNode, isScalar, LineCounter, parseDocument, visit } from 'yaml';
import { clip } from '../protocol/text.js';
import { MAX_YAML_TOKENS } from './package.js';
import { hasTooManyTokens } from './yaml-document.js';

/** Something to say about a line of the file. */
export interface Note {
  readonly line: number;
  readonly text: string;
}

/** The first line of the frontmatter in its file: line 1 is the fence. */
const FIRST_LINE = 2;

// Not the parser's own check of twins, whose work grows with the square of the keys; and not silent, which would hide a second document.
const OPTIONS = { prettyErrors: false, schema: 'failsafe', logLevel: 'error', uniqueKeys: false } as const;

const TOO_LONG: Note = {
  line: FIRST_LINE,
  text: `the frontmatter has more than ${MAX_YAML_TOKENS} keys, values and signs; a prompt belongs below it`,
};

/** A YAML text whose scalars are all text as it was written, and where everything stands in the file. */
export class LocatedYaml {
  private readonly lines = new LineCounter();
  private readonly document: Document.Parsed;
  readonly mistakes: readonly Note[];
  readonly warnings: readonly Note[];
  /** The top level, without keys that are given no value; empty when there are mistakes. */
  readonly values: Readonly<Record<string, unknown>>;

  constructor(text: string) {
    const tooLong = hasTooManyTokens(text);
    this.document = parseDocument(tooLong ? '' : text, { ...OPTIONS, lineCounter: this.lines });
    const { errors, warnings } = this.document;
    const broken = tooLong ? [TOO_LONG] : [...errors.map((error) => this.note(error)), ...this.twins()];
    const { values, mistakes } = broken.length > 0 ? { values: {}, mistakes: broken } : this.read();
    this.values = values;
    this.mistakes = mistakes;
    this.warnings = warnings.map((warning) => this.note(warning));
  }

  /** The keys of the top level as they were written, and their lines in the file. */
  keys(): readonly { readonly key: string; readonly line: number }[] {
    const { contents } = this.document;
    if (!isMap(contents)) return [];
    return contents.items.map(({ key }) => ({ key: String(key), line: this.lineAt(startOf(key)) }));
  }

  /** The line in the file of what stands at a path, or of the nearest thing around it. */
  lineOf(path: readonly PropertyKey[]): number {
    for (let length = path.length; length > 0; length -= 1) {
      const start = startOf(this.document.getIn(path.slice(0, length), true));
      if (start !== undefined) return this.lineAt(start);
    }
    return FIRST_LINE;
  }

  private read(): { readonly values: Readonly<Record<string, unknown>>; readonly mistakes: readonly Note[] } {
    const { contents } = this.document;
    if (contents === null || (isScalar(contents) && isNothing(contents.value))) return { values: {}, mistakes: [] };
    if (!isMap(contents)) {
      const text = 'the frontmatter must consist of keys and values, such as "model: haiku"';
      return { values: {}, mistakes: [{ line: this.lineAt(startOf(contents)), text }] };
    }
    try {
      const all = Object.entries(this.document.toJS() as Record<string, unknown>);
      return { values: Object.fromEntries(all.filter(([, value]) => !isNothing(value))), mistakes: [] };
    } catch (error) {
      // An alias without its anchor, or aliases that multiply beyond measure.
      if (!(error instanceof ReferenceError)) throw error;
      return { values: {}, mistakes: [{ line: this.lineAt(this.firstAlias()), text: error.message }] };
    }
  }

  /** Keys that are given a second time in the same mapping. */
  private twins(): readonly Note[] {
    const notes: Note[] = [];
    visit(this.document, { Map: (_key, map) => void notes.push(...this.twinsIn(map)) });
    return notes;
  }

  private twinsIn({ items }: YAMLMap): readonly Note[] {
    const seen = new Set<unknown>();
    return items.flatMap(({ key }) => {
      const name = isScalar(key) ? key.value : key;
      if (!seen.has(name)) {
        seen.add(name);
        return [];
      }
      const text = `the key "${clip(String(name), 60)}" is there twice; remove one`;
      return [{ line: this.lineAt(startOf(key)), text }];
    });
  }

  private firstAlias(): number | undefined {
    let start: number | undefined;
    visit(this.document, { Alias: (_key, alias) => void (start ??= alias.range?.[0]) });
    return start;
  }

  private note({ pos, code, message }: YAMLError): Note {
    const text = code === 'MULTIPLE_DOCS' ? 'a second YAML document begins here; a frontmatter is one' : message;
    return { line: this.lineAt(pos[0]), text };
  }

  private lineAt(offset: number | undefined): number {
    return offset === undefined ? FIRST_LINE : this.lines.linePos(offset).line + FIRST_LINE - 1;
  }
}

function isNothing(value: unknown): boolean {
  return typeof value === 'string' && /^(~|null)?$/i.test(value.trim());
}

function startOf(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined;
}

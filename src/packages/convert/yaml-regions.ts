// Cuts the text of a YAML package into the keys beside `states` and the lines and comments of each state. It works on
// lines, so that text is taken over exactly as its author wrote it.
import { Parser, isMap, isNode, isScalar, type YAMLMap } from 'yaml';
import { YamlText } from '../yaml-document.js';
import { MERGE, type PositionText, type YamlEntry } from '../yaml-parse.js';

/** A comment, from its `#` on, and its line. */
export interface Comment {
  readonly text: string;
  readonly line: number;
}

/** A state: its keys, all its comments, and its lines without those of its prompt, as one text. */
export interface StateRegion {
  readonly entry: YamlEntry;
  readonly entries: readonly YamlEntry[];
  readonly comments: readonly Comment[];
  /** Absent when the keys are not on lines of their own. */
  readonly lines?: string;
}

/** A whole file. */
export interface YamlRegions {
  readonly yaml: YamlText;
  readonly top: readonly YamlEntry[];
  readonly comments: readonly Comment[];
  /** The lines beside `states`, without the key that lists the programs. */
  readonly beside: string;
  readonly states: readonly StateRegion[];
}

/** The key that lists the programs, when these are not just the shell scripts that begin with `#!`. */
export const EXECUTABLE_KEY = 'x-executable';

/** Cuts the text of a valid YAML package; undefined when its states are not on lines of their own. */
export function regionsOf(text: string, positionText: PositionText): YamlRegions | undefined {
  const yaml = new YamlText(text, { positionText });
  const top = yaml.top();
  const states = top.find(({ key }) => key === 'states');
  if (states === undefined || !isBlock(states.value)) return undefined;
  if (states.value.items.some(({ key }) => isScalar(key) && key.value === MERGE)) return undefined;
  return new Cutter({ text, yaml, top, states, block: states.value }).regions();
}

function isBlock(node: unknown): node is YAMLMap {
  return isMap(node) && node.flow !== true && node.items.length > 0;
}

interface Parts {
  readonly text: string;
  readonly yaml: YamlText;
  readonly top: readonly YamlEntry[];
  readonly states: YamlEntry;
  readonly block: YAMLMap;
}

/** A comment with its column, from 1. */
interface PositionedComment extends Comment {
  readonly column: number;
}

class Cutter {
  private readonly lines: readonly string[];
  private readonly entries: readonly YamlEntry[];
  private readonly ends: readonly number[];
  private readonly comments: readonly PositionedComment[];

  constructor(private readonly parts: Parts) {
    this.lines = parts.text.split(/(?<=\n)/);
    this.entries = parts.yaml.entriesOf(parts.block) ?? [];
    this.ends = this.entries.map((entry) => this.endOf(entry));
    this.comments = [...commentsIn([...new Parser().parse(parts.text)])].map(({ offset, source }) => {
      const { line, col } = parts.yaml.positions.lines.linePos(offset);
      return { line, column: col, text: source.trimEnd() };
    });
  }

  regions(): YamlRegions {
    const { yaml, top } = this.parts;
    const comments = this.comments.filter((comment) => this.ownerOf(comment) === undefined);
    return { yaml, top, comments, beside: this.beside(comments), states: this.entries.map((_, at) => this.state(at)) };
  }

  /** The last line of a key's value. */
  private endOf({ value, line }: YamlEntry): number {
    const end = isNode(value) ? value.range?.[1] : undefined;
    if (end === undefined) return line;
    const { line: last, col } = this.parts.yaml.positions.lines.linePos(end);
    return Math.max(line, col === 1 ? last - 1 : last);
  }

  /**
   * The index of the state that a comment belongs to: a comment before a state is about that state, unless it is
   * indented more.
   */
  private ownerOf({ line, column }: PositionedComment): number | undefined {
    const { states, top } = this.parts;
    const isAbove = line <= states.line;
    const isBelow = top.some((entry) => entry.line > states.line && entry.line <= line);
    if (isAbove || isBelow) return undefined;
    const at = this.entries.findLastIndex((entry) => entry.line <= line);
    if (at < 0) return 0;
    if (line <= (this.ends[at] ?? 0) || column > this.stateColumn) return at;
    if (at + 1 < this.entries.length) return at + 1;
    return column === 1 ? undefined : at;
  }

  private get stateColumn(): number {
    return columnOf(this.parts.block.items[0]?.key, this.parts.yaml);
  }

  private beside(comments: readonly PositionedComment[]): string {
    const { states, top } = this.parts;
    const last = Math.max(this.ends.at(-1) ?? 0, ...this.owned(this.entries.length - 1).map(({ line }) => line));
    const below = this.lines.slice(last);
    const firstBelow = below.findIndex((line) => line.trim() !== '');
    const programs = top.find(({ key }) => key === EXECUTABLE_KEY);
    const end = programs === undefined ? 0 : this.endOf(programs);
    const isProgram = (line: number): boolean => programs !== undefined && line >= programs.line && line <= end;
    const numbers = [
      ...range(1, states.line - 1),
      ...(firstBelow < 0 ? [] : range(last + firstBelow + 1, this.lines.length)),
    ].filter((line) => !isProgram(line));
    const homeless = comments.filter(({ line }) => line === states.line || isProgram(line));
    return [...numbers.map((line) => this.lines[line - 1] ?? ''), ...homeless.map(({ text }) => `${text}\n`)].join('');
  }

  private owned(at: number): readonly PositionedComment[] {
    return this.comments.filter((comment) => this.ownerOf(comment) === at);
  }

  private state(at: number): StateRegion {
    const { yaml } = this.parts;
    const [entry, comments] = [this.entries[at], this.owned(at)];
    if (entry === undefined) throw new RangeError(`there is no state ${at}`);
    const entries = yaml.entriesOf(entry.value) ?? [];
    const lines = isBlock(entry.value) ? this.linesOf(entry.value, { at, comments }) : undefined;
    return { entry, entries, comments, ...(lines === undefined ? {} : { lines }) };
  }

  /**
   * The lines of a state below its name, without those of its prompt; a comment on a line that is left out gets a line
   * of its own.
   */
  private linesOf(
    map: YAMLMap,
    { at, comments }: { readonly at: number; readonly comments: readonly PositionedComment[] },
  ): string | undefined {
    const { yaml } = this.parts;
    const name = this.entries[at]?.line ?? 0;
    const end = this.ends[at] ?? name;
    const prompt = yaml.entriesOf(map)?.find(({ key }) => key === 'prompt');
    const column = columnOf(map.items[0]?.key, yaml);
    if (prompt === undefined || (yaml.positions.lineOf(map) ?? name) === name) return undefined;
    const skipped = this.skipped(prompt, end);
    const kept = range(name + 1, end).filter((line) => !skipped.has(line));
    const taken = new Set(kept);
    const own = comments.filter(({ line }) => !taken.has(line)).map(({ text }) => `${text}\n`);
    const isIndent = (line: string): string => line.slice(Math.min(column - 1, /^ */.exec(line)?.[0].length ?? 0));
    return [...own, ...kept.map((line) => isIndent(withEnd(this.lines[line - 1] ?? '')))].join('');
  }

  /** The lines of a prompt, and the empty ones after it. */
  private skipped(prompt: YamlEntry, end: number): ReadonlySet<number> {
    const last = this.endOf(prompt);
    const skipped = new Set(range(prompt.line, last));
    for (let line = last + 1; line <= end && (this.lines[line - 1] ?? '').trim() === ''; line += 1) skipped.add(line);
    return skipped;
  }
}

function columnOf(node: unknown, yaml: YamlText): number {
  const start = isNode(node) ? node.range?.[0] : undefined;
  return start === undefined ? 1 : yaml.positions.lines.linePos(start).col;
}

function withEnd(line: string): string {
  return line.endsWith('\n') ? line : `${line}\n`;
}

function range(first: number, last: number): readonly number[] {
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
}

/** The comments among the tokens of a text. */
function* commentsIn(token: unknown): Generator<{ readonly offset: number; readonly source: string }> {
  if (typeof token !== 'object' || token === null) return;
  if (isComment(token)) yield token;
  else for (const part of Object.values(token)) yield* commentsIn(part);
}

function isComment(token: object): token is { readonly offset: number; readonly source: string } {
  return 'type' in token && token.type === 'comment';
}

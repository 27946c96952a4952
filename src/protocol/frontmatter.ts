// Where a prompt's frontmatter ends and its body begins. Pure text.
// Must not understand the frontmatter.

/** A prompt file in its two parts; `frontmatter` without its fences (its first line is line 2 of the file), absent when there is none. */
export interface PromptParts {
  readonly frontmatter?: string;
  readonly body: string;
}

/** The keys of a frontmatter. */
export const FRONTMATTER_KEYS = ['allowed_transitions', 'effort', 'force_implicit', 'model', 'timeout'] as const;

/** Splits at a block fenced by `---` lines at the very start; anything else is all body. Line ends become LF, a byte order mark is dropped. */
export function splitPrompt(text: string): PromptParts {
  const plain = text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
  const block = /^---[ \t]*\n((?:.*\n)*?)---[ \t]*\n/.exec(plain);
  if (block === null) return { body: plain };
  return { frontmatter: block[1] ?? '', body: plain.slice(block[0].length) };
}

/** A block that was surely meant to be frontmatter but is none, by the line of its first fence. */
export interface LostFrontmatter {
  readonly kind: 'not-at-top' | 'not-closed';
  readonly line: number;
}

const KEY = new RegExp(`^\\s*(?:${FRONTMATTER_KEYS.join('|')})\\s*:`);

/** Looks for one in a body: after blank lines and comments only, and with a key of a frontmatter in it. */
export function lostFrontmatter(body: string): LostFrontmatter | undefined {
  const lines = body.split('\n');
  const start = firstStatement(lines);
  if (lines[start]?.trim() !== '---') return undefined;
  const rest = lines.slice(start + 1);
  const end = rest.findIndex((line) => line.trim() === '---');
  const closed = end >= 0 && start + 1 + end < lines.length - 1;
  // Without a second fence the block can only be guessed: it goes to the first blank line.
  const blank = rest.findIndex((line) => line.trim() === '');
  const block = rest.slice(0, end >= 0 ? end : blank >= 0 ? blank : undefined);
  if (!block.some((line) => KEY.test(line))) return undefined;
  const atTop = start === 0 && lines[0]?.startsWith('---') === true;
  return { kind: atTop || !closed ? 'not-closed' : 'not-at-top', line: start + 1 };
}

/** The index of the first line that is neither blank nor a comment of Markdown or YAML. */
function firstStatement(lines: readonly string[]): number {
  let index = 0;
  for (let inside = false; index < lines.length; index += 1) {
    const line = (lines[index] ?? '').trim();
    if (!inside && line !== '' && !line.startsWith('#') && !line.startsWith('<!--')) break;
    if (line.startsWith('<!--')) inside = true;
    if (inside && line.includes('-->')) inside = false;
  }
  return index;
}

// Where a prompt's frontmatter ends and its body begins. Pure text.
// Must not understand the frontmatter.

/** A prompt file in its two parts; `frontmatter` without its fences, absent when there is none. */
export interface PromptParts {
  readonly frontmatter?: string;
  readonly body: string;
}

/** Splits at a block fenced by `---` lines at the very start; anything else is all body. Line ends become LF. */
export function splitPrompt(text: string): PromptParts {
  const plain = text.replaceAll('\r\n', '\n');
  const block = /^---[ \t]*\n((?:.*\n)*?)---[ \t]*\n/.exec(plain);
  if (block === null) return { body: plain };
  return { frontmatter: block[1] ?? '', body: plain.slice(block[0].length) };
}

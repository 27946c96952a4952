// Finds the fenced blocks of a Markdown page, with the heading above each, the line that says what it is, and which of them belong together.
// Must not know what is in them.

/** One fenced block. Blocks with nothing but captions between them have the same `run`. */
export interface Block {
  readonly language: string;
  /** The line right above it, when it ends with a colon: what the block is. */
  readonly caption: string | undefined;
  readonly text: string;
  /** The text of the heading above it. */
  readonly heading: string;
  /** The line of its opening fence, from 1. */
  readonly line: number;
  readonly run: number;
}

/** All fenced blocks, in order. Throws when one is not closed. */
export function fencedBlocks(page: string): readonly Block[] {
  const blocks: Block[] = [];
  let open:
    { readonly fence: string; readonly info: string; readonly line: number; readonly lines: string[] } | undefined;
  let heading = '';
  let caption: string | undefined;
  let run = 0;
  for (const [index, line] of page.split('\n').entries()) {
    if (open === undefined) {
      const [, fence, info = ''] = /^(`{3,})(.*)$/.exec(line) ?? [];
      if (fence !== undefined) open = { fence, info: info.trim(), line: index + 1, lines: [] };
      else if (line.trim() !== '') {
        // A caption alone divides nothing; two of them, or any other text, do.
        if (caption !== undefined || !isCaption(line)) run += 1;
        caption = isCaption(line) ? line.trim() : undefined;
      }
      heading = headingOf(line) ?? heading;
    } else if (line.trim() === open.fence) {
      const text = open.lines.map((own) => `${own}\n`).join('');
      blocks.push({ language: open.info, caption, text, heading, line: open.line, run });
      open = undefined;
      caption = undefined;
    } else open.lines.push(line);
  }
  if (open !== undefined) throw new Error(`line ${open.line}: the block is not closed`);
  return blocks;
}

function isCaption(line: string): boolean {
  return /^(?:On stderr|(?:Claude (?:answers|was asked) in )?`[^`]+`|Now `[^`]+` holds):$/.test(line.trim());
}

/** A section under a heading with all that is below it, blocks left out; empty when there is none. */
export function sectionOf(page: string, heading: string): string {
  const text = page.replace(/^```.*\n[^]*?^```$/gm, '');
  const sections = text.split(/^(?=#+ )/m);
  const levelOf = (section: string): number => /^#*/.exec(section)?.[0].length ?? 0;
  const start = sections.findIndex((section) => headingOf(section.split('\n')[0] ?? '') === heading);
  if (start < 0) return '';
  const end = sections.findIndex(
    (section, index) => index > start && levelOf(section) <= levelOf(sections[start] ?? ''),
  );
  return sections.slice(start, end < 0 ? undefined : end).join('');
}

function headingOf(line: string): string | undefined {
  return /^#+ +(.*)$/.exec(line)?.[1]?.replaceAll('`', '').trim();
}

// Finds the fenced blocks of a Markdown page, with the heading above each, and which of them stand next to each other.
// Must not know what is in them.

/** One fenced block. Blocks with only blank lines between them have the same `run`. */
export interface Block {
  readonly language: string;
  /** The rest of the info string. */
  readonly name: string;
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
  let run = 0;
  for (const [index, line] of page.split('\n').entries()) {
    if (open === undefined) {
      const [, fence, info = ''] = /^(`{3,})(.*)$/.exec(line) ?? [];
      if (fence !== undefined) open = { fence, info: info.trim(), line: index + 1, lines: [] };
      else if (line.trim() !== '') run += 1;
      heading = headingOf(line) ?? heading;
    } else if (line.trim() === open.fence) {
      const [language = '', ...name] = open.info.split(/\s+/);
      const text = open.lines.map((own) => `${own}\n`).join('');
      blocks.push({ language, name: name.join(' '), text, heading, line: open.line, run });
      open = undefined;
    } else open.lines.push(line);
  }
  if (open !== undefined) throw new Error(`line ${open.line}: the block is not closed`);
  return blocks;
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

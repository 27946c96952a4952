// What scripts and tests know of Markdown: the anchors of headings, and the cells of tables.

/** The anchor of a heading as GitHub makes it; the docs site uses the same, so that a link works in both. */
export function anchorOf(heading) {
  return heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}_\- ]/gu, '')
    .replaceAll(' ', '-');
}

/** Code in a cell. */
export function codeCell(code) {
  return `\`${code.replaceAll('|', '\\|')}\``;
}

/** Plain text in a cell. */
export function textCell(text) {
  return text.replace(/[|<*]/g, '\\$&');
}

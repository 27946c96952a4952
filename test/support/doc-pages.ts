// The pages of one subject of the docs: the page that names it, and those of the folder beside that page.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const REFERENCE = fileURLToPath(new URL('../../docs/reference', import.meta.url));

/** One page, by its path in docs/reference. */
export interface DocPage {
  readonly path: string;
  readonly text: string;
}

/** `SUBJECT.md` and all pages of the folder `SUBJECT` of docs/reference. */
export async function pagesOf(subject: string): Promise<readonly DocPage[]> {
  const names = await readdir(join(REFERENCE, subject));
  const paths = [`${subject}.md`, ...names.sort().map((name) => `${subject}/${name}`)];
  return Promise.all(paths.map(async (path) => ({ path, text: await readFile(join(REFERENCE, path), 'utf8') })));
}

/** The text of all these pages, one after the other. */
export function joined(pages: readonly DocPage[]): string {
  return pages.map(({ text }) => text).join('\n');
}

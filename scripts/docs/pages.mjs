// The pages of the docs in groups, each with its title and its first sentence, as the pages themselves have them.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

const FOLDERS = {
  Tutorials: 'docs/tutorials',
  'How to': 'docs/how-to',
  Reference: 'docs/reference',
  'Reference: the language': 'docs/reference/language',
  'Reference: the command line': 'docs/reference/cli',
  'Reference: JSON': 'docs/reference/json',
  Explanation: 'docs/explanation',
  Decisions: 'docs/adr',
};
const PROJECT = ['ARCHITECTURE.md', 'GLOSSARY.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md'];

/** All groups: `{ name, pages: [{ path, title, summary }] }`. */
export async function groups() {
  const folders = Object.entries(FOLDERS).map(async ([name, folder]) => {
    const files = (await readdir(join(root, folder))).filter((file) => file.endsWith('.md'));
    return { name, pages: await pages(files.sort().map((file) => `${folder}/${file}`)) };
  });
  return [...(await Promise.all(folders)), { name: 'Project', pages: await pages(PROJECT) }];
}

/** What https://llmstxt.org asks for: a line for each page. */
export async function llmsText() {
  const home = await page('README.md');
  const sections = (await groups()).map(({ name, pages }) =>
    [`## ${name}`, '', ...pages.map(({ path, title, summary }) => `- [${title}](/${path}): ${summary}`)].join('\n'),
  );
  return `${[`# ${home.title}`, `> ${home.summary}`, ...sections].join('\n\n')}\n`;
}

async function pages(paths) {
  return Promise.all(paths.map(page));
}

/** Of pages whose form leaves no room for a sentence: releases are written below the title. */
const SUMMARIES = { 'CHANGELOG.md': 'What each version added, changed and fixed.' };

async function page(path) {
  const text = await readFile(join(root, path), 'utf8');
  const title = plain(/^# (.*)$/m.exec(text)?.[1] ?? path);
  const summary = SUMMARIES[path] ?? paragraphs(text).map(firstSentence)[0];
  if (summary === undefined) throw new Error(`${path} begins without a sentence that says what it is about`);
  return { path, title, summary };
}

/** The paragraphs below the title: no headings, blocks, tables, lists, comments, pictures and dates. */
function paragraphs(text) {
  const below = text.replace(/^```.*\n[^]*?^```$/gm, '').split(/\n\s*\n/);
  return below
    .map((part) => part.trim())
    .filter((part) => /^[\p{L}`_*[“"]/u.test(part) && !/^([-*] |Status: )/.test(part));
}

function firstSentence(paragraph) {
  const text = paragraph.replace(/\s+/g, ' ').replace(/^\*\*Context\.\*\* /, '');
  return plain(/^.*?\.(?= [\p{Lu}`[]|$)/u.exec(text)?.[0] ?? text).replace(/:$/, '.');
}

function plain(text) {
  return text.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/`|\*\*/g, '');
}

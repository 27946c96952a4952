// The words that readers of this project should not have to read twice: sentences that were replaced by plainer ones, and idioms
// that are never needed. A name of code is not a sentence, so only texts with a space around the words count.
import { expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Replaced sentences, or the part of each that says which one it is. */
const SENTENCES: readonly string[] = [
  'not being served',
  'open runs that nobody serves',
  'is over; continue with',
  'mend what',
  'mend that',
  'mend it',
  'when that is settled',
  'all that is needed is there',
  'what they need name in the config',
  'not registered, or not told',
  'stop it all the same',
  'is no more; its runs',
  'by the clock of a cluster',
  "a fleet's workers do its runs",
  'show how a run fares',
  'go on with a run',
  'the values that count here',
  'what has one answer',
  'so many percent',
  'prompts that name none',
  'when only a person can go on',
  'its workers see the folder',
  'where nothing can be harmed',
  'may do what you may',
  'Failures of the world',
  'so that nobody has to look',
  'while nobody follows is not told',
  'Whether a model would answer so',
  'nothing below it knows folder',
  'is not taken for the answer to the next',
  'sweeps and books what',
  'Nobody trusts a lease',
  'any payload could carry no mark',
  'as one of its agents is alive',
  'while there is plenty',
  'that has not come about yet',
  'What is yet to be told',
  'Questions start no server',
  'Who opens the address',
  'Who reads too slowly',
  'The package is a library, too',
  'agent did not go on',
  'and what can be done',
  'Who did what',
  'Needs you',
  'What stays behind',
  'people who do not live in a terminal',
  'is told as such',
  'everything that is kept lies in',
];

/** Words that have a plainer twin in every sentence. */
const WORDS = [
  'anew',
  'befall',
  'befalls',
  'by hand',
  'came to',
  'come to',
  'comes to',
  'elsewhere',
  'fare',
  'fares',
  'for want of',
  'go on',
  'goes on',
  'going on',
  'heed',
  'heeds',
  'hitherto',
  'is no more',
  'lie in',
  'lies in',
  'looked after',
  'mend',
  'mended',
  'mends',
  'nobody',
  'of those that',
  'so many',
  'somebody',
  'spoken',
  'take up',
  'taken up',
  'thereby',
  'told',
  'went on',
  'wherever',
  'whoever',
];

const FOLDERS = [
  'src',
  'docs',
  'skill',
  'README.md',
  'ARCHITECTURE.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'GLOSSARY.md',
  'SECURITY.md',
];

/** A comment of several lines, and a text that is built by `+`, is one sentence. */
function sentencesOf(text: string): string {
  return text.replace(/\n\s*(?:\/\/|\*(?!\/))?\s*/g, ' ');
}

const listed = execFileSync('git', ['ls-files', '--', ...FOLDERS], { cwd: root, encoding: 'utf8' });
const files = listed
  .split('\n')
  .filter((file) => /\.(?:ts|tsx|cts|md)$/.test(file) && !file.startsWith('docs/adr/'))
  .map((file) => ({ file, text: sentencesOf(readFileSync(`${root}/${file}`, 'utf8')) }));
/** Without the code in pages, which quotes prompts and scripts. */
const prose = files.map(({ file, text }) => ({
  file,
  text: file.endsWith('.md') ? text.replaceAll(/```.*?```/g, '').replaceAll(/`[^`]*`/g, '`') : text,
}));

test('there are files to read', () => {
  expect(files.length).toBeGreaterThan(300);
});

test.each(SENTENCES)('nothing says "%s"', (sentence) => {
  expect(files.filter(({ text }) => text.includes(sentence)).map(({ file }) => file)).toEqual([]);
});

test.each(WORDS)('nothing says the word "%s"', (word) => {
  const said = new RegExp(String.raw`(?<=[\s(])${word}(?=[\s.,;:)])`, 'i');
  expect(prose.filter(({ text }) => said.test(text)).map(({ file }) => file)).toEqual([]);
});

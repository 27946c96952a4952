// Runs one example of a page as a reader would: its files in a folder of its own, its commands one after the other, a fake Claude.
// Must not decide whether an example may fail.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { zipOf } from '../packages/zip-file.js';
import type { Called, Place } from './cli.js';
import { fakeWith, statesOf } from './fakes.js';
import type { FakeClaude, FakeRule } from './fake-claude.js';
import { differences, escaped, type Seen } from './language-check.js';
import type { Example } from './language-page.js';

/** Everything that was not as the page says; empty when all was. */
export async function runExample(example: Example, place: Place): Promise<readonly string[]> {
  const folder = slug(example.title);
  await mkdir(join(place.cwd, folder), { recursive: true });
  await writeFiles(example, (name, content) => place.write(join(folder, name), content));
  const fake = await fakeWith(...rulesOf(example));
  const called: Called[] = [];
  for (const { args } of example.commands) {
    called.push(await place.raymond(args, { cwd: join(place.cwd, folder), env: fake.env }));
  }
  const made = new Map<string, string | undefined>();
  for (const name of example.made.keys()) made.set(name, await place.read(join(folder, name)));
  return differences(example, { called, made, asked: await askedOf(fake) });
}

function slug(title: string): string {
  const words = title.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  return words.join('-');
}

/** A file `x.zip/NAME` is an entry of the zip file x.zip. */
async function writeFiles(
  { files }: Example,
  write: (name: string, content: string | Buffer) => Promise<void>,
): Promise<void> {
  const zips = new Map<string, Record<string, string>>();
  for (const [path, content] of files) {
    const [, zip, name] = /^(.*\.zip)\/(.*)$/.exec(path) ?? [];
    if (zip === undefined || name === undefined) await write(path, content);
    else zips.set(zip, { ...zips.get(zip), [name]: content });
  }
  for (const [path, entries] of zips) await write(path, zipOf(entries));
}

function rulesOf(example: Example): readonly FakeRule[] {
  return [...example.answers].flatMap(([state, answers]) =>
    answers.map((text, index) => ({
      ...matchOf(example, state),
      text,
      ...(index < answers.length - 1 ? { times: 1 } : {}),
    })),
  );
}

/** A prompt is recognised by how it begins, up to its first variable; one that is in no file of its own by being the only one. */
function matchOf({ files, answers }: Example, state: string): { readonly match?: string } {
  const file = [...files].find(([path]) => new RegExp(`(^|/)${escaped(state)}\\.md$`).test(path));
  if (file === undefined && answers.size > 1) throw new Error(`there is no file ${state}.md to tell its prompt by`);
  if (file === undefined) return {};
  const beginning = /^[^\n{]*/.exec(file[1].replace(/^---\n[^]*?\n---\n/, '').trim())?.[0] ?? '';
  if (beginning === '') throw new Error(`the prompt ${state} must begin with words`);
  return { match: `^${escaped(beginning)}` };
}

async function askedOf(fake: FakeClaude): Promise<Seen['asked']> {
  const calls = await fake.calls();
  const states = statesOf(calls).map((file) => file.replace(/\.md$/, ''));
  return calls.map(({ prompt }, index) => ({ state: states[index] ?? '', prompt }));
}

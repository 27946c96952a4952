// Runs one example of a page as a reader would: its files in a folder of its own, its commands one after the other, a fake Claude.
// Must not decide whether an example may fail.
import { join } from 'node:path';
import { zipOf } from '../activities/scope/zipFile.js';
import type { Place } from './cli.js';
import { fakeWith, statesOf } from './fakes.js';
import type { FakeClaude, FakeRule } from './fakeClaude.js';
import type { Example } from './languagePage.js';

/** Everything that was not as the page says; empty when all was. */
export async function runExample(example: Example, place: Place): Promise<readonly string[]> {
  const folder = example.title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
  await writeFiles(example, (name, content) => place.write(join(folder, name), content));
  const fake = await fakeWith(...rulesOf(example));
  const wrong: string[] = [];
  let said = '';
  for (const { args, stdout, exitCode } of example.commands) {
    const called = await place.raymond(args, { cwd: join(place.cwd, folder), env: fake.env });
    said += `${called.stderr}\n`;
    const command = `raymond ${args.join(' ')}`;
    if (!fits(stdout, called.stdout)) wrong.push(`${command} printed:\n${called.stdout}\ninstead of:\n${stdout}`);
    if (called.exitCode !== exitCode) wrong.push(`${command} ended with ${called.exitCode}, not ${exitCode}`);
  }
  for (const line of example.stderr) if (!holds(said, line)) wrong.push(`not on stderr: ${line}`);
  wrong.push(...(await wrongTalk(example, fake)));
  return wrong.length === 0 ? [] : [...wrong, `stderr:\n${said}`];
}

/** True when the text is what the pattern says; `…` stands for anything. */
export function fits(pattern: string, text: string): boolean {
  return new RegExp(`^${expression(pattern.trim())}$`).test(text.trim());
}

function holds(text: string, pattern: string): boolean {
  return new RegExp(expression(pattern.trim())).test(text);
}

function expression(pattern: string): string {
  return pattern.split('…').map(escaped).join('[^]*?');
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
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

/** A prompt is recognised by how it begins, up to its first variable. */
function matchOf({ files }: Example, state: string): { readonly match?: string } {
  const file = [...files].find(([path]) => new RegExp(`(^|/)${escaped(state)}(\\.md)?$`).test(path));
  if (file === undefined) return {};
  const beginning = /^[^\n{]*/.exec(file[1].replace(/^---\n[^]*?\n---\n/, '').trim())?.[0] ?? '';
  if (beginning === '') throw new Error(`the prompt ${state} must begin with words`);
  return { match: `^${escaped(beginning)}` };
}

async function wrongTalk({ answers, prompts }: Example, fake: FakeClaude): Promise<readonly string[]> {
  const calls = await fake.calls();
  const states = statesOf(calls).map((file) => file.replace(/\.md$/, ''));
  const given = (state: string): number => states.filter((name) => name === state).length;
  const unasked = [...answers].filter(([state, texts]) => given(state) < texts.length);
  const unanswered = states.filter((state) => !answers.has(state));
  const last = (state: string): string => calls[states.lastIndexOf(state)]?.prompt ?? '';
  const misread = [...prompts].filter(([state, text]) => !fits(text, last(state)));
  return [
    ...unasked.map(([state, texts]) => `${state} has ${texts.length} answers, but was asked ${given(state)} times`),
    ...unanswered.map((state) => `${state} was asked, but the page says no answer`),
    ...misread.map(([state]) => `${state} was asked:\n${last(state)}`),
  ];
}

// Compares what an example of a page promises with what was seen when it ran. Pure.
// Must not run anything.
import type { Example } from './language-page.js';

/** What was seen: how each command ended, and what Claude was asked in which state. */
export interface Seen {
  readonly called: readonly {
    readonly stdout: string;
    readonly stderr: string;
    readonly exitCode: number | undefined;
  }[];
  /** Files that were made, by name. */
  readonly made: ReadonlyMap<string, string | undefined>;
  readonly asked: readonly { readonly state: string; readonly prompt: string }[];
}

/** The attributes of a forked agent: they stand on its first line after they are known, whichever that is. */
const INTRODUCTION = /^(\d\d:\d\d:\d\d \S+) \(\w+=[^)\n]*\) /gm;

/** Everything that was not as the page says; empty when all was. */
export function differences(example: Example, seen: Seen): readonly string[] {
  const said = seen.called.map(({ stderr }) => stderr.replace(INTRODUCTION, '$1 ')).join('\n');
  const unsaid = example.stderr.filter((line) => !holds(said, line));
  const wrong = [
    ...wrongEnds(example, seen),
    ...unsaid.map((line) => `not on stderr: ${line}`),
    ...wrongFiles(example, seen),
    ...wrongTalk(example, seen),
  ];
  return wrong.length === 0 ? [] : [...wrong, `stderr:\n${said}`];
}

/** True when the text is what the pattern says; `…` stands for anything. */
export function fits(pattern: string, text: string): boolean {
  return new RegExp(`^${expression(pattern.trim())}$`).test(text.trim());
}

/** The text as a regular expression that matches only it. */
export function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}

function holds(text: string, pattern: string): boolean {
  return new RegExp(expression(pattern.trim())).test(text);
}

function expression(pattern: string): string {
  return pattern.split('…').map(escaped).join('[^]*?');
}

function wrongEnds({ commands }: Example, { called }: Seen): readonly string[] {
  return commands.flatMap(({ args, stdout, exitCode }, index) => {
    const command = `raymond ${args.join(' ')}`;
    const end = called[index];
    if (end === undefined) return [`${command} was not run`];
    return [
      ...(fits(stdout, end.stdout) ? [] : [`${command} printed:\n${end.stdout}\ninstead of:\n${stdout}`]),
      ...(end.exitCode === exitCode ? [] : [`${command} ended with ${end.exitCode}, not ${exitCode}`]),
    ];
  });
}

function wrongFiles({ made }: Example, seen: Seen): readonly string[] {
  return [...made].flatMap(([name, text]) => {
    const found = seen.made.get(name);
    if (found !== undefined && fits(text, found)) return [];
    return [`${name} holds:\n${found ?? '(it is not there)'}\ninstead of:\n${text}`];
  });
}

function wrongTalk({ answers, prompts }: Example, { asked }: Seen): readonly string[] {
  const times = (name: string): number => asked.filter(({ state }) => state === name).length;
  const last = (name: string): string => asked.findLast(({ state }) => state === name)?.prompt ?? '';
  const unasked = [...answers].filter(([state, texts]) => times(state) < texts.length);
  const unanswered = asked.filter(({ state }) => !answers.has(state));
  const misread = [...prompts].filter(([state, text]) => !fits(text, last(state)));
  return [
    ...unasked.map(([state, texts]) => `${state} has ${texts.length} answers, but was asked ${times(state)} times`),
    ...unanswered.map(({ state }) => `${state} was asked, but the page gives no answer`),
    ...misread.map(([state]) => `${state} was asked:\n${last(state)}`),
  ];
}

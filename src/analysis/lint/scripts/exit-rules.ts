// Finds programs and scripts that print a tag in each case, and then end with an exit code other than 0 in one of these cases.
import { executorOf } from '../../../protocol/language/resolve.js';
import type { ScriptPath } from '../../script/path.js';
import { wordsIn } from '../../script/path.js';
import { plainText, TAG, type Mistake, type ScriptState } from '../helpers.js';

/** A path with the tags that it prints. */
interface TaggedPath {
  readonly path: ScriptPath;
  readonly tags: readonly unknown[];
}

/** An exit that fails if a condition is true. */
interface Guard {
  readonly at: number;
  readonly condition: string;
}

const GUARDS = {
  python: [
    /^[ \t]*(?:if|elif) ([^\n]{1,200}):[ \t]*\n?[ \t]*(?:(?:sys\.)?exit|raise SystemExit|os\._exit)\(\s*[1-9]/gm,
    /^[ \t]*(?:(?:sys\.)?exit|raise SystemExit|os\._exit)\(\s*(?:[1-9]\d* if ([^\n]{1,200}) else 0|0 if ([^\n]{1,200}) else [1-9]\d*|(?:int|bool|len)\(([^\n]{1,200})\)|not ([^\n]{1,200}))\s*\)[ \t]*$/gm,
    /^[ \t]+return (?:[1-9]\d* if ([^\n]{1,200}) else 0|0 if ([^\n]{1,200}) else [1-9]\d*|int\(([^\n]{1,200})\))[ \t]*$/gm,
  ],
  node: [
    /^[ \t]*(?:\}[ \t]*else[ \t]+)?if[ \t]*\(([^\n]{1,200})\)[ \t]*\{?[ \t]*\n?[ \t]*process\.(?:exit\(\s*[1-9]|exitCode\s*=\s*[1-9])/gm,
    /^[ \t]*process\.(?:exit\(|exitCode\s*=)\s*([^\n?]{1,200}\?\s*\d+\s*:\s*\d+|Number\([^\n]{1,100}\)|\w+\.length)\s*\)?;?[ \t]*$/gm,
  ],
  bash: [
    /^[ \t]*if[ \t]+([^\n]{1,200}?);?[ \t]*(?:\n[ \t]*)?then[ \t]*\n?[ \t]*exit[ \t]+[1-9]/gm,
    /^[ \t]*(\[\[?[ \t][^\n]{1,200}?\]|\(\([^\n]{1,200}?\)\)|test [^\n]{1,200}?)[ \t]*(?:&&|\|\|)[ \t]*\{?[ \t]*exit[ \t]+[1-9]/gm,
    /^[ \t]*exit[ \t]+["']?\$\(\(([^\n]{1,100})\)\)["']?[ \t]*$/gm,
  ],
} as const;

function guardsIn(text: string, patterns: readonly RegExp[]): readonly Guard[] {
  return patterns.flatMap((pattern) =>
    [...text.matchAll(pattern)].map((match) => {
      const [whole] = match;
      const exit = whole.search(/(?:sys\.)?exit\(|raise SystemExit|os\._exit|process\.exit|\bexit[ \t]|\breturn /);
      const condition = match.slice(1).find(Boolean) ?? '';
      return { at: match.index + Math.max(exit, whole.search(/\S/)), condition };
    }),
  );
}

/** The conditional exits below tags, of which one is printed in the same case. */
export function* conditionalExits(state: ScriptState, paths: readonly TaggedPath[]): Generator<Mistake> {
  const executor = executorOf(state.file);
  if (executor !== 'python' && executor !== 'node' && executor !== 'bash') return;
  const text = plainText(state);
  for (const { at, condition } of guardsIn(text, GUARDS[executor])) {
    const before = text.slice(0, at);
    if (!choosesTag(before, condition) || !isMain(text, at)) continue;
    // Every path that may come here has its tag.
    const coming = paths.filter(({ path }) => path.endsAt >= at - condition.length - 40);
    if (coming.length < 2 || coming.some(({ tags }) => tags.length === 0)) continue;
    yield {
      at,
      message: 'the exit code is not 0 in some cases here, and then the tag that was printed above does not count',
      fix: 'end the script with exit code 0 after a tag',
    };
    return;
  }
}

/** A `return` counts if its function gives the exit code. */
function isMain(text: string, at: number): boolean {
  if (!text.startsWith('return', at)) return true;
  const [, name] = /^(?:sys\.exit|raise SystemExit)\((\w+)\(/m.exec(text.replace(/^[ \t]+/gm, '')) ?? [];
  const [around] = [...text.slice(0, at).matchAll(/^def[ \t]+(\w+)/gm)].slice(-1);
  return name !== undefined && around?.[1] === name;
}

/** True if the tags above are chosen by a condition with a word of this one, and by nothing that an exit follows. */
function choosesTag(before: string, condition: string): boolean {
  const words = [...wordsIn(condition.replace(/\blength\b|\bNumber\b/g, ''))];
  const lines = before.split('\n');
  const first = lines.findIndex((line) => TAG.test(line));
  const head = lines.slice(Math.max(0, first - 12), first + 1).join('\n');
  const tags = [...before.matchAll(new RegExp(TAG, 'g'))].length;
  if (tags < 2 || words.length === 0) return false;
  return words.some((word) =>
    new RegExp(
      `(?:\\bif\\b|\\bcase\\b|\\belif\\b|\\?|\\[\\[?\\s)[^\\n]{0,200}(?<![\\w.])${word}(?!\\w)|(?<![\\w.])${word}(?!\\w)[^\\n]{0,80}\\?`,
    ).test(head),
  );
}

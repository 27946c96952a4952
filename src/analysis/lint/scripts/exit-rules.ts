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

/** An exit that fails, at least in some cases, on paths that all have printed a tag. */
export function* exitsWithTag(state: ScriptState, paths: readonly TaggedPath[]): Generator<Mistake> {
  const text = plainText(state);
  const groups = new Map<number, TaggedPath[]>();
  for (const one of paths)
    if (one.path.exit !== undefined) groups.set(one.path.exit.at, [...(groups.get(one.path.exit.at) ?? []), one]);
  for (const [at, group] of groups) {
    if (group.some(({ tags }) => tags.length === 0)) continue;
    const fails = group.some(({ path: { exit } }) => exit !== undefined && losesTag(exit, text));
    if (!fails) continue;
    yield {
      at,
      message: 'this becomes the exit code: if it is not 0, the tag of the script does not count',
      fix: 'end the script with exit code 0 after a tag',
    };
    return;
  }
}

/** A plain number behind a tag may be meant: what fails there is more than the tag. */
function losesTag({ at, end, isKnown, isBeforeTag }: NonNullable<ScriptPath['exit']>, text: string): boolean {
  const code = text.slice(at, end);
  return isKnown
    ? isBeforeTag || !/^(?:(?:exit|return)\s+)?\d+$/.test(code.trim())
    : mayFail(code.replace(/^(?:exit|return)\s+/, ''), text);
}

/** Whether a value that a program computes may be another number than 0, as that of a counter. */
function mayFail(code: string, text: string, depth = 0): boolean {
  const plain = code.trim().replace(/^["']?\$\{?(\w+)\}?["']?$/, '$1');
  if (/^[\w.]+$/.test(plain) && !/\.(?:length|size|returncode)$/.test(plain))
    return depth < 4 && nameMayFail(plain.split('.').at(-1) ?? '', { text, depth, isField: plain.includes('.') });
  if (/^["']?\$(?:\?|\(\w)/.test(plain)) return true;
  const [, called] = /^(?:await\s+)?(\w+)\([^()]*\)$/.exec(plain) ?? [];
  if (called !== undefined && !/^(?:len|sum|int|bool|Number)$/.test(called))
    return depth < 4 && returnsOf(called, text).some((value) => mayFail(value, text, depth + 1));
  if (/\?.*:|\bif\b.*\belse\b/.test(plain)) return /(?:[?:]|\belse|^)\s*[1-9]\d*\s*(?:$|[:]|if\b)/.test(plain);
  return /^(?:len|sum|int|bool|Number)\(|\.(?:length|size|returncode)$|^(?:not\s|!|\+!)|[<>]|[!=]=/.test(plain);
}

/** A counter, or a variable that is given such a value. */
function nameMayFail(
  name: string,
  { text, depth, isField }: { readonly text: string; readonly depth: number; readonly isField: boolean },
): boolean {
  if (isField) return new RegExp(`\\.${name}\\s*(?:\\+\\+|\\+=)`).test(text);
  const counted = `(?<![\\w.$])${name}\\s*(?:\\+\\+|\\+=)|\\+\\+${name}\\b|(?<![\\w.$])${name}=\\$\\(\\(\\s*\\$?${name}\\s*\\+`;
  if (new RegExp(counted).test(text)) return true;
  const given = new RegExp(`(?<![\\w.$])${name}[ \\t]*(?::[ \\t]*\\w+[ \\t]*)?=(?![=>])[ \\t]*([^\\n;]*)`, 'g');
  const values = [...text.matchAll(given)].map(([, value = '']) => value.trim());
  return values.some((value) => /^[1-9]\d*$/.test(value) || (!/^\d+$/.test(value) && mayFail(value, text, depth + 1)));
}

/** What a function of a program returns. */
function returnsOf(name: string, text: string): readonly string[] {
  const head = new RegExp(`^(?:async )?(?:def|function)[ \\t]+${name}\\b`, 'm').exec(text);
  if (head === null) return [];
  const [body = ''] = text.slice(head.index + head[0].length).split(/\n(?=[^\s}])/, 1);
  return [...body.matchAll(/\breturn[ \t]+([^\n;]+)/g)].map(([, value = '']) => value);
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

// Finds what a bash script writes into the attributes of its tags although the value has the quote that encloses it: the output of a command
// that makes JSON, and texts of the script itself. Pure.
import { literalPattern } from '../../../protocol/text.js';
import { plainText, scriptsOf } from '../helpers.js';
import type { Analysis } from '../rule.js';

/** What the last stage of a filter of jq makes: an object or a list. */
const MAKES_OBJECT = /(?:^|\|)\s*(?:\{|\[|map\(|to_entries\b|group_by\(|tojson\b|@json\b|\.\s*$)[^|]*$/;

/** True for a command, or the last one of a pipeline, whose output is JSON with quotes. */
function makesJson(command: string): boolean {
  if (/\bpython3?\b[^\n]*\s-c\b[^]*\bjson\.dumps\(\s*(?!len\(|int\(|sum\()/.test(command)) return true;
  if (/\bnode\b[^\n]*\s-(?:p|e|pe)\b[^]*\bJSON\.stringify\(/.test(command)) return true;
  const jq =
    /\bjq\b((?:\s+(?:--arg(?:json)?\s+\w+\s+(?:"[^"]*"|'[^']*'|\S+)|-[-\w]+))*)\s+(?:'([^']*)'|"((?:\\"|[^"])*)"|(\.)(?=\s|$))(?![^]*\|)/.exec(
      command,
    );
  if (jq === null) return false;
  const [, options = '', single, double, dot] = jq;
  const filter = (single ?? double ?? dot ?? '').trim();
  const isRaw = /\s-\w*[rj]|--(?:raw|join)-output/.test(options);
  return isRaw ? /\b(?:tojson|@json)\s*$|@json\s*$/.test(filter) : MAKES_OBJECT.test(filter);
}

/** True for `$(…)` of a command that makes JSON, or of a function that does. */
function givesJson(text: string, expression: string): boolean {
  const [, command = ''] = /^["']?\$\(\s*([^]*?)\)["']?\s*$/.exec(expression) ?? [];
  if (command === '') return false;
  if (makesJson(command)) return true;
  const [, name] = /^([A-Za-z_][\w-]*)(?:\s[^|;&]*)?$/.exec(command) ?? [];
  if (name === undefined) return false;
  const head = new RegExp(`^[ \\t]*(?:function[ \\t]+)?${literalPattern(name)}[ \\t]*\\(\\)[ \\t]*\\{`, 'm').exec(text);
  if (head === null) return false;
  const [body = ''] = text.slice(head.index + head[0].length, head.index + 1500).split(/\n[ \t]*\}/, 1);
  return makesJson(body) && !/\b(?:echo|printf)\b/.test(body);
}

/** The beginning of an assignment, which an attribute of the same name in a tag is not. */
function assignmentOf(name: string): string {
  return `(?:^|[;&|({]|\\b(?:local|export|readonly|declare|then|do|else))[ \\t]*${name}=`;
}

/** The command substitution that begins at an offset, with its closing bracket. */
function substitutionAt(text: string, from: number): string {
  let depth = 0;
  for (let at = from; at < Math.min(text.length, from + 1500); at++) {
    if (text[at] === '(') depth += 1;
    else if (text[at] === ')' && --depth === 0) return text.slice(from, at + 1);
  }
  return '';
}

/** True for a part of a tag that is JSON: `$(…)`, or a variable that gets nothing else. */
export function isShellJson(text: string, offset: number): boolean {
  const [, name] = /^\$\{?([A-Za-z_]\w*)\}?/.exec(text.slice(offset, offset + 100)) ?? [];
  if (name === undefined) return text.startsWith('$(', offset) && givesJson(text, substitutionAt(text, offset));
  const starts = [...text.matchAll(new RegExp(`${assignmentOf(name)}["']?(?=(\\$\\()?)`, 'gm'))];
  return (
    starts.length > 0 &&
    starts.every(({ index, 0: whole, 1: opening }) => {
      return opening !== undefined && givesJson(text, substitutionAt(text, index + whole.length));
    })
  );
}

/** True for `$(cat FILE)` of a file to which bash scripts write only variables that they test for their characters. */
export function isTestedFile(
  analysis: Analysis,
  { read, mark }: { readonly read: string; readonly mark: string },
): boolean {
  const [, file] = /^\$\(\s*(?:cat|<)\s+(?:--\s+)?["']?(?:[^\s"')]*\/)?([\w.-]+)["']?\s*\)/.exec(read) ?? [];
  if (file === undefined) return false;
  const written = new RegExp(
    `^.*>[ \\t]*["']?[^\\s"']*(?<![\\w.$\\{-])${literalPattern(file)}["']?(?![\\w.-]).*$`,
    'gm',
  );
  const writes = scriptsOf(analysis).flatMap((state) => {
    const text = plainText(state);
    return [...text.matchAll(written)].map(([line]) => {
      const [, name] =
        /^[ \t]*(?:printf[ \t]+["']?%s(?:\\n)?["']?|echo)[ \t]+"?\$\{?(\w+)\}?"?[ \t]*>/.exec(line) ?? [];
      return name !== undefined && isTested(text, { name, mark });
    });
  });
  return writes.length > 0 && writes.every(Boolean);
}

/** True for a variable that ends the script if it has other characters than those of a pattern, or is no path: `[[ $name =~ ^[a-z]+$ ]] || exit`. */
function isTested(text: string, { name, mark }: { readonly name: string; readonly mark: string }): boolean {
  const value = `"?\\$\\{?${name}\\}?"?`;
  const regex = new RegExp(
    `(!?)[ \\t]*\\[\\[[ \\t]+(!?)[ \\t]*${value}[ \\t]+=~[ \\t]+\\^((?:\\[[^\\]^\\n]+\\][+*]?|[\\w-])+)\\$[ \\t]+\\]\\]([^\\n]*\\n?[^\\n]*\\n?[^\\n]*)`,
  ).exec(text);
  const glob = new RegExp(
    `\\bcase[ \\t]+${value}[ \\t]+in\\s[^;]*\\*\\[[!^][\\w.:[\\]-]+\\]\\*(?:(?!;;)[^])*\\bexit\\b`,
  );
  // The path of a file that must exist, or that git must know.
  const path = new RegExp(
    `(?:\\bgit[ \\t]+ls-files[ \\t]+--error-unmatch|\\[\\[?[ \\t]+(?:![ \\t]+)?-[defrs])[ \\t]+(?:--[ \\t]+)?${value}(?:(?!\\bfi\\b)[^])*\\bexit\\b`,
  );
  const [, before = '', inside = '', allowed = mark, after = ''] = regex ?? [];
  const ends = before + inside === '!' ? /\bexit\b/ : /^[ \t]*\|\|[^\n]*\s*[^]*\bexit\b/;
  return (!allowed.includes(mark) && ends.test(after)) || glob.test(text) || path.test(text);
}

/** A text of the script with this quote, if a loop gives it to the variable at an offset. */
export function shellTextWith(
  text: string,
  { offset, quote }: { readonly offset: number; readonly quote: string },
): string | undefined {
  const [, name] = /^\$\{?([A-Za-z_]\w*)\}?(?![\w[/%#:])/.exec(text.slice(offset, offset + 100)) ?? [];
  if (name === undefined || new RegExp(assignmentOf(name), 'm').test(text)) return undefined;
  const lists = [
    ...text.matchAll(
      new RegExp(`\\bfor[ \\t]+${name}[ \\t]+in[ \\t]+((?:"[^"\\n]*"|'[^'\\n]*'|\\\\\\n|[^;\\n"'])*)`, 'g'),
    ),
  ].map(([, list = '']) => arrayIn(text, list));
  const words = lists.flatMap(wordsOf);
  const given = new RegExp(
    `\\bread\\b[^\\n;]*[ \\t]${name}\\b[^]{0,4000}?\\bdone[ \\t]*<<-?[ \\t]*["']?(\\w+)["']?\\n([^]{0,4000}?)\\n[ \\t]*\\1[ \\t]*$`,
    'm',
  ).exec(text);
  const lines = given === null ? [] : (given[2] ?? '').split('\n');
  return [...words, ...lines].find((one) => one.includes(quote));
}

/** The words of `"${names[@]}"`, or the list as it is. */
function arrayIn(text: string, list: string): string {
  const [, name] = /^"?\$\{(\w+)\[[@*]\]\}"?\s*$/.exec(list.trim()) ?? [];
  if (name === undefined) return list;
  return new RegExp(`(?<![\\w$])${name}=\\(((?:"[^"]*"|'[^']*'|[^)"'])*)\\)`).exec(text)?.[1] ?? '';
}

/** The words of a list without the quotes around them. */
function wordsOf(list: string): readonly string[] {
  return [...list.matchAll(/"((?:\\.|[^"\\])*)"|'([^']*)'|\$'((?:\\.|[^'\\])*)'|[^\s"']+/g)].map(
    ([word, double, single, ansi]) => (double ?? single ?? ansi ?? word).replace(/\\(["'])/g, '$1'),
  );
}

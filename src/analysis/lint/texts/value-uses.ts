// How a script uses its value: as content, such as JSON or lines, or as the text that the state before a question had. Pure.
import type { StateNode } from '../../graph.js';
import { plainText } from '../helpers.js';

/** The value, or a variable that holds it. */
function nameOfValue(code: string): string {
  const read = String.raw`RAYMOND_(?:INPUT|RESULT)\b`;
  const assignment = new RegExp(
    String.raw`(?<![\w.$])(\w+)\s*=(?!=)\s*(?:"?\$\{?${read}\}?"?[ \t]*$|(?:os\.)?environ(?:\.get)?[[(]["']${read}["'][\])]\s*$|(?:os\.)?getenv\(["']${read}["']\)\s*$|process\.env\.${read};?\s*$)`,
    'gm',
  );
  const aliases = [...code.matchAll(assignment)].map(([, name = '']) => `\\b${name}\\b`);
  return `(?:${[read, ...aliases].join('|')})`;
}

/** Uses that a word such as "done" makes useless. */
function contentPatterns(value: string): readonly string[] {
  return [
    String.raw`\b(?:json\.loads|JSON\.parse)\([^()\n]{0,60}${value}`,
    String.raw`\bjq\b[^\n]*<<<\s*"?\$\{?${value}`,
    String.raw`\b(?:echo|printf)\b[^\n|]*\$\{?${value}[^\n|]*\|\s*(?:jq|wc|sort|while|head|tail)\b`,
    String.raw`\b(?:int|float|Number|parseInt)\([^()\n]{0,60}${value}`,
    String.raw`\$\(\([^()\n]*${value}`,
    String.raw`${value}["'\])!?]{0,4}\.split(?:lines)?\(`,
    String.raw`\bread(?:array)?\b[^\n]*<<<\s*"?\$\{?${value}|\bmapfile\b[^\n]*<<<\s*"?\$\{?${value}`,
    String.raw`\bfor\s+\w+\s+in\s+\$\{?${value}`,
    String.raw`\$\{?${value}[^\n|]*>>?\s*"?[^\s&"]*\.(?:md|txt|json|csv|html|ya?ml|tex)\b`,
    String.raw`\bwrite(?:_text|FileSync|File)?\([^\n]*${value}`,
  ];
}

/** True for a script that parses its value as JSON. */
export function valueAsJson(state: StateNode): boolean {
  const code = plainText(state);
  const value = nameOfValue(code);
  return new RegExp(
    [
      String.raw`\b(?:json\.loads?|JSON\.parse)\([^\n]{0,60}${value}`,
      String.raw`\bjq\b[^\n]*<<<\s*"?\$\{?${value}`,
      String.raw`\b(?:echo|printf)\b[^\n|]*\$\{?${value}[^\n|]*\|\s*jq\b`,
      String.raw`\bjq\b[^\n|]*\$\{?RAYMOND_(?:INPUT|RESULT)_FILE\b`,
      String.raw`\b(?:json\.loads?|JSON\.parse)\([^\n]{0,60}RAYMOND_(?:INPUT|RESULT)_FILE\b`,
    ].join('|'),
  ).test(code);
}

/** Where a script uses its value as content. */
export function contentUse(state: StateNode): boolean {
  const code = plainText(state);
  return new RegExp(contentPatterns(nameOfValue(code)).join('|')).test(code);
}

/** Commands that take the path of a file, or the name of a branch. */
const OPENERS = String.raw`\b(?:cat|cp|mv|scp|rsync|rm|head|tail|wc|tar|unzip|git\s+(?:merge|checkout|push|switch|branch|rebase)|kubectl\s+apply|docker\s+(?:push|pull|run))\b`;

/** Where a script uses the answer to a question as the text, the path or the name that the question was about. */
export function earlierUse(state: StateNode, questions: string): number | undefined {
  const code = plainText(state);
  const value = nameOfValue(code);
  // A script that compares the answer, or what it makes of it, knows what it is.
  const derived = [...code.matchAll(new RegExp(`(?<![\\w.$])(\\w+)\\s*=(?!=)[^\\n]*${value}`, 'g'))];
  const either = `(?:${[value, ...derived.map(([, name = '']) => `\\b${name}\\b`)].join('|')})`;
  const compares = new RegExp(
    String.raw`\bcase\b[^\n]*${either}|\[\[?[^\n]*${either}|\btest\b[^\n]*${either}|\b(?:if|elif|while|switch|match)\b[^\n]*${either}|${either}[^\n]*(?:==|!=|=~|\bin\b)|grep[^\n]*${either}|\[[^\]\n]{0,40}${either}[^\]\n]{0,10}\]`,
  );
  if (compares.test(code.replace(/environ\[/g, 'environ '))) return undefined;
  const opened = new RegExp(
    String.raw`^[^#\n|;]*?${OPENERS}[^\n|;<>]*"\$\{?(${value})\}?"|\bopen\([^()\n]{0,30}(${value})|\b(?:json\.loads|JSON\.parse)\([^()\n]{0,40}(${value})|\breadFileSync\([^()\n]{0,30}(${value})|\bjq\b[^\n]*<<<\s*"?\$\{?(${value})`,
    'm',
  ).exec(code);
  if (opened !== null) return opened.index + opened[0].search(new RegExp(value));
  const file = String.raw`(?:[^\s"']*/)?([A-Za-z]{3,})\.(?:md|txt|json|csv|html|ya?ml)`;
  const written = new RegExp(
    String.raw`\$\{?${value}\}?"?\s*>\s*"?${file}\b|["']${file}["'][^\n]{0,20}\bwrite(?:_text)?\([^()\n]{0,30}${value}|\bwriteFile(?:Sync)?\(\s*["']${file}["'],[^()\n]{0,30}${value}`,
  ).exec(code);
  const [whole, bash, python, node] = written ?? [];
  const noun = bash ?? python ?? node ?? '';
  if (written === null || whole === undefined || !new RegExp(`\\b${noun}\\b`, 'i').test(questions)) return undefined;
  return written.index + whole.search(new RegExp(value));
}

// Finds why a Python or JavaScript program prints no tag, although it prints something like one: <print> is no transition, an escaped tag
// is a text, and a program that exits does not wait for its async functions.
import { executorOf } from '../../../protocol/language/resolve.js';
import { literalPattern } from '../../../protocol/text.js';
import { plainText, TAG, type Mistake, type ScriptState } from '../helpers.js';
import { programCode } from './program-code.js';

/** Why a program without a tag in its output has none. */
export function taglessProgram(state: ScriptState): Mistake | undefined {
  return (
    (PRINTS_ELSE.test(plainText(state)) ? undefined : onlyPrintIn(state)) ?? escapedTag(state) ?? unclosedTag(state)
  );
}

/** How else a program may print a tag: in pieces, by an escape, or by another program or module. */
const PRINTS_ELSE =
  /<(?!\/?print\b)|\\x3c|\\u003c|\\074|\bchr\(|CharCode|spawn|exec|subprocess|system\(|\brun\(|import_module|__import__|require\(\s*["']\.|\bfrom\s+["']\.|^\s*(?:from|import)\s+(?!os|sys|json|re|time|csv|subprocess|datetime|pathlib|random|math|collections|typing|__future__)\w/m;

/** `<print>`, in a script that prints no tag. */
export function onlyPrintIn(state: ScriptState): Mistake | undefined {
  const at = plainText(state).search(/<print[\s>]/);
  if (at < 0) return undefined;
  return {
    at,
    message: '<print> only shows a text, so the script prints no tag that says where to go',
    fix: 'also print a tag such as <result>done</result>',
  };
}

const ESCAPES = String.raw`(?:html\.escape|escape|escapeHtml|escapeHTML|escapeXml|saxutils\.escape)`;
const PRINTS = String.raw`\b(?:print|sys\.stdout\.write|console\.(?:log|info)|process\.stdout\.write)`;
const ESCAPED = new RegExp(String.raw`${PRINTS}\(\s*${ESCAPES}\(\s*(?:(\w+)\s*\)|[fr]?["'\`]<)`, 'g');

/** `print(html.escape(tag))`. */
function escapedTag(state: ScriptState): Mistake | undefined {
  const text = plainText(state);
  for (const { index, 1: name } of text.matchAll(ESCAPED)) {
    const isTag = name === undefined || new RegExp(`\\b${name}\\s*=\\s*[fr]?["'\`]<[a-z]`).test(text);
    if (isTag)
      return {
        at: index,
        message: 'this escapes the whole tag, so the output contains &lt; instead of <',
        fix: 'escape only the values in the tag',
      };
  }
  return undefined;
}

/** A function that builds a tag of any name, and opens the tag a second time where it should close it. */
function unclosedTag(state: ScriptState): Mistake | undefined {
  const match = /<(\$?\{\w+\})[^<>\n]*>[^<>\n]*(<\1>)(?=["'`])/.exec(plainText(state));
  if (match === null) return undefined;
  const [whole, name = '', closing = ''] = match;
  return {
    at: match.index + whole.length - closing.length,
    message: `this opens <${name}> a second time and never closes it`,
    fix: `write </${name}>`,
  };
}

/** A call whose callback runs later, and then `process.exit();`. */
const CALLBACK =
  /^(?:const \w+ = )?[\w.]*(?:exec|execFile|readFile|readdir|stat|access|get|request|setTimeout|setImmediate|then|on|once|question)\([^\n]*(?:=>|\bfunction\b)[^\n]*\n(?:(?!^\S)[^])*^\}(?:, [\w.]+)?\);?[ \t]*\n\s*(process\.exit\()/gm;

function* exitsBeforeCallback(code: string, text: string): Generator<Mistake> {
  for (const { index, 0: whole } of code.matchAll(CALLBACK)) {
    const at = index + whole.length - 'process.exit('.length;
    if (!TAG.test(text.slice(index, at)) || TAG.test(text.slice(0, index))) continue;
    yield {
      at,
      message: 'this ends the program before the callback has printed its tag',
      fix: 'remove it: the program ends when the callback has run',
    };
  }
}

/** `main();` and then `process.exit();`, where `main` prints its tag behind an `await`. */
export function* exitsTooEarly(state: ScriptState): Generator<Mistake> {
  if (executorOf(state.file) !== 'node') return;
  const [code, text] = [programCode(state), plainText(state)];
  yield* exitsBeforeCallback(code, text);
  for (const match of code.matchAll(/^(\w+)\([^()\n]*\);?[ \t]*(?:\/\/[^\n]*)?\n\s*(process\.exit\()/gm)) {
    const name = literalPattern(match[1] ?? '');
    const start = code.search(new RegExp(`\\basync function ${name}\\b|\\bconst ${name} = async\\b`));
    const end = start < 0 ? -1 : code.indexOf('\n}', start);
    const waits = code.indexOf('await ', start);
    if (start < 0 || end < 0 || waits < 0 || waits > end || !TAG.test(text.slice(waits, end))) continue;
    const at = match.index + match[0].length - 'process.exit('.length;
    yield {
      at,
      message: `this ends the program before ${name}() has printed its tag, because nothing waits for ${name}()`,
      fix: `remove it, or write ${name}().then(() => process.exit())`,
    };
  }
}

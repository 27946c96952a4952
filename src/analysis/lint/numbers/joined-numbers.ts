// Finds numbers of a Python program that it joins to a text with +, which is a TypeError.
import { executorOf } from '../../../protocol/language/resolve.js';
import type { Mistake, ScriptState } from '../helpers.js';
import { programCode } from '../scripts/program-code.js';

const NUMBER = String.raw`-?\d[\d_.]*|(?:int|float|len|sum|round|abs)\([^\n]*\)`;

/** True for a name that gets nothing but numbers. */
function isNumber(name: string, code: string): boolean {
  const gets = [...code.matchAll(new RegExp(`(?<![\\w.])${name}[ \\t]*(?:[-+*/]|//)?=(?!=)[ \\t]*([^\\n]*)`, 'g'))];
  const isOther = new RegExp(
    `\\b(?:for|as|global|nonlocal|def|lambda)\\b[^\\n:]*\\b${name}\\b|,[ \\t]*${name}\\b[^\\n()]*=(?!=)|\\b${name}[ \\t]*,[^\\n()]*=(?!=)`,
  );
  return (
    gets.length > 0 &&
    !isOther.test(code) &&
    gets.every(([, value = '']) => new RegExp(`^(?:${NUMBER})[ \\t]*$`).test(value))
  );
}

const JOINED =
  /["'][ \t]*\+[ \t]*(?:(len|int|sum)\(|([A-Za-z_]\w*)(?![\w.([]))|(?<![\w.)\]])([A-Za-z_]\w*)[ \t]*\+[ \t]*(?:[rf]?["'])/g;

/** `"<result>" + total + " pages</result>"`. */
export function* joinedNumbers(state: ScriptState): Generator<Mistake> {
  if (executorOf(state.file) !== 'python') return;
  const code = programCode(state);
  for (const match of code.matchAll(JOINED)) {
    const [whole, call, after, before] = match;
    const name = after ?? before;
    if (call === undefined && (name === undefined || !isNumber(name, code))) continue;
    const word = call === undefined ? (name ?? '') : `${call}(…)`;
    yield {
      at: match.index + whole.search(/[A-Za-z_]/),
      message: `${word} is a number, so joining it to a text with + fails with a TypeError`,
      fix: `write str(${word}), or put it in an f-string`,
    };
    return;
  }
}

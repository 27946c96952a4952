// Finds attributes that a script puts together from variables, lists or objects, where the tag itself does not show them.
import { hasComputedAttributes, type Mention } from '../../mention.js';
import { mistakesOf, plainText, type Mistake, type ScriptState } from '../helpers.js';
import { importedFiles } from '../scripts/definitions.js';
import type { Analysis, FindingDetails } from '../rule.js';

/** Where the code of a script gives an attribute this value: in a text, an object, a pair or an argument. */
export function assignedAt(
  { source }: ScriptState,
  { name, value }: { readonly name: string; readonly value: string },
): number | undefined {
  const pattern = new RegExp(
    `(?<![\\w-])${name}(?:[ \\t]*=[ \\t]*|\\\\?["'\`]?\\]?[ \\t]*[:,=][ \\t]*)\\\\?["'\`]${value}\\\\?["'\`]`,
  );
  const match = pattern.exec(plainText({ source }));
  return match?.index;
}

/** True for a tag of a script that may get more attributes than it shows. */
export function mayGetAttributes(mention: Mention): boolean {
  return mention.source === 'script' && hasComputedAttributes(mention);
}

/** A question or an `<await>` with `timeout_next`, in a script that never gives it a `timeout`. */
export function* timeoutNextAlone(analysis: Analysis): Generator<FindingDetails> {
  for (const finding of mistakesOf(analysis, (state) => timeoutNextIn(analysis, state)))
    yield { ...finding, severity: 'warning' };
}

/** What may give a tag attributes that the code does not name. */
const OTHER_SOURCE = /\bJSON\.parse\b|\bjson\.loads?\b|\byaml\b|\btoml|\bimport\(|\bsource[ \t]|^[ \t]*\.[ \t]/m;

function* timeoutNextIn(analysis: Analysis, state: ScriptState): Generator<Mistake> {
  const waiting = state.mentions.filter(({ tag }) => tag === 'ask' || tag === 'await');
  const isWhole = waiting.length > 0 && !waiting.some(mayGetAttributes);
  if (isWhole || waiting.some(({ attributes }) => attributes.has('timeout_next'))) return;
  const code = plainText(state);
  if (/timeout(?!_next)/i.test(code) || OTHER_SOURCE.test(code)) return;
  if (waiting.length === 0 && !/<(?:ask|await)(?![\w-])/.test(code)) return;
  if (importedFiles(analysis, state).some((file) => /timeout(?!_next)/i.test(file.code))) return;
  const at = /(?<![\w-])timeout_next(?:[ \t]*=|\\?["'`]?\]?[ \t]*[:,=])/.exec(code)?.index;
  if (at === undefined) return;
  yield {
    at,
    message: 'this tag gets timeout_next without timeout, so Raymond does not accept it',
    fix: 'also write timeout="…", the time after which timeout_next is used',
  };
}

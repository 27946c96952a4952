// Finds questions with both a bucket and slots for files where a script puts the attributes together piece by piece.
import { mistakesOf, plainText, type Mistake, type ScriptState } from '../helpers.js';
import type { Analysis, FindingDetails } from '../rule.js';

/** Reports scripts whose only `<ask>` gets both attributes. */
export function* bucketsWithSlots(analysis: Analysis): Generator<FindingDetails> {
  for (const finding of mistakesOf(analysis, bothIn)) yield { ...finding, severity: 'warning' };
}

const SWITCHES = /\b(?:if|elif|else|case|esac|fi|switch|when|match|def|function|return|unless)\b|=>|;;|\?|&&|\|\||<ask/;

function* bothIn({ source, mentions }: ScriptState): Generator<Mistake> {
  const code = plainText({ source });
  const buckets = [...code.matchAll(/\bupload_bucket\b/g)];
  const slots = [...code.matchAll(/\bupload_slots\b/g)];
  const [bucket, slot] = [buckets[0], slots[0]];
  if (bucket === undefined || slot === undefined || buckets.length > 1 || slots.length > 1) return;
  // A tag that is known as a whole is checked as such.
  if (mentions.some(({ attributes }) => attributes.has('upload_bucket') && attributes.has('upload_slots'))) return;
  if (!/<ask\b|\bask\b/.test(code) || !isSet(code.slice(bucket.index + 13)) || !isSet(code.slice(slot.index + 12)))
    return;
  const [from, to] = bucket.index < slot.index ? [bucket.index, slot.index] : [slot.index, bucket.index];
  const lineOf = (index: number): string => code.slice(code.lastIndexOf('\n', index) + 1).split('\n', 1)[0] ?? '';
  if (SWITCHES.test(code.slice(code.lastIndexOf('\n', from) + 1, to)) || SWITCHES.test(lineOf(to))) return;
  if (!isOneList(code, { from, to }) && !isAdded(lineOf(from), lineOf(to))) return;
  yield {
    at: slot.index,
    message: 'this question has both upload_bucket and upload_slots, which exclude each other',
    fix: 'leave out one of them',
  };
}

/** True unless the value is false or empty. */
function isSet(rest: string): boolean {
  return !/^[\\"'\])]*\s*(?:[=:,]|=>)\s*[\\"']*(?:false|False|None|null|undefined|0|no)?[\\"']*\s*(?:[,;})\]\n]|$)/.test(
    rest,
  );
}

/** True if no bracket that is open at the first attribute closes before the second one. */
function isOneList(code: string, { from, to }: { readonly from: number; readonly to: number }): boolean {
  const before = code.slice(Math.max(0, from - 2000), from);
  let depth = 0;
  for (const sign of code.slice(from, to)) {
    if (/[([{]/.test(sign)) depth++;
    else if (/[)\]}]/.test(sign) && --depth < 0) return false;
  }
  return depth >= 0 && isInBracket(before);
}

function isInBracket(before: string): boolean {
  let depth = 0;
  for (const sign of before)
    depth = /[([{]/.test(sign) ? depth + 1 : /[)\]}]/.test(sign) ? Math.max(0, depth - 1) : depth;
  return depth > 0;
}

/** True for two lines that add to the same variable, at the same indentation. */
function isAdded(first: string, second: string): boolean {
  const pattern = /^([ \t]*(?:(?:const|let|local) )?)([A-Za-z_]\w*)(\+?=|\.\w+\(|\[|\.upload_)/;
  const [one, other] = [pattern.exec(first), pattern.exec(second)];
  if (one === null || other === null || one[2] !== other[2] || other[3] === '=') return false;
  return (one[1] ?? '').replace(/\w+ $/, '') === other[1];
}

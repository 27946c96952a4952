// Finds the forms of which each line of a reply has one: a box with a tick or without, PASS or FAIL. Pure.
import { withoutLongLines } from '../helpers.js';

/** A form in quotes, or a box without them. */
const FORM = /`([^`\n]{1,60})`|"([^"\n]{1,60})"|“([^”\n]{1,60})”|(\[[ \w✓✔]\])/g;

const CASE = /^[\s,]*(?:[\w`{}./-]+\s+){0,5}?(?:if|when|where|for|before)\b/i;
const REST = /\b(?:not|otherwise|others?|rest|else|cannot|can't|doesn't|isn't|don't|aren't)\b/i;

/** Pairs of forms that leave no other: "Begin each line with `[x]` if it is done, and with `[ ]` if not." */
export function formsOfEachLine(body: string): readonly (readonly string[])[] {
  const text = withoutLongLines(body).replace(/(?<!\n)\n(?![\n]|[ \t]*[-*][ \t])/g, ' ');
  return text.split(/(?<=[.!?])["”`]?\s+(?=[A-Z])|\n\s*/).flatMap((sentence) => {
    const [one, other, ...more] = [...sentence.matchAll(FORM)];
    if (one === undefined || other === undefined || more.length > 0) return [];
    const [between, after] = [
      sentence.slice(one.index + one[0].length, other.index),
      sentence.slice(other.index + other[0].length),
    ];
    const isPair = CASE.test(between) && REST.test(`${between.split(',').at(-1) ?? ''} ${after}`);
    if (!isPair || !/\b(?:each|every)\b/i.test(sentence) || !/\b(?:and|otherwise|or)\b/.test(between)) return [];
    const forms = [one, other].map(([, ...groups]) => sampleOf(groups.join('')));
    return forms.some((form) => /<[a-z]|^[\w./-]+\.\w{1,4}$/.test(form)) ? [] : [forms];
  });
}

/** A form as a reply fills it. */
function sampleOf(form: string): string {
  const plain = form.trim();
  return /\w$/.test(plain) ? plain : `${plain} …`;
}

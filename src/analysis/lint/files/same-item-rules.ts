// A rule about queues in files: a script of a loop that takes the first item of a list, while the list in the file keeps the item.
import { executorOf } from '../../../protocol/language/resolve.js';
import { literalPattern } from '../../../protocol/text.js';
import { mistakesOf, plainText, statesOf, type Mistake, type ScriptState } from '../helpers.js';
import { maySave, statesAfter } from '../numbers/unsaved-counters.js';
import { pathUses } from '../paths/path-uses.js';
import type { Analysis, Rule } from '../rule.js';
import { definitionsIn, lineFrom, programCode } from '../scripts/program-code.js';
import { itemsLeftInQueue } from './failed-items.js';
import { fileNameOf } from '../paths/path.js';
import { loopOf } from '../../loops.js';
import { isChanged, listsIn, type FileList } from './file-lists.js';

interface Rest {
  readonly name: string;
  readonly at: number;
}

/** The variables in which a program puts the list without the item that it takes. */
function restsOf(list: string, code: string): readonly Rest[] {
  const forms = [
    String.raw`\[[ \t]*\w+[ \t]*,[ \t]*\.\.\.([A-Za-z]\w*)[ \t]*\][ \t]*=[ \t]*${list}\b`,
    String.raw`(?<![\w.])\w+[ \t]*,[ \t]*\*([A-Za-z]\w*)[ \t]*=[ \t]*${list}\b`,
    String.raw`(?<![\w.])([A-Za-z]\w*)[ \t]*=[ \t]*${list}(?:\[1:\]|\.slice\(1\)|\.filter\()`,
    String.raw`(?<![\w.])([A-Za-z]\w*)[ \t]*=[ \t]*\[[^\n]*\bin[ \t]+${list}[ \t]+if\b`,
  ];
  return [...code.matchAll(new RegExp(forms.join('|'), 'g'))].map((match) => ({
    name: match.slice(1).find(Boolean) ?? '',
    at: match.index,
  }));
}

function isUnused({ name }: Rest, code: string): boolean {
  return [...code.matchAll(new RegExp(String.raw`(?<!\w|(?<!\.)\.)${name}(?!\w)`, 'g'))].length === 1;
}

/** True for a program that uses the first item as it is, and does not change it. */
function takesFirst(list: string, code: string): boolean {
  const first = String.raw`(?<![\w.])${list}(?:\[0\]|\.at\(0\))`;
  const alias = new RegExp(
    String.raw`(?<![\w.])(\w+)[ \t]*=[ \t]*${first}|\[[ \t]*(\w+)[ \t]*\][ \t]*=[ \t]*${list}\b`,
  ).exec(code);
  const name = alias?.[1] ?? alias?.[2];
  if (name === undefined) return false;
  // A field or a call may change it.
  return !new RegExp(
    String.raw`(?<![\w.])${name}(?:[.[][^\n]*[^=!<>]=(?!=)|\.\w+\()|[\w.]\([^()\n]*(?<![\w.])${name}[ \t]*[,)]`,
  ).test(code);
}

/** Where a program writes a list to the file from which it has read it. */
function writtenWhole(state: ScriptState, { name, path, end }: FileList): number | undefined {
  const code = plainText(state);
  const whole = new RegExp(
    String.raw`(?:dumps?|stringify|join)\([ \t]*${name}\b(?![\w.[])|(?<![\w.])${name}\.join\(|\.join\([ \t]*${name}[ \t]*\)`,
  );
  const write = pathUses(state).find((use) => {
    return use.kind === 'write' && use.path === path && use.at >= end && whole.test(lineFrom(code, use.at));
  });
  return write?.at;
}

function* takenAgain(analysis: Analysis, state: ScriptState): Generator<Mistake> {
  const executor = executorOf(state.file);
  if (executor !== 'python' && executor !== 'node') return;
  const loop = loopOf(analysis.graph, { file: state.file, among: analysis.reached });
  const after = loop.length === 0 ? undefined : statesAfter(analysis, loop);
  if (after === undefined) return;
  const code = programCode(state);
  for (const list of listsIn(state)) {
    const { name, path } = list;
    if (definitionsIn(name, code) !== 1 || isChanged(name, code)) continue;
    const rests = restsOf(name, code);
    const rest = rests.find((one) => isUnused(one, code));
    const written = writtenWhole(state, list);
    const writes = pathUses(state).filter((use) => use.kind === 'write' && use.path === path);
    if (after.some((other) => other.file !== state.file && maySave(other, path)) || writes.length > 1) continue;
    const isKept = rest === undefined ? rests.length === 0 && takesFirst(name, code) && written !== undefined : true;
    const at = written ?? (writes.length === 0 && !maySave(state, path) ? rest?.at : undefined);
    if (!isKept || at === undefined) continue;
    yield {
      at,
      message: `${fileNameOf(path)} keeps the item that is taken from ${name}, so every round of the loop takes the same item`,
      fix: `write the list without this item${rest === undefined ? '' : `, which is ${rest.name}`}`,
    };
  }
}

const TAKES_REST =
  /\b(?:tail[ \t]+-n[ \t]*\+2|sed[ \t]+(?:-e[ \t]*)?["']?1d["']?)[ \t]+(["']?[^\s"'|;&<>]+["']?)[ \t]*>[ \t]*(["']?[^\s"'|;&<>]+["']?)/g;

/** A bash script that writes the rest of a queue to another file, which nothing moves back or reads. */
function* restApart(analysis: Analysis, state: ScriptState): Generator<Mistake> {
  if (state.source.script.shell === undefined) return;
  if (loopOf(analysis.graph, { file: state.file, among: analysis.reached }).length === 0) return;
  const text = plainText(state);
  for (const { index, 1: from = '', 2: to = '' } of text.matchAll(TAKES_REST)) {
    const [queue, rest] = [from, to].map((path) => path.replace(/["']/g, ''));
    const name = /[^/}$]*$/.exec(rest ?? '')?.[0] ?? '';
    if (queue === undefined || rest === undefined || queue === rest || name.length < 3) continue;
    const all = statesOf(analysis)
      .map((one) => plainText(one))
      .join('\n');
    const isTaken = new RegExp(`(?:\\bhead[ \\t]|\\bread[ \\t][^\\n]*<|\\bsed -n)[^\\n]*${literalPattern(queue)}`).test(
      text,
    );
    if (!isTaken || all.split(name).length !== 2) continue;
    yield {
      at: index,
      message: `the item stays in ${queue} after it is read, because nothing replaces ${queue} with ${rest}`,
      fix: `add: mv ${to} ${from}`,
    };
  }
}

/** The rule about an item that a loop takes in every round. */
export const SAME_ITEM_RULES: readonly Rule[] = [
  {
    id: 'same-item-again',
    severity: 'warning',
    summary:
      'A script of a loop takes the first item of a list in a file, but the list in the file keeps this item, so every round takes it again.',
    why: 'Only what is written to the file reaches the next round. A list that is written back whole, or not at all, has the same first item each time, so the loop does the same work again and never ends.',
    check: (analysis) =>
      mistakesOf(analysis, (state) => [
        ...takenAgain(analysis, state),
        ...itemsLeftInQueue(analysis, state),
        ...restApart(analysis, state),
      ]),
  },
];

// Finds branches of a program that put the first item of a queue into another list, and leave it in the queue, though the other branches take it
// out.
import type { Program, Step } from '../../program/program.js';
import { plainText, type Mistake, type ScriptState } from '../helpers.js';
import { pathUses } from '../paths/path-uses.js';
import type { Analysis } from '../rule.js';
import { fileNameOf } from '../paths/path.js';
import { loopOf } from '../../loops.js';
import { isChanged, listsIn, type FileList } from './file-lists.js';

interface Range {
  readonly at: number;
  readonly end: number;
}

/** Reports the tags behind which the same item is taken again. */
export function* itemsLeftInQueue(analysis: Analysis, state: ScriptState): Generator<Mistake> {
  const { program } = state.source.script;
  const code = plainText(state);
  if (program === undefined) return;
  const choices = choicesIn(program.steps);
  for (const list of listsIn(state)) {
    const pickers = pickersOf(analysis, { state, path: list.path });
    const removals = removalsOf(state, program, list);
    if (removals.length === 0 || isChanged(list.name, code)) continue;
    const left = choices.flat().find((branch) => {
      const isKept = removals.every((at) => areExclusive(choices, at, branch));
      return isKept && recordsFirst(code, branch, list.name) && tagIn(code, branch, pickers) !== undefined;
    });
    const tag = left === undefined ? undefined : tagIn(code, left, pickers);
    if (tag === undefined) continue;
    yield {
      at: tag.at,
      message: `this branch notes the first item of ${list.name}, but leaves it in ${fileNameOf(list.path)}, so ${tag.picker} takes the same item again`,
      fix: `take the item out of ${fileNameOf(list.path)} here, too`,
    };
  }
}

/** The ranges of the branches of each choice, also of those within branches. */
function choicesIn(steps: readonly Step[]): readonly (readonly Range[])[] {
  return steps.flatMap((step) => {
    if (step.kind === 'block') return choicesIn(step.body);
    if (step.kind !== 'choice') return [];
    const own = step.branches.map(({ at, body }) => ({ at: body[0]?.at ?? at, end: body.at(-1)?.end ?? at }));
    return [own, ...step.branches.flatMap(({ body }) => choicesIn(body))];
  });
}

/** True for an offset in another branch of a choice than a range. */
function areExclusive(choices: readonly (readonly Range[])[], offset: number, range: Range): boolean {
  const contains = ({ at, end }: Range, one: number): boolean => one >= at && one < end;
  return choices.some((branches) => {
    const own = branches.find((branch) => contains(branch, range.at));
    const other = branches.find((branch) => contains(branch, offset));
    return own !== undefined && other !== undefined && own !== other;
  });
}

/** The names of the states of the loop that take the first item of a list in a file, and do not write the file. */
function pickersOf(
  analysis: Analysis,
  { state, path }: { readonly state: ScriptState; readonly path: string },
): readonly string[] {
  const loop = loopOf(analysis.graph, { file: state.file, among: analysis.reached });
  return loop.flatMap((other) => {
    const { source, file, name } = other;
    if (source.kind !== 'script' || file === state.file) return [];
    const list = listsIn({ ...other, source }).find((one) => one.path === path);
    const code = plainText(other);
    const isFirst = new RegExp(
      String.raw`(?<![\w.])${list?.name}(?:\[0\]|\.at\(0\))|\[[ \t]*\w+[ \t]*\][ \t]*=[ \t]*${list?.name}\b`,
    );
    const writes = pathUses(other).some((use) => use.kind !== 'read' && use.path === path);
    return list === undefined || writes || !isFirst.test(code) || isChanged(list.name, code) ? [] : [name, file];
  });
}

/** Where a program writes the file of a list, or calls its function that does so. */
function removalsOf(state: ScriptState, { functions, text }: Program, { path }: FileList): readonly number[] {
  const writes = pathUses(state).filter((use) => use.path === path && use.kind !== 'read');
  return writes.flatMap(({ at }) => {
    const owner = [...functions].find(([, body]) => at >= body.at && at < body.end);
    if (owner === undefined) return [at];
    return [...text.matchAll(new RegExp(String.raw`(?<!\b(?:def|function)[ \t]+)(?<![\w.])${owner[0]}\(`, 'g'))].map(
      ({ index }) => index,
    );
  });
}

/** True for a branch that adds the first item to another list, by which the program does not decide. */
function recordsFirst(code: string, { at, end }: Range, list: string): boolean {
  const first = String.raw`${list}(?:\[0\]|\.at\(0\))`;
  const [, one, other] =
    new RegExp(
      String.raw`(?<![\w.])(\w+)[ \t]*=[ \t]*${first}[ \t]*;?[ \t]*$|\[[ \t]*(\w+)[ \t]*\][ \t]*=[ \t]*${list}\b`,
      'm',
    ).exec(code) ?? [];
  const item = one === undefined && other === undefined ? first : `(?:${first}|${one ?? other}\\b)`;
  const [, to = ''] =
    new RegExp(String.raw`(?<![\w.])(\w+)\.(?:append|push|add|unshift|insert)\([ \t]*(?:0,[ \t]*)?${item}`).exec(
      code.slice(at, end),
    ) ?? [];
  return (
    to !== '' &&
    !new RegExp(
      String.raw`\bin[ \t]+${to}\b|\blen\(${to}\)|(?<![\w.])${to}\.(?:includes|count|index|indexOf|has|length)\b`,
    ).test(code)
  );
}

/** The tag of a branch that leads to one of these states. */
function tagIn(
  code: string,
  { at, end }: Range,
  states: readonly string[],
): { readonly at: number; readonly picker: string } | undefined {
  for (const { index, 1: picker = '' } of code.slice(at, end).matchAll(/<(?:goto|reset)\b[^<>]*>([\w.-]+)<\//g))
    if (states.includes(picker)) return { at: at + index, picker };
  return undefined;
}

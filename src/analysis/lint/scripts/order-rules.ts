// The rule about several values that a function returns, and that a program takes in another order.
import { executorOf } from '../../../protocol/language/resolve.js';
import { mistakesOf, plainText, type Mistake, type ScriptState } from '../helpers.js';
import { functionsIn } from '../numbers/lengths.js';
import type { Analysis, Rule } from '../rule.js';
import { importedFiles } from './definitions.js';

/** A function with the part of the program that it is. */
interface Body {
  readonly name: string;
  readonly params: readonly string[];
  readonly text: string;
}

const LIST = String.raw`\w+(?:[ \t]*,[ \t]*\w+)+`;
const RETURNED = new RegExp(
  String.raw`\breturn[ \t]+(?:[[(][ \t]*(${LIST})[ \t]*[\])]|(${LIST}))[ \t]*;?[ \t]*$`,
  'gm',
);
const TAKEN = new RegExp(
  String.raw`^[ \t]*(?:(?:const|let|var)[ \t]+)?[[(]?(${LIST})[\])]?[ \t]*=[ \t]*(?:await[ \t]+)?(?:\w+\.)?(\w+)\(`,
  'gm',
);

/** The names of a list, if they are all different. */
function namesOf(list: string): readonly string[] | undefined {
  const names = list.split(',').map((name) => name.trim());
  return new Set(names).size === names.length ? names : undefined;
}

/** The order in which every `return` of a function has these names; parameters may change places on purpose. */
function orderOfReturns({ params, text }: Body, taken: readonly string[]): readonly string[] | undefined {
  const lists = [...text.matchAll(RETURNED)].map(([, inBrackets, plain]) => inBrackets ?? plain ?? '');
  const orders = new Set(lists.map((list) => namesOf(list)?.join(', ')));
  const [order] = [...orders];
  const names = order?.split(', ') ?? [];
  const isSame = names.length === taken.length && taken.every((name) => names.includes(name));
  const isOnly = orders.size === 1 && text.match(/\breturn\b/g)?.length === lists.length;
  return isSame && isOnly && !names.some((name) => params.includes(name)) ? names : undefined;
}

/** The order in which the text of a Python function says that it returns these names: `"""Returns the lift and the p-value."""` */
function orderInWords({ text }: Body, taken: readonly string[]): readonly string[] | undefined {
  const [, said = ''] = /^[^\n]*\n[ \t]*[rR]?"""[^"]*?\bReturns?:?\s+([^."]+)/.exec(text) ?? [];
  const parts = said.split(/\s*,\s*(?:and\s+)?|\s+and\s+/);
  if (parts.length !== taken.length) return undefined;
  const found = parts.map((part) =>
    taken.filter((name) => new RegExp(`\\b${name.replaceAll('_', '[\\s_-]?')}\\b`, 'i').test(part)),
  );
  const order = found.flatMap((names) => (names.length === 1 ? names : []));
  return new Set(order).size === taken.length ? order : undefined;
}

function* otherOrders(analysis: Analysis, state: ScriptState): Generator<Mistake> {
  if (!/^(?:python|node)$/.test(executorOf(state.file))) return;
  const own = plainText(state);
  const codes = [own, ...importedFiles(analysis, state).map(({ code }) => code)];
  const calls = [...own.matchAll(TAKEN)];
  if (calls.length === 0) return;
  const bodies = codes.flatMap((code) =>
    functionsIn(code).map(({ name, params, at, end }): Body => ({ name, params, text: code.slice(at, end) })),
  );
  for (const { index, 0: whole, 1: list = '', 2: called = '' } of calls) {
    const taken = namesOf(list);
    const [body, ...others] = bodies.filter(({ name }) => name === called);
    if (taken === undefined || body === undefined || others.length > 0 || body.text.includes(whole)) continue;
    const order = orderOfReturns(body, taken) ?? orderInWords(body, taken);
    if (order === undefined || order.join() === taken.join()) continue;
    yield {
      at: index + whole.search(/\S/),
      message: `${called} returns ${order.join(', ')} in this order, but here ${taken[0] ?? ''} is the first`,
      fix: `take them in the same order: ${order.join(', ')}`,
    };
  }
}

/** The rule about the order of values. */
export const ORDER_RULES: readonly Rule[] = [
  {
    id: 'values-in-other-order',
    severity: 'warning',
    summary: 'A program takes the values that a function returns in another order than the function returns them.',
    why: 'The values of a tuple or a list have no names. The first name gets the first value, whatever the name is.',
    check: (analysis) => mistakesOf(analysis, (state) => otherOrders(analysis, state)),
  },
];

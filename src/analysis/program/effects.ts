// The line that a call prints, and the values and the end of a path of a program. Pure.
import { TracedText } from '../position.js';
import { forget, type Path } from '../script/path.js';
import { COMPUTED } from '../shell/words.js';
import type { Expression } from './program.js';

/** A call of a function. */
export type Call = Expression & { readonly kind: 'call' };

/** Where a path keeps what its function returns, and with which exit code the program is to end. */
export const RETURNED = '()';
export const EXIT_CODE = 'process.exitCode';

/** The line that a call prints. */
export function lineOf({ name, at, named }: Call, values: readonly TracedText[]): TracedText {
  const line = name.startsWith('console.') ? formatted(values) : undefined;
  if (line !== undefined) {
    line.add('\n', at, true);
    return line;
  }
  return joinedLine({ name, at, named }, values);
}

/** `console.log('<goto>%s</goto>', state)`; undefined without such places. */
function formatted([format, ...values]: readonly TracedText[]): TracedText | undefined {
  const places = [...(format?.text.matchAll(/%[sdifjoO]/g) ?? [])];
  if (format === undefined || places.length === 0 || places.length !== values.length) return undefined;
  const line = new TracedText();
  let from = 0;
  for (const [index, { index: place }] of places.entries()) {
    line.append(format.slice(from, place));
    line.append(values[index] ?? new TracedText());
    from = place + 2;
  }
  line.append(format.slice(from));
  return line;
}

function joinedLine(
  { name, at, named }: Pick<Call, 'name' | 'at' | 'named'>,
  values: readonly TracedText[],
): TracedText {
  const line = new TracedText();
  const separator = named.get('sep');
  for (const [index, value] of values.entries()) {
    if (index > 0)
      line.add(separator?.kind === 'join' && separator.parts.length === 0 ? '' : ' ', value.offsetOf(0), true);
    line.append(value);
  }
  if (!/write$/.test(name)) line.add('\n', at, true);
  return line;
}

/** The path at the end of the program. */
export function ended(path: Path, status: Path['status']): Path {
  return { ...path, end: 'exit', status };
}

/** The path with the value of a variable; one of which nothing is known is forgotten. */
export function withValue(path: Path, { name, value }: { readonly name: string; readonly value: TracedText }): Path {
  if (value.text.replaceAll(COMPUTED, '') === '' && value.text !== '') return forget(path, [name]);
  return { ...path, values: new Map([...path.values, [name, value]]) };
}

/** A method that calls its callback for each item of a list, or for each line or part that a stream reads. */
export function runsPerItem(method: string, first: string): boolean {
  if (method === 'forEach') return true;
  if (method === 'on') return /^["'](?:line|data|row|record)["']$/.test(first);
  // A text of a tag that a callback returns may be printed later.
  return /^(?:map|filter|some|every|find)$/.test(method) && /console\.log|stdout\.write/.test(first);
}

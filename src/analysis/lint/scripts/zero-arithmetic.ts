// Finds arithmetic commands of bash whose value may be 0, which is the exit code 1 and ends a script under `set -e`. Pure.
import type { Statement } from 'unbash';
import { commandLine, type ShellScript } from '../../shell/shell.js';
import { nodesOf } from '../../shell/walk.js';
import type { Mistake } from '../helpers.js';

type Node = Statement['command'];
type Finding = Omit<Mistake, 'at'>;

/** What the checks of one script share. */
export interface ArithmeticContext {
  /** The first values of each variable, as they are written. */
  readonly values: ReadonlyMap<string, readonly string[]>;
  /** The variables of the kind `declare -A`. */
  readonly tables: ReadonlySet<string>;
  /** True if a test below asks whether a variable is 0. */
  readonly isTested: (name: string, from: number) => boolean;
}

/** Looks through the script once: to do so for each command takes the square of its length. */
export function arithmeticContext({ ast }: ShellScript, isTested: ArithmeticContext['isTested']): ArithmeticContext {
  const values = new Map<string, string[]>();
  for (const { name, value } of nodesOf(ast, 'Assignment')) {
    const text = value.type === 'Word' ? value.text.replace(/^(["'])(.*)\1$/, '$2') : '()';
    const known = values.get(name);
    if (known === undefined) values.set(name, [text]);
    else known.push(text);
  }
  const declarations = nodesOf(ast, 'Command').filter(({ name }) =>
    /^(?:declare|local|typeset)$/.test(name?.value ?? ''),
  );
  const tables = declarations
    .filter(({ args }) => args.some((arg) => arg.type === 'Word' && /^-\w*A/.test(arg.value)))
    .flatMap(({ args }) => args.map((arg) => (arg.type === 'Assignment' ? arg.name : arg.value)));
  return { values, tables: new Set(tables), isTested };
}

/** `((n++))` from 0, `let rest=a%b`, `((left--))`: the exit code is 1 if the value is 0. */
export function zeroArithmetic(node: Node, context: ArithmeticContext): Finding | undefined {
  const body = node.type === 'ArithmeticCommand' ? node.body : letOf(node);
  if (body === undefined) return undefined;
  return (
    countFromZero(body, context) ??
    countInTable(body, context) ??
    countToZero(body, { ...context, from: node.end }) ??
    resultOfZero(body, { ...context, from: node.end })
  );
}

/** The last expression of `let`, which gives its exit code. */
function letOf(node: Node): string | undefined {
  const line = node.type === 'Command' ? commandLine(node) : undefined;
  return line?.name === 'let' ? line.args.at(-1)?.text : undefined;
}

const ENDS = 'has the exit code 1, which ends the script under set -e';

function countFromZero(body: string, { values }: ArithmeticContext): Finding | undefined {
  const [, name = ''] = /^\s*(?:[^,]*,\s*)?(\w+)\+\+\s*$/.exec(body) ?? [];
  const known = values.get(name) ?? [];
  const own = new RegExp(`^\\$\\(\\(\\s*\\$?${name}\\s*[-+]`);
  const first = known.filter((value) => !own.test(value));
  if (first.length === 0 || first.some((value) => value !== '0')) return undefined;
  return {
    message: `${name} is 0 at first, so ${name}++ ${ENDS}`,
    fix: `write ${name}=$((${name} + 1))`,
  };
}

/** An element that has no value yet counts as 0. */
function countInTable(body: string, { tables }: ArithmeticContext): Finding | undefined {
  const [, element = '', name = ''] = /^\s*((\w+)\[[^\]]*\])\+\+\s*$/.exec(body) ?? [];
  if (!tables.has(name)) return undefined;
  return {
    message: `an element of ${name} is 0 at first, so ${element}++ ${ENDS}`,
    fix: `write ((${element} += 1)), whose value is not 0`,
  };
}

type Tested = ArithmeticContext & { readonly from: number };

/** A number that is lowered until it is 0. */
function countToZero(body: string, { isTested, from }: Tested): Finding | undefined {
  const match = /^\s*(?:--(\w+)|(\w+)\s*-=\s*\w+)\s*$/.exec(body);
  const name = match?.[1] ?? match?.[2];
  if (name === undefined || !isTested(name, from)) return undefined;
  return { message: `if ${name} becomes 0, ${body.trim()} ${ENDS}`, fix: `write ${name}=$((…))` };
}

/** `((x = a % b))`: a remainder or a difference may be 0. */
function resultOfZero(body: string, { isTested, from }: Tested): Finding | undefined {
  const [, name = '', value = ''] = /^\s*(\w+)\s*=(?!=)\s*(.*)$/s.exec(body) ?? [];
  if (name === '' || value.length > 200) return undefined;
  const isZero = /^\s*0\s*$/.test(value);
  const mayBeZero =
    /^[^-+?:]*\w\s*%\s*\$?\{?\w+[}\s]*$|^[^?:]*\w[\s})]*-[\s($]*[A-Za-z_]\w*[\s})]*$|\?[^:]*\b0\b|:\s*0\s*$/.test(
      value,
    );
  if (!isZero && !mayBeZero && !isTested(name, from)) return undefined;
  return {
    message: isZero ? `${body.trim()} ${ENDS}` : `if ${name} becomes 0, this ${ENDS}`,
    fix: `write ${name}=$((${value.trim()}))`,
  };
}

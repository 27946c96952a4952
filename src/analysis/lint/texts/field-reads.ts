// Finds the fields that a script reads from its value after it has parsed the value as JSON. Pure.
import { plainText, type ScriptState } from '../helpers.js';
import { agentListIn } from '../agents/agent-lists.js';

/** A field, and where the script names it. */
interface FieldRead {
  readonly name: string;
  readonly at: number;
}

/** The fields of the parsed value that a script reads. */
export function fieldsRead(state: ScriptState): readonly FieldRead[] {
  const code = plainText(state);
  if (!/\bRAYMOND_(?:RESULT|INPUT)/.test(code)) return [];
  if (state.source.script.shell !== undefined) return [...code.matchAll(JQ)].flatMap(readOf);
  const list = agentListIn(code)?.list;
  if (list === undefined) return [];
  const bases = [list, ...parametersFor(code, list)].map((one) => `(?<![\\w.])${one}`).join('|');
  const reads = new RegExp(
    `(?:${bases})(?:\\[["'](\\w+)["']\\]|\\.get\\(\\s*["'](\\w+)["']|\\??\\.(?!get\\b)([A-Za-z_]\\w*)\\b(?!\\())(?!\\s*=(?!=))`,
    'g',
  );
  const taken = new RegExp(`\\{([^{}]{1,300})\\}\\s*(?::\\s*\\w+\\s*)?=\\s*${list}(?![\\w.[])`, 'g');
  const destructured = [...code.matchAll(taken)].flatMap(({ index, 1: names = '' }) =>
    [...names.matchAll(/(?<=^|,)\s*(\w+)/g)].map(({ index: offset, 0: whole, 1: name = '' }) => {
      return { name, at: index + 1 + offset + whole.indexOf(name) };
    }),
  );
  return [...[...code.matchAll(reads)].flatMap(readOf), ...destructured];
}

/** The first field of a filter of jq that gets the value. */
const JQ =
  /\bjq\b(?:[ \t]+-[-\w]+)*[ \t]+["']?\.(\w+)(?=[^\n]*<<<[ \t]*"?\$\{?RAYMOND_(?:RESULT|INPUT)\b)|\bRAYMOND_(?:RESULT|INPUT)\}?"?[ \t]*\|[ \t]*jq\b(?:[ \t]+-[-\w]+)*[ \t]+["']?\.(\w+)/g;

function readOf(match: RegExpExecArray): readonly FieldRead[] {
  const name = match.slice(1).find((group: string | undefined) => group !== undefined);
  return name === undefined ? [] : [{ name, at: match.index + match[0].lastIndexOf(name) }];
}

/** The parameters of the functions that get the parsed value as their only argument. */
function parametersFor(code: string, list: string): readonly string[] {
  const calls = [...code.matchAll(new RegExp(`(?<![\\w.])(\\w+)\\(\\s*${list}\\s*\\)`, 'g'))].map(
    ([, name = '']) => name,
  );
  return [...new Set(calls)].flatMap((name) => {
    const definition = new RegExp(
      `\\bdef\\s+${name}\\(\\s*(\\w+)[^,()\\n]*\\)|\\bfunction\\s+${name}\\(\\s*(\\w+)[^,()\\n]*\\)|\\bconst\\s+${name}\\s*=\\s*\\(?\\s*(\\w+)[^,()\\n=]*\\)?[^=\\n]*=>`,
    ).exec(code);
    return definition?.slice(1).filter((group: string | undefined) => group !== undefined) ?? [];
  });
}

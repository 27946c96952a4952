// Finds pipelines whose first program prints without end, until a later program of the pipeline has read enough.
import type { Statement, WordPart } from 'unbash';
import type { ShellScript } from '../../shell/shell.js';

type Node = Statement['command'];

interface Context {
  readonly shell: ShellScript;
  readonly text: string;
}

/** What prints until nothing reads it, or more than fits into a pipe. */
const ENDLESS =
  /^(?:\w+=\S*\s+)*(?:yes\b|(?!head\b|dd\b|od\b[^\n]*-N|xxd\b[^\n]*-l)\w+\b[^\n]*\/dev\/(?:u?random|zero)\b|seq\s+(?:inf|(?:\d+\s+)?\d{6,})\b|while\s+(?:true|:)\s*;)/;
const READS_PART =
  /^(?:\w+=\S*\s+)*(?:(head)\b|(sed)\b[^\n]*(?:\d|\/)q\b|(grep)\s+(?:-\w*q|-m|--max-count|--quiet)|(awk)\b[^\n]*\bexit\b|(dd)\b[^\n]*count=|(read)\b)/;

/** The two programs of such a pipeline, in a command, in a function or in `name=$(…)`. */
export function endlessPipe(
  node: Node,
  context: Context,
): { readonly first: string; readonly last: string } | undefined {
  if (node.type === 'Pipeline') return programsOf(node.commands, context);
  if (node.type !== 'Command' || node.name !== undefined) return undefined;
  const [value] = node.prefix.slice(-1).flatMap((part) => (part.type === 'Assignment' ? [part.value] : []));
  const parts = value?.type === 'Word' ? (value.parts ?? []) : [];
  const expansion = expansionsIn(parts).at(-1);
  const last =
    expansion?.type === 'CommandExpansion' && expansion.script?.source === undefined
      ? expansion.script?.commands.at(-1)?.command
      : undefined;
  return last === undefined ? undefined : endedBy(last, context);
}

function expansionsIn(parts: readonly WordPart[]): readonly WordPart[] {
  return parts.flatMap((part) =>
    part.type === 'DoubleQuoted' ? expansionsIn(part.parts) : part.type === 'CommandExpansion' ? [part] : [],
  );
}

/** What the output of a command is made of: of a function, the last command of its body. */
function endedBy(node: Node, context: Context): ReturnType<typeof endlessPipe> {
  if (node.type === 'Pipeline') return programsOf(node.commands, context);
  const body = node.type === 'Command' ? context.shell.functions.get(node.name?.value ?? '')?.body : undefined;
  const last = body?.type === 'BraceGroup' ? body.body.commands.at(-1)?.command : undefined;
  return last?.type === 'Pipeline' ? programsOf(last.commands, context) : undefined;
}

function programsOf(commands: readonly Node[], { text }: Context): ReturnType<typeof endlessPipe> {
  const [first = '', ...others] = commands.map(({ pos, end }) => text.slice(pos, end));
  const ending = others.map((one) => READS_PART.exec(one)).find((match) => match !== null);
  if (first.length > 1000 || !ENDLESS.test(first) || ending === undefined) return undefined;
  const [program = 'the loop'] = /^(?:\w+=\S*\s+)*(\w+)/.exec(first)?.slice(1) ?? [];
  return { first: program, last: ending.slice(1).find(Boolean) ?? 'the last program' };
}

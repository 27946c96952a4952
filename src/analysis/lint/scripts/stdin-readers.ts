// Finds commands of a bash script that read the standard input, which is empty for a state: filters without a file, at the beginning of a
// pipeline.
import type { Redirection } from 'unbash';
import type { ShellScript } from '../../shell/shell.js';
import { nodesOf } from '../../shell/walk.js';

interface Range {
  readonly pos: number;
  readonly end: number;
}

/** The options of each filter that take the next word, and how many words that are no options it takes before its files. */
const FILTERS: Readonly<Record<string, { readonly valued: string; readonly words: number }>> = {
  cat: { valued: '', words: 0 },
  sort: { valued: 'ktoST', words: 0 },
  uniq: { valued: 'fsw', words: 0 },
  wc: { valued: '', words: 0 },
  tac: { valued: 's', words: 0 },
  nl: { valued: 'bnsw', words: 0 },
  rev: { valued: '', words: 0 },
  head: { valued: 'nc', words: 0 },
  tail: { valued: 'nc', words: 0 },
  cut: { valued: 'dfcb', words: 0 },
  sha256sum: { valued: '', words: 0 },
  md5sum: { valued: '', words: 0 },
  sed: { valued: '', words: 1 },
  awk: { valued: 'vF', words: 1 },
  jq: { valued: '', words: 1 },
};

/** Options by which a filter reads no input, or gets its program or its files in another way. */
const READS_ELSE = /^(?:-[a-zA-Z]*[nief]|--.*)$/;

/** The commands that read the empty standard input. */
export function stdinReaders(shell: ShellScript): readonly { readonly name: string; readonly at: number }[] {
  if (/\bexec\s+(?:\d*<|\{)/.test(shell.text)) return [];
  const ranges = rangesWithInput(shell);
  return nodesOf(shell.ast, 'Command').flatMap(({ name, redirects, pos }) => {
    const filter = FILTERS[name?.value ?? ''];
    const isBuiltin = /^(?:read|mapfile|readarray)$/.test(name?.value ?? '');
    if (name === undefined || (filter === undefined && !isBuiltin)) return [];
    const line = shell.commands.find((one) => one.at === name.pos);
    if (
      line === undefined ||
      redirects.some(isInput) ||
      isFed(shell.text, pos) ||
      ranges.some((range) => pos >= range.pos && pos < range.end)
    )
      return [];
    const args = line.args.map(({ text }) => text);
    // With a time limit, `read` is often a pause.
    const isBare =
      filter === undefined
        ? !args.some((arg) => /^-\w*[ut]/.test(arg))
        : readsInput({ name: name.value, args, ...filter });
    return isBare ? [{ name: name.value, at: name.pos }] : [];
  });
}

/** True in a process substitution such as `tee >(cat >copy)`. */
function isFed(text: string, pos: number): boolean {
  const before = text.slice(text.lastIndexOf('\n', pos - 1) + 1, pos);
  return /\s>\([^)]*$/.test(before);
}

function isInput({ operator }: Redirection): boolean {
  return operator.startsWith('<');
}

function readsInput({
  name,
  args,
  valued,
  words,
}: {
  readonly name: string;
  readonly args: readonly string[];
  readonly valued: string;
  readonly words: number;
}): boolean {
  let found = 0;
  for (let index = 0; index < args.length; index += 1) {
    const arg = args[index] ?? '';
    if (words > 0 && READS_ELSE.test(arg) && !(name === 'sed' && /^-[nEr]+$/.test(arg))) return false;
    if (/^--/.test(arg) || arg.includes('\uE000') || arg === '-') return false;
    if (!arg.startsWith('-')) found += 1;
    else if (valued.includes(arg.slice(-1)) && arg.length > 1) index += 1;
  }
  // BEGIN alone reads nothing.
  return found === words && !(name === 'awk' && args.some((arg) => /^\s*BEGIN\b/.test(arg)));
}

/** Where another command, a file or a caller gives the input. */
function rangesWithInput({ ast, functions }: ShellScript): readonly Range[] {
  const piped = nodesOf(ast, 'Pipeline').flatMap(({ commands }) => commands.slice(1));
  const redirected = nodesOf(ast, 'Redirected').filter(({ redirects }) => redirects.some(isInput));
  return [...piped, ...redirected, ...functions.values()];
}

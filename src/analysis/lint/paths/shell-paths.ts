// Follows the paths of files through a bash script: what its words and variables make of them, and which commands read, list or write them.
// Pure.
import { isTagName } from '../../mention.js';
import { joinedPath, isRelativePath, UNKNOWN, type PathUse } from './path.js';

/** A word of bash that has no blanks outside of quotes, and in which no other command begins. */
const WORD = /(?:"(?:[^"\\\n$]|\\.|\$(?!\())*"|'[^'\n]*'|\$\{[^{}\n]*\}|\$\w+|[\w./*?~@%+:,=[\]-])+/g;

const ASSIGNMENT =
  /(?<![\w$"'-])(?:(?:local|export|readonly)[ \t]+(?:-\w+[ \t]+)?)?([A-Za-z_]\w*)=((?:"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|\$\{[^{}\n]*\}|\$\w+|[\w./*?~@%+:,[\]-])*)(\(|\$\(|`)?/g;

/** The paths that the commands of a bash script use. */
export function shellPaths(code: string): readonly PathUse[] {
  const values = variablesIn(code);
  const made = assignmentsOfPaths(code);
  const found: PathUse[] = [];
  let from = 0;
  const moves: { readonly at: number; readonly path: string }[] = [];
  for (const line of withoutHereDocuments(code)) {
    for (const { index, 0: word } of line.matchAll(WORD)) {
      const before = line.slice(Math.max(0, index - 300), index);
      const kind = kindOf(before, line.slice(index + word.length));
      const path = valueOf(word, values);
      if (kind === 'cd') moves.push({ at: from + index, path });
      else if (kind === 'walk') found.push({ kind: 'list', path: joinedPath([path, '**']), at: from + index });
      else if (
        kind !== undefined &&
        !isTagName(word.replace('/', '')) &&
        !/[\s<>]/.test(path) &&
        (kind !== 'unknown' || /[{/]/.test(path)) &&
        !word.startsWith('-')
      )
        found.push({ kind, path, at: from + index, ...madeAt(word, made) });
    }
    from += line.length + 1;
  }
  return moves.length === 0 ? found : movedUses(found, moves);
}

/** The lines of a script, with blanks in the place of its here-documents. */
function withoutHereDocuments(code: string): readonly string[] {
  const lines = code.split('\n');
  const marks = new Set(lines.map((line) => line.trim()));
  let end: string | undefined;
  return lines.map((line) => {
    const isInside = end !== undefined;
    if (isInside && line.trim() === end) end = undefined;
    const mark = isInside ? undefined : /(?<!<)<<-?[ \t]*["']?([A-Za-z_]\w*)["']?/.exec(line)?.[1];
    if (mark !== undefined && marks.has(mark)) end = mark;
    return isInside ? ' '.repeat(line.length) : line;
  });
}

/** Where the path in the variable at the beginning of a word is put together. */
function madeAt(word: string, made: ReadonlyMap<string, number>): Pick<PathUse, 'madeAt'> {
  const name = /^"?\$\{?(\w+)/.exec(word)?.[1] ?? '';
  const at = made.get(name);
  return at === undefined ? {} : { madeAt: at };
}

/** Where a variable gets a path of several parts. */
function assignmentsOfPaths(code: string): ReadonlyMap<string, number> {
  const made = [...code.matchAll(/(?<![\w$])([A-Za-z_]\w*)=["']?[^\s"';|&()]*\//g)];
  return new Map(made.map(({ index, 1: name = '' }) => [name, index]));
}

/** After a change of the directory, relative paths begin there. */
function movedUses(
  uses: readonly PathUse[],
  [move, ...others]: readonly { readonly at: number; readonly path: string }[],
): readonly PathUse[] {
  if (move === undefined) return uses;
  return uses.flatMap((use) => {
    if (use.at < move.at || use.path.startsWith('{RAYMOND_')) return [use];
    if (!isRelativePath(use.path)) return [use];
    return others.length > 0 ? [] : [{ ...use, path: joinedPath([move.path, use.path]) }];
  });
}

/** The variables of a script that have one value, with that value; others have `UNKNOWN`. */
function variablesIn(code: string): ReadonlyMap<string, string> {
  const raw = new Map<string, string>();
  for (const [, name = '', value = '', computed] of code.matchAll(ASSIGNMENT)) {
    const known = computed === undefined ? value.replace(/(?:\$\(|`)[^]*$/, UNKNOWN) : UNKNOWN;
    raw.set(name, raw.has(name) && raw.get(name) !== known ? UNKNOWN : known);
  }
  for (const [, name = '', more] of code.matchAll(
    /\b(?:for|read(?:[ \t]+-\w+(?:[ \t]+'')?)*|mapfile(?:[ \t]+-t)?)[ \t]+([A-Za-z_]\w*)((?:[ \t]+[A-Za-z_]\w*)*)/g,
  ))
    for (const one of [name, ...(more ?? '').trim().split(/\s+/)]) raw.set(one, UNKNOWN);
  const values = new Map<string, string>();
  for (let round = 0; round < 4; round++)
    for (const [name, value] of raw) values.set(name, valueOf(value, values, raw));
  return values;
}

/** A word without its quotes, with the values of its variables. */
function valueOf(
  word: string,
  values: ReadonlyMap<string, string>,
  open: ReadonlyMap<string, string> = values,
): string {
  const plain = word.replace(/'[^'\n]*'/g, (quoted) => quoted.slice(1, -1).replaceAll('$', '')).replace(/"/g, '');
  return plain.replace(/\$\{([^{}\n]*)\}|\$(\w+)|\$|`[^`]*`/g, (_whole, braced?: string, name?: string) => {
    const [, inner = '', rest = ''] = /^(\w+)(.*)$/.exec(braced ?? name ?? '') ?? [];
    if (inner === '' || /^\d+$/.test(inner) || !/^(?::?[-?].*)?$/.test(rest)) return UNKNOWN;
    return values.get(inner) ?? (open.has(inner) ? UNKNOWN : `{${inner}}`);
  });
}

const READERS =
  /^(?:cat|head|tail|wc|jq|grep|egrep|sort|sed|awk|gawk|cut|tr|diff|source|\.|sha256sum|sha1sum|md5sum|cksum|paste|comm|uniq|nl|tac|file|stat|python3?|node|pandoc|pdftotext|identify|gunzip|zcat|tar|unzip|base64|column|xmllint|csvcut|iconv|fold|rev)$/;

type Kind = PathUse['kind'] | 'cd' | 'walk';

/** What a command does with a word, from what is before and behind it in its line. */
function kindOf(before: string, after: string): Kind | undefined {
  if (/(?:^|[^<])<[ \t]*"?$/.test(before)) return 'read';
  if (/>[|>]?[ \t]*"?$/.test(before)) return /&>|[^=-]>|^>/.test(before) ? 'write' : undefined;
  if (/\w=\([^()]*$/.test(before)) return 'list';
  const segment = (before.split(/\$\(|[|;&(`]|(?<![\w$])(?:then|do|else|if|elif|while|until|!)\s/).at(-1) ?? '').trim();
  const command = segment.replace(/^(?:[A-Za-z_]\w*=\S*\s+)+/, '').replace(/^(?:command|exec|time|sudo|nice)\s+/, '');
  const [name = ''] = command.split(/\s/, 1);
  if (
    name === '' ||
    /^(?:echo|printf|local|export|readonly|declare|return|exit|set|shopt|case|read|basename|dirname|trap)$/.test(name)
  )
    return undefined;
  if (name === 'for') return /\sin(?:\s|$)/.test(segment) ? 'list' : undefined;
  // Behind "!" or "&&" in a test, the operator is the first word.
  if (/^\[\[?$|^test$|^-[a-zA-Z]$/.test(name)) return 'test';
  if (/^(?:cd|pushd)$/.test(name)) return 'cd';
  if (/^(?:find|du|tree)$/.test(name)) return 'walk';
  if (name === 'ls') return 'list';
  if (/^(?:mkdir|touch|tee|mktemp)$/.test(name)) return 'write';
  if (/^(?:rm|rmdir|chmod)$/.test(name)) return 'test';
  if (/^(?:cp|mv|ln|install|rsync)$/.test(name)) return /^[ \t]*(?:$|[|;&)>#]|2>)/.test(after) ? 'write' : 'read';
  return READERS.test(name) ? 'read' : 'unknown';
}

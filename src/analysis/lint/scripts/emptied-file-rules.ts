// The rule about files that are emptied before they are read: by > in the same command of bash, and by a program that opens them twice.
import type { Command, Redirection, Statement } from 'unbash';
import { literalPattern } from '../../../protocol/text.js';
import { nodesOf } from '../../shell/walk.js';
import { mistakesOf, plainText, type Mistake, type ScriptState } from '../helpers.js';
import type { Rule } from '../rule.js';

type Node = Statement['command'];

/** Programs whose arguments are files that they read. */
const READERS = /^(?:cat|tac|sort|uniq|head|tail|cut|wc|rev|nl|fold|fmt|column|paste|join|comm|shuf|iconv)$/;
/** Programs that read the file behind a pattern or a program. */
const FILTERS = /^(?:[ef]?grep|sed|g?awk|jq|yq|perl)$/;

function* emptiedFiles(state: ScriptState): Generator<Mistake> {
  const { shell } = state.source.script;
  if (shell === undefined) {
    yield* emptiedByPrograms(plainText(state));
    return;
  }
  const { ast } = shell;
  const reported = new Set<number>();
  const groups = [
    ...nodesOf(ast, 'Pipeline').map(({ commands }) => commands),
    ...nodesOf(ast, 'Command').map((node) => [node]),
    ...nodesOf(ast, 'Redirected').map((node) => [node]),
  ];
  for (const nodes of groups)
    for (const node of nodes) {
      const file = writtenBy(node).find((one) => nodes.some((other) => filesReadBy(other).includes(one)));
      if (file === undefined || reported.has(node.pos)) continue;
      reported.add(node.pos);
      yield { at: node.pos, message: `bash empties ${file} before the same command reads it`, fix: FIX };
    }
}

const FIX = 'write to another file, and then rename it with mv';

/** The files that a command empties at its start. */
function writtenBy(node: Node): readonly string[] {
  if (node.type !== 'Command' && node.type !== 'Redirected') return [];
  const files = filesOf(node.redirects, /^>\|?$/);
  const words = node.type === 'Command' && node.name?.value === 'tee' ? node.args.map(({ text }) => plain(text)) : [];
  return [...files, ...(words.some((word) => /^-/.test(word)) ? [] : words)].filter(
    (file) => !/^\/dev\/|[*(]/.test(file),
  );
}

/** What a command reads; a substitution in its words has ended before its output is opened. */
function filesReadBy(node: Node): readonly string[] {
  if (node.type === 'Command') return readBy(node);
  const outer = node.type === 'Redirected' ? filesOf(node.redirects, /^<$/) : [];
  return [...outer, ...nodesOf(node, 'Command').flatMap(readBy)];
}

function readBy({ name, args, redirects }: Command): readonly string[] {
  const program = name?.value ?? '';
  const words = args.map(({ text }) => plain(text));
  const isAfterPattern = words.filter((word) => !word.startsWith('-')).length > 1 && !/^--/.test(words.at(-3) ?? '');
  const files = READERS.test(program) ? words : FILTERS.test(program) && isAfterPattern ? words.slice(-1) : [];
  return [...filesOf(redirects, /^<$/), ...files];
}

function filesOf(redirects: readonly Redirection[], operator: RegExp): readonly string[] {
  return redirects.flatMap((one) =>
    one.type === 'Redirect' && operator.test(one.operator) && one.target !== undefined ? [plain(one.target.text)] : [],
  );
}

/** A word without quotes and braces. */
function plain(word: string): string {
  return word.replace(/["'{}]/g, '');
}

/** `with open(path, "w") as file:` with its block, and what else follows in the line. */
const OPENED = /\bopen\(\s*([\w.[\]"'/-]+)\s*,\s*["']w[bt+]{0,2}["'][^()\n]*\)([^\n]*)/g;
/** A stream into the file from which it comes. */
const STREAM = /\bcreateReadStream\(\s*([\w.[\]"'`/-]+)\s*[,)][^;]{0,300}?(createWriteStream)\(\s*\1\s*\)/g;

function* emptiedByPrograms(text: string): Generator<Mistake> {
  for (const { index, 0: whole, 1: path = '', 2: rest = '' } of text.matchAll(OPENED)) {
    const line = text.slice(text.lastIndexOf('\n', index) + 1, index);
    const indent = /^[ \t]*/.exec(line)?.[0] ?? '';
    const block = new RegExp(`(?:\\n(?:${indent}[ \\t]+[^\\n]*|[ \\t]*))*`, 'y');
    block.lastIndex = index + whole.length;
    const [body = ''] = block.exec(text) ?? [];
    const isWith = /^[ \t]*(?:async )?with\b/.test(line);
    const read = new RegExp(
      `\\bopen\\(\\s*${literalPattern(path)}\\s*(?:\\)|,\\s*["']r|,\\s*\\w+=)|(?<![\\w.])${literalPattern(path)}\\.read_(?:text|bytes)\\(`,
    );
    const within = isWith ? `${line}${rest}${/\.(?:flush|close)\(/.test(body) ? '' : body}` : rest.split(';')[0];
    if (read.test(within ?? ''))
      yield { at: index, message: `this empties ${path} before the program reads it`, fix: 'read the file first' };
  }
  for (const { index, 0: whole, 1: path = '', 2: writer = '' } of text.matchAll(STREAM))
    yield {
      at: index + whole.lastIndexOf(writer),
      message: `this empties ${path} before the program reads it`,
      fix: FIX,
    };
}

/** The rule about files that are emptied before they are read. */
export const EMPTIED_FILE_RULES: readonly Rule[] = [
  {
    id: 'emptied-file',
    severity: 'warning',
    summary:
      'A script opens a file for writing, which empties the file, before the same command or block reads the file.',
    why: 'bash empties the file behind > before it starts the command, so sort FILE > FILE leaves an empty file. The parts of a pipeline start at the same time. open(path, "w") of Python and createWriteStream(path) of Node.js empty a file, too.',
    check: (analysis) => mistakesOf(analysis, emptiedFiles),
  },
];

// Rules about output of bash in the wrong place: log lines in a value, and Markdown that bash runs as a command.
import type { Function as FunctionNode } from 'unbash';
import type { ShellScript } from '../../shell/shell.js';
import { nodesOf } from '../../shell/walk.js';
import { mistakesOf, type Mistake, type ScriptState } from '../helpers.js';
import type { Rule } from '../rule.js';

/** Names of functions that write for people. */
const LOGS =
  /^_?(?:log|info|warn|warning|debug|trace|verbose|note|notice|progress|status_line|say|msg|message)(?:_?\w*)?$/;

function* logsInValues({ source }: ScriptState): Generator<Mistake> {
  const { shell } = source.script;
  if (shell === undefined) return;
  const captured = new Set(
    nodesOf(shell.ast, 'CommandExpansion').flatMap(({ script }) =>
      script === undefined ? [] : nodesOf(script, 'Command').map(({ name }) => name?.value ?? ''),
    ),
  );
  for (const [name, body] of shell.functions) {
    if (!captured.has(name) || isRedirected(body, shell)) continue;
    const call = logIn(body, shell);
    if (call !== undefined && printsValue(body, shell))
      yield {
        at: call.at,
        message: `${call.name} prints to stdout, so its line becomes part of the value of $(${name} …)`,
        fix: `let ${call.name} print to stderr: >&2`,
      };
  }
}

/** The first call of a function that logs to stdout. */
function logIn(
  { pos, end }: FunctionNode,
  shell: ShellScript,
): { readonly at: number; readonly name: string } | undefined {
  return shell.commands.find(({ name, at, output }) => {
    const log = shell.functions.get(name);
    if (at < pos || at >= end || output !== undefined || log === undefined || !LOGS.test(name)) return false;
    return !isRedirected(log, shell) && prints(log, shell);
  });
}

/** True for a function of which some output goes to another place. */
function isRedirected({ pos, end }: FunctionNode, { text }: ShellScript): boolean {
  return /[})\w"']\s*\d?>|>\s*&|\btee\b|\blogger\b/.test(text.slice(pos, end).replace(/2>(?:&1|\s*\/dev\/null)/g, ''));
}

function prints({ pos, end }: FunctionNode, { commands }: ShellScript): boolean {
  return commands.some(({ name, at }) => at >= pos && at < end && /^(?:echo|printf|cat|date)$/.test(name));
}

/** True for a function that prints something itself. */
function printsValue(body: FunctionNode, shell: ShellScript): boolean {
  return prints(body, shell);
}

/** Programs that people run within texts for their output. */
const KNOWN =
  /^(?:date|hostname|whoami|id|uname|pwd|ls|cat|head|tail|wc|basename|dirname|realpath|readlink|git|grep|sed|awk|cut|sort|tr|echo|printf|expr|seq|jq|nproc|arch|tty|uptime|free|df|du|ps|find|stat|curl|which|env|printenv|mktemp|uuidgen|node|python3?|npm|tput|bc|date\b.*|logname|users|groups|locale|domainname|cal|sw_vers|lsb_release|getconf)$/;

/** Commands whose output does not belong into a text. */
const ORDERS =
  /^(?:npm (?:test|run|install|ci|publish)|yarn|pnpm|make|git (?:push|merge|rebase|reset|commit|checkout|switch|pull|clone|revert|stash)|rm|docker|kubectl|terraform|pytest|cargo|raymond|pip|mv|cp)\b/;

function* markdownInTexts({ source }: ScriptState): Generator<Mistake> {
  const { shell } = source.script;
  if (shell === undefined) return;
  const texts = [...nodesOf(shell.ast, 'HereDocBody'), ...nodesOf(shell.ast, 'DoubleQuoted')];
  for (const { parts } of texts)
    for (const [index, part] of (parts ?? []).entries()) {
      const [before, after] = [parts?.[index - 1], parts?.[index + 1]];
      if (part.type !== 'CommandExpansion' || !/^`[^`]+`$/.test(part.text)) continue;
      const isFence = before?.type === 'CommandExpansion' && before.text === '``';
      const isInProse = /(?:^|[\s([*_-])$/.test(textOf(before)) && /^(?:$|[\s)\].,;:!?*_-])/.test(textOf(after));
      if (!isFence && !(isInProse && isMarkdown(part.text.slice(1, -1).trim(), shell))) continue;
      if (![before, after].some((one) => /[A-Za-z]{2}/.test(textOf(one))) && !isFence) continue;
      yield {
        at: part.pos,
        message: `bash runs ${isFence ? 'the text of this fence' : part.text} as a command, and puts its output into the text`,
        fix: 'quote the word behind <<, or write a backslash before each backtick',
      };
      break;
    }
}

function textOf(part: { readonly type: string; readonly text?: string } | undefined): string {
  return part?.type === 'Literal' ? (part.text ?? '') : part === undefined ? '' : '\0';
}

/** True for a name that is none of a program, and for a command that is not run for its output. */
function isMarkdown(code: string, { functions }: ShellScript): boolean {
  if (ORDERS.test(code)) return true;
  return /^[\w@.:/<>*-]+$/.test(code) && !code.startsWith('/') && !KNOWN.test(code) && !functions.has(code);
}

/** Rules about output in the wrong place. */
export const VALUE_OUTPUT_RULES: readonly Rule[] = [
  {
    id: 'log-in-value',
    severity: 'warning',
    summary:
      'A bash script uses the output of a function as a value, but the function also prints log lines to stdout.',
    why: 'In value=$(pick), all that pick and the functions that it calls print on stdout becomes part of the value. Log lines belong on stderr.',
    check: (analysis) => mistakesOf(analysis, logsInValues),
  },
  {
    id: 'markdown-run-by-bash',
    severity: 'warning',
    summary:
      'A bash script prints Markdown with backticks that are not quoted, so bash runs the words in backticks as commands.',
    why: 'In double quotes, and in a here-document whose word is not quoted, `main` runs the command main. Its output, most often nothing, replaces the text.',
    check: (analysis) => mistakesOf(analysis, markdownInTexts),
  },
];

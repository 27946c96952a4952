// The rule about scripts in YAML whose lines are folded into one: below ">", or without any sign, a line end becomes a blank. Pure.
import { isMap, isScalar, parseDocument, type Scalar } from 'yaml';
import { executorOf } from '../../../protocol/language/resolve.js';
import { withoutLongLines } from '../helpers.js';
import type { Analysis, FindingDetails, Rule } from '../rule.js';
import { positionIn } from './yaml-comment-rules.js';

/** A script in YAML, and the key that contains it. */
interface YamlScript {
  readonly state: string;
  readonly key: string;
  readonly value: Scalar;
}

const SCRIPT_KEYS = /^(?:sh|py|js|ts|ps1|bat)$/;

function scriptsIn(text: string): readonly YamlScript[] {
  const { contents } = parseDocument(text, { schema: 'failsafe', logLevel: 'silent', uniqueKeys: false });
  const states = isMap(contents) ? contents.get('states') : undefined;
  if (!isMap(states)) return [];
  return states.items.flatMap(({ key: state, value: keys }) => {
    if (!isMap(keys)) return [];
    return keys.items.flatMap(({ key, value }) =>
      isScalar(key) && isScalar(value) && SCRIPT_KEYS.test(String(key.value))
        ? [{ state: isScalar(state) ? String(state.value) : '', key: String(key.value), value }]
        : [],
    );
  });
}

/** Two lines that folding joins. */
type Join = readonly [line: string, next: string];

/** The pairs of lines that become one line. */
function joinsOf({ value }: YamlScript, text: string): readonly Join[] {
  const isBlock = value.type === 'BLOCK_FOLDED';
  if (!isBlock && value.type !== 'PLAIN') return [];
  const [from = 0, to = 0] = value.range ?? [];
  const [, ...below] = text.slice(from, to).split('\n');
  const lines = isBlock
    ? below
    : text
        .slice(from, to)
        .split('\n')
        .map((line) => line.trim());
  const indent = /^ */.exec(lines.find((line) => line.trim() !== '') ?? '')?.[0].length ?? 0;
  // Deeper lines and empty lines keep their line ends.
  const isFolded = (line: string): boolean => line.trim() !== '' && !/^\s/.test(line.slice(indent));
  return lines.flatMap((line, index) => {
    const next = lines[index + 1] ?? '';
    return isFolded(line) && isFolded(next) ? [[line.trim(), next.trim()] as const] : [];
  });
}

const RESERVED = 'if|then|fi|else|elif|for|while|until|do|done|case|esac|function';
const COMMANDS =
  'echo|printf|cat|cd|set|export|exit|read|local|return|source|mkdir|cp|mv|rm|touch|grep|sed|awk|curl|git|jq|find|tar|rsync|ssh|scp|python3|node|npm|make|mapfile|trap|shift|sleep|date|wc|sort|tee|test|chmod|declare';
const BEGINS_COMMAND = new RegExp(
  `^(?:(?:${RESERVED}|${COMMANDS})(?=[\\s;]|$)|\\[\\[? |[A-Za-z_]\\w*(?:\\+?=|\\(\\)[ \\t]*\\{)|\\([( ]|\\{ |\\}|[.:!] )`,
);
/** A line of bash behind which another command may begin, or whose words may continue. */
const CONTINUES =
  /(?:[;&|({]|(?:^|[\s;])(?:then|do|else|in|sudo|env|xargs|exec|time|command|nohup))$|^(?:export|env|local|declare|docker|podman|sudo)\b/;
const COMMENT = /(?:^|[ \t])#(?![^"']*["'][^"']*$)/;

function breaksShell([line, next]: Join): boolean {
  if (COMMENT.test(line) || line.endsWith('\\')) return true;
  const quotes = (line.match(/(?<!\\)["']/g) ?? []).length;
  return quotes % 2 === 0 && !CONTINUES.test(line) && BEGINS_COMMAND.test(next);
}

function breaksPython([line, next]: Join): boolean {
  const opened = (line.match(/[([{]/g) ?? []).length - (line.match(/[)\]}]/g) ?? []).length;
  if (COMMENT.test(line) || line.endsWith('\\')) return true;
  return (
    opened <= 0 &&
    !/[;,([{]$/.test(line) &&
    /^(?:import|from|def|class|if|for|while|with|try|print|return|raise|[A-Za-z_][\w.]*\s*=(?!=)|@)/.test(next)
  );
}

function breaksNode([line, next]: Join): boolean {
  if (/(?:^|[ \t;])\/\/(?![^"'`]*["'`][^"'`]*$)/.test(line)) return true;
  const isStatement = /[\w)\]'"`]$/.test(line) && !/^(?:if|for|while|else|do|switch|\}\s*else)\b/.test(line);
  return (
    isStatement &&
    /^(?:import|export|const|let|var|function|async|class|if|for|while|return|throw|console)\b/.test(next)
  );
}

const BREAKS: Readonly<Record<string, (join: Join) => boolean>> = {
  sh: breaksShell,
  py: breaksPython,
  js: breaksNode,
  ts: breaksNode,
  ps1: (join) => COMMENT.test(join[0]) || /^\$\w+\s*=|^(?:if|foreach|Write-\w+)\b/.test(join[1]),
  bat: () => true,
};

function* foldedScripts(analysis: Analysis): Generator<FindingDetails> {
  const { source } = analysis.graph;
  const text = source.scope.kind === 'yaml' ? source.textOf(source.path) : undefined;
  if (text === undefined || !/^[ \t]+(?:sh|py|js|ts|ps1|bat):/m.test(text)) return;
  for (const script of scriptsIn(text)) {
    const { state, key, value } = script;
    const isBroken = BREAKS[key];
    const joins = joinsOf(script, text).map(
      ([line, next]) => [withoutLongLines(line), withoutLongLines(next)] as const,
    );
    if (isBroken === undefined || !joins.some(isBroken)) continue;
    const file = `${state}.${key}`;
    const offset = text.lastIndexOf(`${key}:`, value.range?.[0] ?? 0);
    yield {
      at: positionIn(text, { file: source.path, offset: Math.max(0, offset) }),
      ...(source.files.has(file) ? { state: file } : {}),
      message: `YAML joins the lines of this script into one line${value.type === 'PLAIN' ? '' : ', because its text begins with ">"'}: ${executorOf(file) === 'bash' ? 'bash then takes the next command for a part of the one before' : 'the statements are no longer separate'}`,
      fix: `write "${key}: |", which keeps the lines`,
    };
  }
}

/** The rule about folded scripts. */
export const FOLDED_SCRIPT_RULES: readonly Rule[] = [
  {
    id: 'folded-script',
    severity: 'warning',
    summary:
      'In a YAML package, the lines of a script are joined into one line, because no vertical bar stands before the text.',
    why: 'Below ">", and in a text without any sign, YAML puts a blank in the place of each line end. The commands of a script become one command, and a comment hides all that is behind it. Below "|", the lines stay as they are.',
    check: foldedScripts,
  },
];

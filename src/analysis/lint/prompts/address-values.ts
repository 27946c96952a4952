// Values that surely have an "@": addresses, handles, and changes as git shows them. A prompt that is filled with one includes no file.
import { allEdges, type Edge } from '../../graph.js';
import type { SourceText } from '../../mention.js';
import { COMPUTED } from '../../shell/words.js';
import { mayGetAttributes } from '../tags/assigned-attributes.js';
import { scriptsOf, statesOf, withoutLongLines, type PromptState, type ScriptState } from '../helpers.js';
import { giversOf, schemaOfField } from '../values/result-rules.js';
import type { Analysis } from '../rule.js';
import { definitionsBehind, valueExpressions } from '../scripts/definitions.js';

/** The names of variables that hold an address. */
const ADDRESS_NAME = /^(?:e_?mail|(?:e_?)?mail_?(?:address|addr)|(?:\w+_)e_?mail)$/i;

/** Words that describe an address, or show a value with an "@". */
const ADDRESS_WORDS = /\be-?mail address(?:es)?\b|(?<=^|[\s("'`]|\w)@\w/i;

/** Which value with an "@" a prompt is filled with, for a message. */
export function valueWithAt(analysis: Analysis, state: PromptState): string | undefined {
  const { file, source } = state;
  const names = new Set([...source.prompt.body.text.matchAll(/\{\{(\w+(?:\.\w+)?)\}\}/g)].map(([, name = '']) => name));
  const passed = allEdges(analysis.graph).find(
    (edge) =>
      leadsTo(edge, file) &&
      edge.role === 'target' &&
      (assignsAddress(analysis, { edge, names }) ||
        [...edge.mention.attributes].some(
          ([name, { value, valueAt }]) =>
            names.has(name) && hasAt(analysis, { name, value: { value, at: valueAt }, from: edge.from }),
        )),
  );
  if (passed !== undefined) return `a value that ${passed.from} passes contains @`;
  return describedWithAt(analysis, { file, names }) ?? resultWithAt(analysis, { file, names });
}

/** True for a tag that gets one of these attributes, with an address, from a variable. */
function assignsAddress(
  analysis: Analysis,
  { edge, names }: { readonly edge: Edge; readonly names: ReadonlySet<string> },
): boolean {
  const state = mayGetAttributes(edge.mention) ? scriptsOf(analysis).find(({ file }) => file === edge.from) : undefined;
  return state !== undefined && [...names].some((name) => isMadeOfAddress(analysis, { state, name }));
}

function leadsTo({ to }: Edge, file: string): boolean {
  return to.kind === 'state' && to.file === file;
}

interface FilledPrompt {
  readonly file: string;
  readonly names: ReadonlySet<string>;
}

/** A value that the manifest or a question describes. */
function describedWithAt({ graph }: Analysis, { file, names }: FilledPrompt): string | undefined {
  const { labels = [], input } = graph.source.parsedManifest ?? {};
  const label = labels.find((name) => names.has(name) && ADDRESS_NAME.test(name));
  if (label !== undefined) return `the label ${label} contains @`;
  if (!names.has('input') && !names.has('result')) return undefined;
  const isEntry = graph.entry.kind === 'state' && graph.entry.file === file;
  const words = `${input?.label ?? ''}\n${input?.description ?? ''}`;
  if (isEntry && isDescribed(words)) return 'the manifest describes an input with an @';
  const question = allEdges(graph).find(
    (edge) =>
      leadsTo(edge, file) && edge.tag === 'ask' && edge.role === 'next' && isDescribed(edge.mention.body?.value ?? ''),
  );
  return question && `${question.from} asks for a value with an @`;
}

function isDescribed(words: string): boolean {
  return ADDRESS_WORDS.test(words) && !/\b(?:without|no|not)\b[^.\n]{0,20}(?:@|mail)/i.test(words);
}

/** A result with an "@": a field for an address, or a change. */
function resultWithAt(analysis: Analysis, { file, names }: FilledPrompt): string | undefined {
  const givers = giversOf(analysis, file) ?? [];
  const fields = [...names].flatMap((name) => /^(?:result|input)\.(\w+)$/.exec(name)?.[1] ?? []);
  const isWhole = names.has('result') || names.has('input');
  const giver = givers.find((state) => {
    const properties = fields.map((field) => schemaOfField(state, field));
    if (properties.some((schema) => schema?.['format'] === 'email')) return true;
    return (
      isWhole &&
      state.mentions.some(
        ({ tag, body }) =>
          tag === 'result' && body !== undefined && isChange(analysis, { value: body, from: state.file }),
      )
    );
  });
  return giver && `the result of ${giver.file} contains @`;
}

/** True for a result that is a change as git shows it. */
function isChange(analysis: Analysis, { value, from }: Omit<PassedValue, 'name'>): boolean {
  const source = statesOf(analysis).find(({ file }) => file === from)?.source;
  if (source?.kind !== 'script' || value.value.trim() !== COMPUTED) return false;
  const text = withoutLongLines(source.raw.text);
  const line = text.split('\n')[value.at.line - source.raw.at(0).line] ?? '';
  const [, command, variable] = /<result>(?:\$\(([^()]*)\)|\$?\{?(\w+)\}?)<\/result>/.exec(line) ?? [];
  return command === undefined ? variable !== undefined && isFoundWithAt(text, variable) : isDiff(command);
}

/** True for a command whose output has "@@" in it, unless it is empty. */
function isDiff(text: string): boolean {
  const [command] = /\bgit["',\s]+(?:-C\s+\S+\s+)?(?:diff|show)\b[^\n]*/.exec(text) ?? [];
  return (
    command !== undefined &&
    !/--(?:\w*stat|name-\w+|quiet|exit-code|check|summary|format)|\||show["',\s]+[\w$"]*:/.test(command)
  );
}

interface PassedValue {
  readonly name: string;
  readonly value: SourceText;
  readonly from: string;
}

/** True for a value with an "@", for a variable that is named as an address, and for a value that a script has checked for one. */
function hasAt(analysis: Analysis, { name, value, from }: PassedValue): boolean {
  if (/@/.test(value.value.replace(/\{\{[^{}]*\}\}/g, ''))) return true;
  const state = scriptsOf(analysis).find(({ file }) => file === from);
  const source = state?.source;
  if (state === undefined || source === undefined || !value.value.includes(COMPUTED)) return false;
  if (ADDRESS_NAME.test(name) || isMadeOfAddress(analysis, { state, name })) return true;
  const text = withoutLongLines(source.raw.text);
  const line = text.split('\n')[value.at.line - source.raw.at(0).line] ?? '';
  const [, variable] = new RegExp(`${name}=\\\\?["']\\$?\\{?(\\w+)\\}?\\\\?["']`).exec(line) ?? [];
  const [, , expression = ''] = new RegExp(`${name}=\\\\?(["'])[^"'\\n]{0,4}\\{([^"{}\\n]{1,80})\\}`).exec(line) ?? [];
  const [, command] = new RegExp(`${name}=\\\\?["']\\$\\(([^()]*)\\)\\\\?["']`).exec(line) ?? [];
  if (command !== undefined && isDiff(command)) return true;
  const [root = variable] = expression.match(/\w+/) ?? [];
  if (root !== undefined && isFoundWithAt(text, root)) return true;
  if (variable === undefined) return false;
  return (
    isCheckedForAt(text, variable) || isInBranchWithAt(text, { line: value.at.line - source.raw.at(0).line, variable })
  );
}

/** The field of a record, or the column of a table, that has an address. */
const ADDRESS_FIELD = /(?:\.|\[\s*["'`]|\bget\(\s*["'`])(?:\w+_)?(?:e_?mail|e-mail|mail_?addr(?:ess)?)\b(?!\s*\()/i;

/** A filter that lets only texts with an "@" pass. */
const AT_FILTER =
  /(?<!!)\b\w+(?:\[\d\]|\.\w+)?\.includes\(\s*["'`]@["'`]\s*\)(?![^\n]*\.(?:map|split)\()|\bif\s+["']@["']\s+in\b/;

/** What leaves only a part of an address. */
const CUTS_ADDRESS =
  /\b(?:r?split|r?partition|indexOf|find|index)\(\s*["'`/]@|%%?@|##?[^}\n]*@|\b(?:sub|replace(?:All)?)\([^\n]*@|\bcut\s+-d\s*["']?@|\bsed\b[^\n]*@|\btr\b[^\n]*@/;

/** True for a value that a script makes of an address: of a field, of a match of a pattern with an "@", or of texts that it has filtered. */
function isMadeOfAddress(
  analysis: Analysis,
  { state, name }: { readonly state: ScriptState; readonly name: string },
): boolean {
  return valueExpressions(withoutLongLines(state.source.raw.text), name).some(({ text }) => {
    const texts = [text, ...definitionsBehind(analysis, { state, text }).map((one) => one.text)].filter(
      (one) => !/^\s*(?:async\s+)?(?:def|function)\b/.test(one),
    );
    const whole = texts.join('\n');
    if (CUTS_ADDRESS.test(whole) || /\.(?:length|size)\b|\blen\(|\?[^.?]|\bif\b/.test(text)) return false;
    if ((text.match(/(?<![\w.])[A-Za-z_]\w*/g) ?? []).some((word) => ADDRESS_NAME.test(word))) return true;
    if (ADDRESS_FIELD.test(text) || AT_FILTER.test(whole) || texts.some(isAddress)) return true;
    const isPattern = texts.some((one) => /\bcompile\(|\bRegExp\(|=\s*\/[^/\n]/.test(one) && GROUP_WITH_AT.test(one));
    return isPattern && /\.(?:search|match|fullmatch|exec|findall|matchAll)\(/.test(whole);
  });
}

const GROUP_WITH_AT = /\((?!\?[!=<:])[^()\n]*@[^()\n]*\)/;

const AT_IN_GROUP = String.raw`\([^()\n]*@[^()\n]*\)`;

/** True for a variable that a script fills by a search for an address, or with the address of an author. */
function isFoundWithAt(text: string, variable: string): boolean {
  const assignments = text.matchAll(
    new RegExp(`(?:^|[\\s;])${variable}\\s*(?::[^=\\n]{1,40})?=(?!=)([^\\n]*(?:\\n[ \\t]+[^\\n]*){0,3})`, 'gm'),
  );
  return [...assignments].some(([, assigned = '']) => isAddress(assigned));
}

function isAddress(assigned: string): boolean {
  if (isDiff(assigned)) return true;
  if (/%[ac][eE]\b|\buser\.email\b/.test(assigned)) return /\bgit\b/.test(assigned);
  if (/\bparseaddr\([^\n]*\)\s*\[\s*1\s*\]/.test(assigned)) return true;
  if (/\bgrep\s[^|\n]*-\w*o\w*\b[^|\n]*@/.test(assigned)) return !/\|\s*(?:cut|sed|awk|tr)\b/.test(assigned);
  if (!/\bre\.(?:search|match|fullmatch)\(|\.(?:match|exec|search)\(/.test(assigned)) return false;
  return new RegExp(`${AT_IN_GROUP}|["'/][^"'(\\n]*@[^"'(\\n]*["'/]`).test(assigned);
}

/** True for a script that ends where the variable does not match a pattern with an "@". */
function isCheckedForAt(text: string, variable: string): boolean {
  const check = `[^\\n]*(?:@[^\\n]*\\b${variable}\\b|\\b${variable}\\b[^\\n]*@)[^\\n]*`;
  const end = String.raw`[^]{0,160}?\b(?:exit|raise|throw|return)\b`;
  return new RegExp(
    `^[ \\t]*(?:(?:if|elif)\\b[^\\n]*(?:\\bnot\\b|!)${check}${end}|\\[\\[?${check}\\]\\s*\\|\\|${end})`,
    'm',
  ).test(text);
}

/** True for a line in the branch of a condition that the variable matches a pattern with an "@". */
function isInBranchWithAt(
  text: string,
  { line, variable }: { readonly line: number; readonly variable: string },
): boolean {
  const lines = text.split('\n').slice(Math.max(0, line - 60), line + 1);
  let indent = indentOf(lines.at(-1) ?? '');
  for (const above of lines.slice(0, -1).reverse()) {
    if (above.trim() === '' || indentOf(above) >= indent) continue;
    indent = indentOf(above);
    if (/^\s*(?:\}\s*)?(?:else|def|function)\b/.test(above)) return false;
    if (isConditionWithAt(text, { condition: above, variable })) return true;
  }
  return false;
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

function isConditionWithAt(
  text: string,
  { condition, variable }: { readonly condition: string; readonly variable: string },
): boolean {
  if (!/^\s*(?:\}?\s*else\s+)?(?:if|elif)\b/.test(condition) || !new RegExp(`\\b${variable}\\b`).test(condition))
    return false;
  if (/\bnot\b|!|\|\||\bor\b|\[\^[^\]]*@/.test(condition)) return false;
  const tested = /\.(?:fullmatch|match|search|test|exec|includes)\(|=~|==\s*\*|["'`]@["'`]\s+in\b/.test(condition);
  const isNamed = (condition.match(/\b[A-Z_a-z]\w{2,}\b/g) ?? []).some((name) =>
    new RegExp(`(?:^|[\\s;])${name}\\s*=[ \\t]*(?:re\\.compile\\(|new RegExp\\()?[ \\t]*r?["'/][^\\n^]*@`, 'm').test(
      text,
    ),
  );
  return tested && (condition.includes('@') || (isNamed && !/\.includes\(/.test(condition)));
}

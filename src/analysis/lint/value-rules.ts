// Rules about the values that states pass on, about files that values keep from being read, and about secrets in files.
import { allEdges, FRAGMENT } from '../graph.js';
import type { SourceAttribute } from '../mention.js';
import type { PositionedText } from '../position.js';
import { COMPUTED } from '../shell/words.js';
import { matches, promptsOf, readsInput, withoutLongLines } from './helpers.js';
import { MENTION } from './package-rules.js';
import type { Analysis, FindingDetails, Rule } from './rule.js';

function* unusedInputs(analysis: Analysis): Generator<FindingDetails> {
  for (const { role, to, mention, from } of allEdges(analysis.graph)) {
    const input = mention.attributes.get('input');
    const state = to.kind === 'state' ? analysis.graph.states.get(to.file) : undefined;
    if (role !== 'target' || input === undefined || state === undefined || state.kind === 'unreadable') continue;
    if (readsInput(state) || (state.source.kind === 'script' && state.source.script.opaque && state.hasUnknownTargets))
      continue;
    yield {
      at: input.at,
      state: from,
      message: `${state.file} does not read its input`,
      fix: 'use {{input}} or RAYMOND_INPUT there, or remove input',
    };
  }
}

const INCLUDED = new RegExp(`${FRAGMENT.source}|${MENTION.source}`, 'gm');

/** Prompts that include a file and are filled with a value that surely has an "@". */
function* filesNotRead(analysis: Analysis): Generator<FindingDetails> {
  for (const state of promptsOf(analysis)) {
    const { body } = state.source.prompt;
    const [included] = matches(body, INCLUDED);
    if (included === undefined) continue;
    const names = new Set([...body.text.matchAll(/\{\{(\w+)\}\}/g)].map(([, name = '']) => name));
    const edge = allEdges(analysis.graph).find(
      ({ to, role, from, mention }) =>
        role === 'target' &&
        to.kind === 'state' &&
        to.file === state.file &&
        [...mention.attributes].some(([name, value]) => names.has(name) && hasAt(analysis, { name, value, from })),
    );
    if (edge === undefined) continue;
    yield {
      at: included.at,
      state: state.file,
      message: `a value that ${edge.from} passes contains @, so Claude Code does not read this file in that turn`,
      fix: 'let the prompt name the file without @ and ask for it to be read, or pass the value in a file',
    };
  }
}

interface PassedValue {
  readonly name: string;
  readonly value: SourceAttribute;
  readonly from: string;
}

/** True for a value with an "@", for a variable that is named as an address, and for a value that a script has checked for one. */
function hasAt({ graph }: Analysis, { name, value, from }: PassedValue): boolean {
  if (/@/.test(value.value.replace(/\{\{[^{}]*\}\}/g, ''))) return true;
  const source = graph.states.get(from)?.source;
  if (source?.kind !== 'script' || !value.value.includes(COMPUTED)) return false;
  if (/^(?:e_?mail|(?:e_?)?mail_?(?:address|addr)|(?:\w+_)e_?mail)$/i.test(name)) return true;
  const text = withoutLongLines(source.raw.text);
  const line = text.split('\n')[value.at.line - source.raw.at(0).line] ?? '';
  const [, variable] = new RegExp(`${name}=\\\\?["']\\$?\\{?(\\w+)\\}?\\\\?["']`).exec(line) ?? [];
  const [, , expression = ''] = new RegExp(`${name}=\\\\?(["'])[^"'\\n]{0,4}\\{([^"{}\\n]{1,80})\\}`).exec(line) ?? [];
  const [root = variable] = expression.match(/\w+/) ?? [];
  if (root !== undefined && isFoundWithAt(text, root)) return true;
  return variable !== undefined && isCheckedForAt(text, variable);
}

const AT_IN_GROUP = String.raw`\([^()\n]*@[^()\n]*\)`;

/** True for a variable that a script fills by a search for an address, or with the address of an author. */
function isFoundWithAt(text: string, variable: string): boolean {
  const assignments = text.matchAll(
    new RegExp(`(?:^|[\\s;])${variable}\\s*(?::[^=\\n]{1,40})?=(?!=)([^\\n]*(?:\\n[ \\t]+[^\\n]*){0,3})`, 'gm'),
  );
  return [...assignments].some(([, assigned = '']) => isAddress(assigned));
}

function isAddress(assigned: string): boolean {
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

/** A credential of a documentation, such as AKIAIOSFODNN7EXAMPLE, or one of few different characters. */
function isPlaceholder(text: string): boolean {
  if (/example|placeholder|your|x{6}|\*{4}|dummy|fake|changeme|password@|secret@|pass@/i.test(text)) return true;
  return new Set(text).size < 12;
}

/** Patterns that only credentials match. */
const SECRETS: readonly (readonly [what: string, pattern: RegExp])[] = [
  ['an API key of Anthropic', /\bsk-ant-[A-Za-z0-9_-]{16,}/g],
  ['an API key of OpenAI', /\bsk-(?:proj-)?[A-Za-z0-9]{32,}\b/g],
  ['a token of GitHub', /\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{30,})\b/g],
  ['a token of GitLab', /\bglpat-[A-Za-z0-9_-]{20,}/g],
  ['a token of Slack', /\bxox[abprs]-[A-Za-z0-9-]{20,}/g],
  ['an access key of AWS', /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g],
  ['an API key of Google', /\bAIza[A-Za-z0-9_-]{35}\b/g],
  ['a private key', /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----\s+(?:[\w-]+: .*\s+)*[A-Za-z0-9+/=]{40,}/g],
  ['a password in an address', /\b[a-z][a-z0-9+.-]*:\/\/[^\s:@/$<{]+:[^\s:@/$<{]{4,}@[\w.-]+/g],
];

function* secrets(analysis: Analysis): Generator<FindingDetails> {
  for (const source of analysis.graph.source.files.values()) {
    const raw: PositionedText | undefined = 'raw' in source ? source.raw : undefined;
    if (raw === undefined) continue;
    const isState = analysis.graph.states.has(source.file);
    for (const [what, pattern] of SECRETS)
      for (const { at, match } of matches(raw, pattern))
        if (!isPlaceholder(match[0]))
          yield {
            at,
            message: `this looks like ${what}`,
            fix: 'remove it, revoke it, and read it from the environment',
            ...(isState ? { state: source.file } : {}),
          };
  }
}

/** Rules about values and secrets. */
export const VALUE_RULES: readonly Rule[] = [
  {
    id: 'file-not-read',
    severity: 'warning',
    summary:
      'A prompt mentions a file as @path, so that Claude Code reads the file. But a value that contains an @ is inserted into this prompt, so Raymond turns off every @path in the prompt.',
    why: 'A value could otherwise make Claude Code read any file. So in a turn whose prompt was filled with a value that contains @, no file is read, and the model does not see the text that the prompt includes.',
    check: filesNotRead,
  },
  {
    id: 'unused-input',
    severity: 'info',
    summary: 'A tag passes an input to a state that does not read the input.',
    why: 'The value is lost after that state.',
    check: unusedInputs,
  },
  {
    id: 'secret-in-file',
    severity: 'warning',
    summary: 'A file of the package contains what looks like a credential, such as an API key.',
    why: 'Packages are copied, uploaded and stored with runs, and prompts are sent to a model. Everyone who has seen the credential can use it, so revoke it as well.',
    check: secrets,
  },
];

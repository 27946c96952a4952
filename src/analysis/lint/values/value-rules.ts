// Rules about the values that states pass on, about files that values keep from being read, and about secrets in files.
import { allEdges, FRAGMENT } from '../../graph.js';
import type { PositionedText } from '../../position.js';
import { valueWithAt } from '../prompts/address-values.js';
import { matches, promptsOf, readsInput } from '../helpers.js';
import { MENTION } from '../flow/package-rules.js';
import type { Analysis, FindingDetails, Rule } from '../rule.js';

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
    const origin = included === undefined ? undefined : valueWithAt(analysis, state);
    if (included === undefined || origin === undefined) continue;
    yield {
      at: included.at,
      state: state.file,
      message: `${origin}, so Claude Code does not read this file in that turn`,
      fix: 'let the prompt name the file without @ and ask for it to be read, or pass the value in a file',
    };
  }
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

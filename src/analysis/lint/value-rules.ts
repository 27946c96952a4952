// Rules about the values that states pass on, and about secrets in files.
import { allEdges } from '../graph.js';
import type { PositionedText } from '../position.js';
import { matches, readsInput } from './helpers.js';
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

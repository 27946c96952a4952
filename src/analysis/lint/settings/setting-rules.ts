// Rules about settings that can never work: results that no schema admits, backends that cannot do what is asked, patterns that match every
// reply or none, and variables that the tools of a prompt do not get.
import { literalPattern } from '../../../protocol/text.js';
import { linearSearch } from '../../../packages/linear-pattern.js';
import { SANDBOX_KINDS } from '../../../protocol/sandbox.js';
import { implicitTag, type Policy } from '../../../protocol/language/policy.js';
import { isComputed, type Mention } from '../../mention.js';
import type { Position, PositionedText } from '../../position.js';
import { isPrompt, codeIn, continuesConversation, matches, promptsOf, type PromptState } from '../helpers.js';
import { attributesPassed } from '../passed.js';
import { patternsOfLabels } from '../prompts/pattern-label-rules.js';
import { lineAt, patternsOfEveryReply, patternsOfNegations, patternsOfTags } from '../prompts/pattern-rules.js';
import type { Analysis, FindingDetails, Rule } from '../rule.js';
import { sandboxAsked } from './sandbox-rules.js';
import { schemaConflicts } from '../values/schema-conflicts.js';

function* impossibleSchemas(analysis: Analysis): Generator<FindingDetails> {
  for (const state of promptsOf(analysis)) {
    const { policy, resultSchema } = state.source.prompt;
    const shape = policy?.result;
    if (shape === undefined || resultSchema === undefined) continue;
    const file = shape.kind === 'file' ? analysis.graph.source.files.get(shape.file) : state.source;
    const { text } = state.source.prompt.body;
    const isNamed = (word: string): boolean => new RegExp(`(?<!\\w)${literalPattern(word)}(?!\\w)`).test(text);
    for (const { word, other, message } of schemaConflicts(resultSchema)) {
      const key = keyAt(state, 'result');
      // A prompt that asks for the required name shows that the property has a wrong name.
      const wrong = other !== undefined && isNamed(word) && !isNamed(other) ? other : word;
      const at = positionOf(file !== undefined && 'raw' in file ? file.raw : undefined, wrong);
      yield {
        at: at ?? positionBelow(key, { text: analysis.graph.source.textOf(key.file), word: wrong }),
        state: state.file,
        message,
        fix: 'correct the schema',
      };
    }
  }
}

/** Where a word stands in a list of a schema. */
function positionOf(raw: PositionedText | undefined, word: string): Position | undefined {
  const index = indexInSchema(raw?.text ?? '', word);
  return index === undefined ? undefined : raw?.at(index);
}

function indexInSchema(text: string, word: string): number | undefined {
  const quoted = literalPattern(word);
  const inList = new RegExp(`(?:required|enum|const|min\\w+)["']?\\s*:[^\\]:]*?(?<!\\w)(${quoted})(?!\\w)`).exec(text);
  const match = inList ?? new RegExp(`(?<![\\w-])${quoted}(?=["']?\\s*:)`).exec(text);
  return match === null ? undefined : match.index + match[0].length - word.length;
}

/** The same for a schema below a key of a larger file. */
function positionBelow(
  key: Position,
  { text, word }: { readonly text: string | undefined; readonly word: string },
): Position {
  const below = (text ?? '')
    .split('\n')
    .slice(key.line - 1)
    .join('\n');
  const index = indexInSchema(below, word);
  if (index === undefined) return key;
  const lines = below.slice(0, index).split('\n');
  return { ...key, line: key.line + lines.length - 1, column: (lines.at(-1)?.length ?? 0) + 1 };
}

function keyAt({ source }: PromptState, name: string): Position {
  return source.prompt.keys.find(({ key }) => key === name)?.at ?? source.at;
}

/** The backend that a prompt or its package names. */
function namedBackend({ graph }: Analysis, { source }: PromptState): string | undefined {
  return source.prompt.policy?.backend ?? graph.source.parsedManifest?.backend?.name;
}

function* unsupportedSandboxes(analysis: Analysis): Generator<FindingDetails> {
  const { manifest, parsedManifest } = analysis.graph.source;
  const strength = (kind = 'none'): number => SANDBOX_KINDS.findIndex((name) => name === kind);
  const ofPackage = parsedManifest?.sandbox?.kind;
  const packageKey = manifest?.keys.find(({ key }) => key === 'sandbox')?.at;
  const reported = new Set<Position>();
  for (const state of promptsOf(analysis)) {
    if (namedBackend(analysis, state) !== 'pi') continue;
    const asked = sandboxAsked(state.source);
    const isOwn = strength(asked?.request.kind) >= Math.max(1, strength(ofPackage));
    const at = isOwn ? asked?.at : strength(ofPackage) > 0 ? packageKey : undefined;
    if (at === undefined || reported.has(at)) continue;
    reported.add(at);
    const kind = isOwn ? asked?.request.kind : ofPackage;
    yield {
      at,
      ...(isOwn ? { state: state.file } : {}),
      message: `the backend pi cannot run in the sandbox "${kind}": the turn of ${state.file} is refused before it starts`,
      fix: 'use the backend claude, or remove the sandbox',
    };
  }
}

/** Follows conversations from state to state, and reports prompts whose backend cannot read the one they get. */
function* foreignConversations(analysis: Analysis): Generator<FindingDetails> {
  const { entry, states } = analysis.graph;
  if (entry.kind !== 'state') return;
  const pending: (readonly [file: string, backend: string | undefined])[] = [[entry.file, undefined]];
  const seen = new Set<string>();
  const reported = new Set<string>();
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const [file, conversation] = next;
    const state = states.get(file);
    if (state === undefined || seen.has(`${file}/${conversation}`)) continue;
    seen.add(`${file}/${conversation}`);
    let backend = conversation;
    if (isPrompt(state)) {
      const named = namedBackend(analysis, state);
      if (conversation !== undefined && named !== undefined && named !== conversation && !reported.has(file)) {
        reported.add(file);
        yield foreign(state, { named, conversation });
      }
      backend = named ?? conversation ?? 'claude';
    }
    for (const edge of state.edges)
      if (edge.to.kind === 'state') pending.push([edge.to.file, continuesConversation(edge) ? backend : undefined]);
  }
}

function foreign(
  state: PromptState,
  { named, conversation }: { readonly named: string; readonly conversation: string },
): FindingDetails {
  return {
    at: keyAt(state, 'backend'),
    state: state.file,
    message: `${state.file} is reached in a conversation of ${conversation}, which ${named} cannot read: its turn fails`,
    fix: 'reach it by <reset>, <function> or <fork>, or remove its backend',
  };
}

function* uselessPatterns(analysis: Analysis): Generator<FindingDetails> {
  for (const { source, file, effectiveMentions } of promptsOf(analysis)) {
    const entries = source.prompt.keys.find(({ key }) => key === 'evaluate');
    const tags = effectiveMentions.flatMap(written);
    for (const { match, line } of source.prompt.policy?.evaluation?.patterns ?? []) {
      const at = entries === undefined ? source.at : lineAt(source.raw, { line, fallback: entries.at });
      if (match.includes('\b'))
        yield {
          at,
          state: file,
          message: 'in double quotes, YAML reads \\b as a backspace, so this pattern matches no reply',
          fix: 'write the pattern in single quotes',
        };
      else if (mustHaveTag(source.prompt.policy) && cannotMatchTag(match))
        yield {
          at,
          state: file,
          message: 'the pattern must match the whole reply, from ^ to $, but not the tag in it, so it matches no reply',
          fix: 'begin it with (?m), which makes ^ and $ the ends of a line',
        };
      else if (tags.length > 0 && tags.length === effectiveMentions.length && tags.every(linearSearch(match)))
        yield {
          at,
          state: file,
          message: `the pattern matches ${tags[0] ?? 'the tag'} itself, so it replaces the transition of every reply`,
          fix: 'write a pattern that the tag does not match',
        };
    }
  }
}

/** The findings of all checks; each pattern is reported once. */
function allUselessPatterns(analysis: Analysis): readonly FindingDetails[] {
  const found = [
    ...uselessPatterns(analysis),
    ...patternsOfEveryReply(analysis),
    ...patternsOfTags(analysis),
    ...patternsOfLabels(analysis),
  ];
  const first = new Map<string, FindingDetails>();
  for (const one of found) {
    const key = `${one.at.file}:${String(one.at.line)}`;
    if (!first.has(key)) first.set(key, one);
  }
  return [...first.values()];
}

/** A pattern of one word that also matches what the prompt calls its opposite: `NOT APPROVED`. */
function* patternsOfOpposites(analysis: Analysis): Generator<FindingDetails> {
  for (const { source, file } of promptsOf(analysis)) {
    const entries = source.prompt.keys.find(({ key }) => key === 'evaluate');
    for (const { match, line } of source.prompt.policy?.evaluation?.patterns ?? []) {
      const [, word = ''] = /^(?:\(\?i\))?([A-Za-z]+)$/.exec(match) ?? [];
      const opposite = new RegExp(
        `[\`"']((?:not|no|un|dis|in)[ -]?${word})[\`"'.:]`,
        match.startsWith('(?i)') ? 'i' : '',
      ).exec(
        source.prompt.body.text.replace(/\b(?:NOT|NO|Not|No)\b/g, (not) =>
          match.startsWith('(?i)') ? not : not.toLowerCase(),
        ),
      );
      if (word === '' || opposite === null) continue;
      yield {
        at: entries === undefined ? source.at : lineAt(source.raw, { line, fallback: entries.at }),
        state: file,
        message: `the pattern ${word} also matches "${opposite[1] ?? ''}", for which the text asks in another case`,
        fix: `anchor it to its line: (?m)^${word}$`,
      };
    }
  }
}

/** True for a policy that every reply needs a tag for. */
function mustHaveTag(policy: Policy | undefined): boolean {
  return policy !== undefined && policy.result === undefined && implicitTag(policy, {}) === undefined;
}

/** True for a pattern that must match from the beginning to the end of a reply, and has nothing that matches "<". */
function cannotMatchTag(pattern: string): boolean {
  const [, flags = '', inner] = /^(?:\(\?([a-z]+)\))?\^(.+)\$$/.exec(pattern) ?? [];
  if (inner === undefined || flags.includes('m') || (inner.includes('|') && !/^\([^()]*\)$/.test(inner))) return false;
  return !/<|(?<!\\)\.|\[\^|\\[^wdsb.?!*+()[\]{}|$^-]|\(\?(?!:)|\[[^\]]*-/.test(inner);
}

/** A tag as a reply would write it, if that is known. */
function written({ tag, body, attributes }: Mention): readonly string[] {
  if (body === undefined || isComputed(body.value) || /\W/.test(body.value.replace(/\.\w+$/, ''))) return [];
  const own = [...attributes].filter(([name]) => name === 'return' || name === 'next');
  return [`<${tag}${own.map(([name, { value }]) => ` ${name}="${value}"`).join('')}>${body.value}</${tag}>`];
}

/** A code span with a command that reads a value. */
const COMMAND =
  /(`+)(?:cat|head|tail|less|grep|wc|jq|echo|printf|cd|ls|git|test|\w+ [^`]*)[^`\n]*?\$\{?(RAYMOND_(?:INPUT|RESULT)\w*)[^`\n]*\1/g;

/** A prompt about workflows may speak of the variables of their scripts. */
const SPEAKS_OF_SCRIPTS = /\b(?:workflows?|scripts?|bash|raymond)\b|\.sh\b/i;

function* variablesOfScripts(analysis: Analysis): Generator<FindingDetails> {
  for (const state of promptsOf(analysis)) {
    if (namedBackend(analysis, state) === 'pi') continue;
    yield* valuesInCommands(state);
    yield* attributesInCommands(analysis, state);
  }
}

function* valuesInCommands({ source, file }: PromptState): Generator<FindingDetails> {
  const { body } = source.prompt;
  if (SPEAKS_OF_SCRIPTS.test(body.text)) return;
  for (const { match, at } of matches(body, COMMAND)) {
    const name = match[2] ?? '';
    yield {
      at,
      state: file,
      message: `${name} is not set for the tools of a prompt, so this command reads nothing`,
      fix: name.startsWith('RAYMOND_INPUT') ? 'write {{input}}' : 'write {{result}}',
    };
  }
}

/** A prompt that lets the model write or explain a script. */
const WRITES_SCRIPT =
  /\b(?:write|create|edit|explain|review|add|replace)\b[^.\n]{0,60}\b(?:scripts?|workflows?|functions?)\b/i;

/** Attributes and labels are variables of prompts, but not of the commands that Claude runs. */
function* attributesInCommands(analysis: Analysis, { source, file }: PromptState): Generator<FindingDetails> {
  const { body } = source.prompt;
  const environment = analysis.graph.source.parsedManifest?.environment ?? {};
  const names = [...attributesPassed(analysis, file), 'RAYMOND_ASK_ID'].filter(
    (name) => environment[name] === undefined,
  );
  if (WRITES_SCRIPT.test(body.text)) return;
  const isCode = codeIn(body.text);
  for (const { match, at } of matches(body, /(?<![\\\w$])\$\{?(\w+)\b/g)) {
    const name = match[1] ?? '';
    const isGiven = new RegExp(`\\b${name}=|\\b(?:for|read)\\s+${name}\\b`).test(body.text);
    if (!names.includes(name) || isGiven || !isCode(match.index)) continue;
    yield {
      at,
      state: file,
      message: `${name} is not a variable of the commands that Claude runs`,
      fix: `write {{${name === 'RAYMOND_ASK_ID' ? 'ask_id' : name}}}`,
    };
  }
}

/** Rules about settings that can never work. */
export const SETTING_RULES: readonly Rule[] = [
  {
    id: 'impossible-result-schema',
    severity: 'warning',
    summary: 'The JSON schema under the key result contradicts itself, so no result can fit the schema.',
    why: 'A result that does not fit is rejected, and after the reminders the turn fails. The schema contradicts itself: every reply is rejected.',
    check: impossibleSchemas,
  },
  {
    id: 'sandbox-without-backend',
    severity: 'warning',
    summary:
      'A prompt that runs on the backend pi, or the package of the prompt, asks for a sandbox, but pi cannot run in a sandbox.',
    why: 'A turn never runs without the sandbox that it asks for, and pi cannot run in any: the turn is refused before it starts.',
    check: unsupportedSandboxes,
  },
  {
    id: 'foreign-conversation',
    severity: 'warning',
    summary:
      'A prompt continues a conversation that another backend began. A backend, such as Claude Code or pi, can read only its own conversations.',
    why: 'No backend can read the conversations of another. <goto> and <call> keep the conversation, so the turn fails. The backend of a prompt without one is claude, unless --backend or the config names another.',
    check: foreignConversations,
  },
  {
    id: 'useless-pattern',
    severity: 'warning',
    summary:
      'A pattern under the key evaluate matches every reply or no reply, so the pattern always or never replaces the transition.',
    why: 'Patterns are searched for in the whole reply, with its tag. A pattern that matches the tag replaces every transition. YAML reads \\b in double quotes as one character.',
    check: allUselessPatterns,
  },
  {
    id: 'pattern-of-opposite',
    severity: 'warning',
    summary:
      'A pattern under the key evaluate is a word such as APPROVED, but the prompt also asks for the opposite, such as NOT APPROVED, and the pattern matches both.',
    why: 'A pattern is searched for in the whole reply. A word is also found in its own negation, so the transition is replaced in both cases.',
    check: (analysis) => [...patternsOfOpposites(analysis), ...patternsOfNegations(analysis)],
  },
  {
    id: 'variable-of-scripts',
    severity: 'warning',
    summary:
      'A prompt tells the model to run a command with a variable such as RAYMOND_INPUT or an attribute of your own, but only scripts get these variables.',
    why: 'Scripts get RAYMOND_INPUT and RAYMOND_RESULT; the tools of a prompt get the other RAYMOND_ variables only. Labels and attributes of your own are no variables of the tools either. A prompt has {{input}}, {{result}} and the like.',
    check: variablesOfScripts,
  },
];

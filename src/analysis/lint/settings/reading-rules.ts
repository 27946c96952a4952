// Rules about reading files: encoding, line endings, frontmatter, script headers.
import { comparedKeys, implicitTag, MODEL_ALIASES, nearModel } from '../../../protocol/language/policy.js';
import { executorOf } from '../../../protocol/language/resolve.js';
import { FRONTMATTER_KEYS, splitPrompt } from '../../../protocol/language/state-file.js';
import type { Mention } from '../../mention.js';
import type { SourceProblem } from '../../prompt-source.js';
import { codeIn, promptsOf, scriptsOf, statesOf } from '../helpers.js';
import type { Analysis, FindingDetails, Rule } from '../rule.js';
import { nearHeaders } from './unread-settings-rules.js';

/** Keys of a policy entry that this rule checks; the rules about tags check the other attributes. */
const ENTRY_KEYS: readonly unknown[] = [undefined, 'tag', 'target', 'return', 'next'];

function hasOwnRule({ path: [first, , attribute] }: SourceProblem): boolean {
  return first === 'model' || first === 'effort' || first === '#!' || !ENTRY_KEYS.includes(attribute);
}

function* invalidFiles(analysis: Analysis): Generator<FindingDetails> {
  for (const { text, at } of analysis.graph.source.manifest?.faults ?? []) yield { at, message: text };
  for (const { source, file } of [...promptsOf(analysis), ...scriptsOf(analysis)]) {
    const problems = source.kind === 'prompt' ? source.prompt.problems : source.faults;
    for (const problem of problems)
      if (!hasOwnRule(problem)) yield { at: positionOf(problem, analysis), message: problem.text, state: file };
  }
}

/** Prompts on another backend than pi, in a package whose manifest has options for pi. */
function* lostOptions({ graph }: Analysis): Generator<FindingDetails> {
  if (graph.source.parsedManifest?.backend?.options === undefined) return;
  for (const { source, file } of promptsOf({ graph })) {
    const { backend = 'pi' } = source.prompt.policy ?? {};
    const key = source.prompt.keys.find((one) => one.key === 'backend');
    if (backend === 'pi' || key === undefined) continue;
    yield {
      at: key.valueAt,
      state: file,
      message: `the manifest has options for pi, which ${backend} cannot obey, so the turn of this prompt fails`,
      fix: 'remove the options from the manifest, or the backend from this prompt',
    };
  }
}

/** The position of the value, if the problem is about a key. */
function positionOf({ at, path: [first] }: SourceProblem, { graph }: Analysis): SourceProblem['at'] {
  for (const { source } of graph.states.values()) {
    const key = source.kind === 'prompt' ? source.prompt.keys.find(({ key }) => key === first) : undefined;
    if (key !== undefined && key.at.file === at.file && key.at.line === at.line) return key.valueAt;
  }
  return at;
}

function* problemsOfKey(analysis: Analysis, name: string): Generator<FindingDetails> {
  for (const { source, file } of promptsOf(analysis)) {
    const problem = source.prompt.problems.find(({ path: [first] }) => first === name);
    const key = source.prompt.keys.find(({ key }) => key === name);
    if (problem !== undefined) yield { at: key?.valueAt ?? problem.at, message: problem.text, state: file };
  }
}

/** The known families of models; only the service knows which versions exist. */
const MODEL_FAMILY = /(?:opus|sonnet|haiku|fable|mythos|instant|claude-[23v]|^best$|^default$)/;

function* unknownModels(analysis: Analysis): Generator<FindingDetails> {
  const ofPackage = analysis.graph.source.parsedManifest?.backend?.name;
  for (const { source, file } of promptsOf(analysis)) {
    const { model, backend = ofPackage } = source.prompt.policy ?? {};
    const key = source.prompt.keys.find(({ key }) => key === 'model');
    if (model === undefined || key === undefined || MODEL_FAMILY.test(model)) continue;
    const near = nearModel(model);
    // Other backends and model providers have other families.
    if (backend === 'pi' || /^arn:|\//.test(model)) continue;
    yield {
      at: key.valueAt,
      message: `"${model}" is not a known Claude model (${MODEL_ALIASES.join(', ')}, claude-…)`,
      fix: near === undefined ? 'check the name' : `write ${near}`,
      state: file,
    };
  }
}

/** Names of models as only pi takes them. */
const MODEL_OF_PI = /^(?:openai|google|gemini|mistral(?:ai)?|deepseek|x-?ai|meta-llama|qwen|groq|openrouter|cohere)\//;

/** Levels of effort and models that only pi knows, in a package without pi. */
function* settingsOfPi(analysis: Analysis, name: 'model' | 'effort'): Generator<FindingDetails> {
  const prompts = promptsOf(analysis);
  if (analysis.graph.source.parsedManifest?.backend?.name === 'pi') return;
  if (prompts.some(({ source }) => source.prompt.policy?.backend === 'pi')) return;
  for (const { source, file } of prompts) {
    const { model = '', effort = '' } = source.prompt.policy ?? {};
    const key = source.prompt.keys.find((one) => one.key === name);
    const isOfPi = name === 'model' ? MODEL_OF_PI.test(model) : effort === 'off' || effort === 'minimal';
    if (key === undefined || !isOfPi) continue;
    yield {
      at: key.valueAt,
      state: file,
      severity: 'warning',
      message: `only the backend pi knows the ${name} "${name === 'model' ? model : effort}", but this prompt does not name it`,
      fix: 'add "backend: pi", or choose another value',
    };
  }
}

function* unreadable(analysis: Analysis): Generator<FindingDetails> {
  for (const { source, file, at } of statesOf(analysis))
    if (source.kind === 'unreadable') yield { at, message: source.why, state: file };
}

/** A frontmatter in the text of a YAML state, whose settings are keys beside the text. */
function* frontmatterInText({ graph }: Analysis): Generator<FindingDetails> {
  if (graph.source.scope.kind !== 'yaml') return;
  for (const { source, file } of promptsOf({ graph })) {
    const { body } = source.prompt;
    const { frontmatter = '' } = splitPrompt(body.text);
    const key = frontmatter.split('\n').find((line) => /^(?:\w+):(?:\s|$)/.test(line));
    if (key === undefined || !FRONTMATTER_KEYS.some((name) => key.startsWith(`${name}:`))) continue;
    yield {
      at: body.at(0),
      state: file,
      message: 'this frontmatter is a part of the prompt: in a YAML file, the settings are keys of the state',
      fix: 'write these keys beside the key prompt',
    };
  }
}

/** Keys with values as only a frontmatter has them: a policy anywhere, other settings in the first or the last line. */
const SETTING_IN_TEXT =
  /^(allowed_transitions|evaluate|result):[ \t]*(?:\[[ \t]*\{|\n[ \t]*(?:-[ \t]*(?:\{[ \t]*)?(?:tag|match|state)|schema):)|(?:(?<![^])\s*|^(?=[^\n]*\s*(?![^])))(model|effort|backend|force_implicit):[ \t]*(?:claude|pi|true|low|medium|high|xhigh|max|haiku|sonnet|opus)[ \t]*$/m;

/** Settings in the text of a prompt, which the model gets as words, and in the commands of a bash script. */
function* settingsInText(analysis: Analysis): Generator<FindingDetails> {
  const fix = 'write it as a key of the state: in the frontmatter, or in YAML beside the key prompt or sh';
  for (const { source, file } of promptsOf(analysis)) {
    const { body, keys, misplacedFrontmatter } = source.prompt;
    const match = SETTING_IN_TEXT.exec(body.text);
    const name = match?.[1] ?? match?.[2] ?? '';
    if (match === null || misplacedFrontmatter !== undefined || keys.some(({ key }) => key === name)) continue;
    const at = body.text.indexOf(name, match.index);
    if (/^---$|\b(?:frontmatter|settings?|yaml|workflows?)\b/im.test(body.text) || codeIn(body.text)(at)) continue;
    yield {
      at: body.at(at),
      state: file,
      message: `${name} stands in the text of the prompt, so it has no effect`,
      fix,
    };
  }
  for (const { source, file } of scriptsOf(analysis))
    for (const { name, args, at } of source.script.commands)
      if (/^(?:retries|timeout|limit|sandbox):$/.test(name) && args.length === 1 && !source.raw.text.startsWith('---'))
        yield { at: source.raw.at(at), state: file, message: `bash runs this setting as the command ${name}`, fix };
}

function* misplacedFrontmatter(analysis: Analysis, kind: 'not-closed' | 'not-at-top'): Generator<FindingDetails> {
  for (const { source, file } of promptsOf(analysis)) {
    if (source.prompt.misplacedFrontmatter?.kind !== kind) continue;
    const { at } = source.prompt.misplacedFrontmatter;
    if (kind === 'not-closed')
      yield {
        at,
        message: 'the frontmatter is never closed',
        fix: 'put a line "---" below its last key, and the prompt below that',
        state: file,
      };
    else
      yield {
        at,
        message: 'the frontmatter has no effect, because "---" is not the first line',
        fix: 'remove what comes before it',
        state: file,
      };
  }
}

/** `# raymond: timeout=2m` below the first line of code. */
function* lateHeaders(analysis: Analysis): Generator<FindingDetails> {
  for (const { source, file } of scriptsOf(analysis)) {
    const { text } = source.raw;
    const code = /^(?!\s*(?:#|\/\/|::|rem\b|@echo|$))/im.exec(text)?.index ?? text.length;
    const late = /^[ \t]*(?:#|\/\/)[ \t]*raymond:[ \t]*\w+=/m.exec(text.slice(code));
    if (late !== null)
      yield {
        at: source.raw.at(code + late.index),
        state: file,
        message: 'these settings have no effect, because code stands above them',
        fix: 'move the line to the comments at the top of the script',
      };
  }
}

function* crlf(analysis: Analysis): Generator<FindingDetails> {
  for (const { source, file } of scriptsOf(analysis)) {
    const at = executorOf(file) === 'bash' ? source.raw.text.indexOf('\r\n') : -1;
    if (at < 0) continue;
    const position = source.raw.at(at);
    yield {
      at: position,
      message: 'the line ends with CR LF, and bash reads the CR as part of the command',
      fix: 'save the file with LF',
      edit: { kind: 'line-ends', file: position.file },
      state: file,
      ...(analysis.syntax.has(file) ? {} : { severity: 'warning' }),
    };
  }
}

function* marks(analysis: Analysis): Generator<FindingDetails> {
  for (const { source, file, at } of scriptsOf(analysis))
    if (source.hasMark && executorOf(file) === 'bash')
      yield {
        at,
        state: file,
        message: 'the file begins with a byte order mark, which bash reads as part of the first command',
        fix: 'save it as UTF-8 without BOM',
      };
}

function* forced(analysis: Analysis): Generator<FindingDetails> {
  for (const { source, file } of promptsOf(analysis)) {
    const { policy, keys, entries } = source.prompt;
    const key = keys.find(({ key }) => key === 'force_implicit');
    if (policy?.forceImplicit !== true || key === undefined || implicitTag(policy, {}) !== undefined) continue;
    const [entry, ...others] = entries;
    const lacking = entry === undefined || others.length > 0 ? [] : missingKeys(entry);
    yield {
      at: entry !== undefined && lacking.length > 0 ? entry.at : key.at,
      message:
        lacking.length > 0
          ? `this entry has no ${lacking.join(' and no ')}, so force_implicit has no effect`
          : 'force_implicit has no effect: it needs exactly one allowed transition, with every attribute that its tag requires',
      fix: 'complete the entry, or remove the key',
      state: file,
    };
  }
}

/** What an entry lacks to be a whole tag, of the keys that name states. */
function missingKeys({ tag, body, attributes }: Mention): readonly string[] {
  if (tag === 'ask') return [];
  const has = (key: string): boolean => (key === 'target' ? body !== undefined : attributes.has(key));
  return comparedKeys(tag).filter((key) => key !== 'timeout_next' && key !== 'payload' && !has(key));
}

/** Rules about reading files. */
export const READING_RULES: readonly Rule[] = [
  {
    id: 'frontmatter-parse-error',
    severity: 'error',
    summary: 'A frontmatter, a manifest, a YAML package or the header of a script has wrong syntax or a wrong value.',
    why: 'The message says what is wrong. A state with such a mistake fails before its turn.',
    check: (analysis) => [...invalidFiles(analysis), ...lostOptions(analysis)],
  },
  {
    id: 'frontmatter-not-closed',
    severity: 'error',
    summary: 'The frontmatter of a prompt has no closing line "---".',
    why: 'The block would be sent to the model as text, and the turn would run without the policy. Write a horizontal rule at the top of a prompt as ***.',
    check: (analysis) => misplacedFrontmatter(analysis, 'not-closed'),
  },
  {
    id: 'frontmatter-ignored',
    severity: 'warning',
    summary:
      'Raymond ignores a frontmatter below the first line of its file, a header below the code of its script, a header that does not begin with # raymond:, // raymond: or rem raymond:, and settings inside of a prompt or a script.',
    why: 'Frontmatter must start with --- in the first line. Below a title, a comment or a blank line it is part of the prompt. Settings of a script (# raymond: timeout=2m) stand in the comments above its first line of code.',
    check: (analysis) => [
      ...misplacedFrontmatter(analysis, 'not-at-top'),
      ...frontmatterInText(analysis),
      ...settingsInText(analysis),
      ...lateHeaders(analysis),
      ...nearHeaders(analysis),
    ],
  },
  {
    id: 'invalid-model',
    severity: 'error',
    summary:
      'The value of the key model cannot be the name of a model, for example because the value contains a space.',
    why: 'A name has no spaces and does not begin with a hyphen. Examples: opus, sonnet[1m], claude-…, an ARN, or provider/model for pi.',
    check: (analysis) => problemsOfKey(analysis, 'model'),
  },
  {
    id: 'invalid-effort',
    severity: 'error',
    summary:
      'The key effort has a level that Raymond does not know, or a prompt that runs on Claude Code has a level that only pi accepts.',
    why: 'Claude Code ignores an unknown effort. The levels are low, medium, high, xhigh and max; of pi also off and minimal.',
    check: (analysis) => [...problemsOfKey(analysis, 'effort'), ...settingsOfPi(analysis, 'effort')],
  },
  {
    id: 'unknown-model',
    severity: 'warning',
    summary:
      'The value of the key model belongs to no family of models that Raymond knows, such as opus, sonnet or haiku.',
    why: 'Only the service knows which models exist, and it rejects an unknown one when the turn starts. A name outside the families of Claude is most often misspelt.',
    check: (analysis) => [...unknownModels(analysis), ...settingsOfPi(analysis, 'model')],
  },
  {
    id: 'force-implicit-invalid',
    severity: 'warning',
    summary:
      'The key force_implicit has no effect, because allowed_transitions has no entry, several entries, or one entry that lacks a value which its tag needs.',
    why: 'force_implicit applies the only allowed transition whatever the model replies. So there must be exactly one entry, and it must be complete.',
    check: forced,
  },
  {
    id: 'not-utf8',
    severity: 'error',
    summary: 'Raymond cannot read the file of a state, usually because the file is not UTF-8 text.',
    why: 'Its turn would fail. Save the file as UTF-8.',
    check: unreadable,
  },
  {
    id: 'crlf-script',
    severity: 'error',
    summary: 'A bash script has Windows line ends (CR LF).',
    why: 'bash reads the CR at the end of a line as part of the command: set -e becomes an unknown option, and fi is not recognized.',
    check: crlf,
  },
  {
    id: 'script-with-bom',
    severity: 'warning',
    summary:
      'A bash script begins with a byte order mark, an invisible character that bash reads as part of the first command.',
    why: 'bash reads the mark as part of the first command, which it then does not find. If the first line begins with "#!", bash prints an error message; if it is set -e, it has no effect.',
    check: marks,
  },
];

// A rule about judges whose answers Raymond does not understand, although their policy says nothing against it: JSON, words of a function, and
// words without a tag.
import { isComputed, type Mention } from '../../mention.js';
import type { Expression, Step } from '../../program/program.js';
import { COMPUTED } from '../../shell/words.js';
import { plainText, type PromptState, type ScriptState } from '../helpers.js';
import { judgesOf } from './judge-rules.js';
import { allows } from './prompt-rules.js';
import { isAskedFor } from './prompt-text.js';
import type { Analysis, FindingDetails, Rule } from '../rule.js';

interface Answer extends Pick<FindingDetails, 'at'> {
  readonly what: string;
}

function* unknownAnswers(analysis: Analysis): Generator<FindingDetails> {
  for (const { judge, judged } of judgesOf(analysis)) {
    const { entries } = judged.source.prompt;
    // Without a policy, or with any result, the judged state may end with what the judge writes.
    if (entries.length === 0 || entries.some(({ tag, body }) => tag === 'result' && body === undefined)) continue;
    const answer =
      judge.source.kind === 'prompt'
        ? answerOfPrompt(analysis, { judge: judge as PromptState, judged })
        : judge.source.kind === 'script'
          ? answerOfScript(judge as ScriptState, judged)
          : undefined;
    if (answer === undefined) continue;
    yield {
      at: answer.at,
      state: judge.file,
      message: `${judge.file} judges ${judged.file}, and ${answer.what} is neither <result>keep</result> nor a tag that ${judged.file} may end with`,
      fix: 'write <result>keep</result> to keep the transition, or a tag that the judged state allows',
    };
  }
}

function isKeep(text: string): boolean {
  return /^keep$/i.test(text.trim());
}

function answerOfPrompt(
  analysis: Analysis,
  { judge, judged }: { readonly judge: PromptState; readonly judged: PromptState },
): Answer | undefined {
  const { resultSchema, keys, entries, body } = judge.source.prompt;
  if (resultSchema !== undefined) {
    const key = keys.find(({ key: name }) => name === 'result');
    const isText = /\bkeep\b/i.test(JSON.stringify(resultSchema)) && resultSchema['type'] !== 'object';
    return key === undefined || isText ? undefined : { at: key.at, what: 'JSON that fits this schema' };
  }
  const texts = judge.mentions.filter(({ source }) => source === 'text');
  if (entries.length === 0 && texts.length === 0) return answerWithoutTag(judge);
  // Any result is allowed by the policy of the judge, but not by that of the judged state.
  if (!entries.some(({ tag, body: payload }) => tag === 'result' && payload === undefined)) return undefined;
  const wrong = texts.find((mention) => isWrong(mention, judged, analysis) && isAskedFor(body, mention));
  return wrong && { at: wrong.at, what: `<result>${wrong.body?.value.trim() ?? ''}</result>` };
}

function isWrong(mention: Mention, { source }: PromptState, analysis: Analysis): boolean {
  const { tag, body, malformed } = mention;
  if (tag !== 'result' || body === undefined || malformed !== undefined || isComputed(body.value)) return false;
  if (isKeep(body.value) || /…|\.\.\./.test(body.value)) return false;
  return !source.prompt.entries.some((entry) => allows(entry, { mention, analysis }));
}

/** The words with which a judge answers that names no tag. */
function answerWithoutTag({ source }: PromptState): Answer | undefined {
  const { body } = source.prompt;
  const match = ANSWERS.exec(body.text);
  if (match === null || /<[a-z]/.test(body.text)) return undefined;
  const line = body.text.lastIndexOf('\n', match.index) + 1;
  return { at: body.at(line), what: 'an answer without a tag' };
}

const ANSWERS = /\b(?:answer|reply|respond|say|return|write|end|finish|decide|print)\b/i;

function answerOfScript(judge: ScriptState, { source }: PromptState): Answer | undefined {
  const computed = judge.mentions.find(
    ({ tag, body, malformed }) => tag === 'result' && malformed === undefined && body?.value.trim() === COMPUTED,
  );
  if (computed === undefined) return undefined;
  const code = plainText(judge);
  const allowed = source.prompt.entries.flatMap(({ tag, body }) =>
    tag === 'result' ? [body?.value.trim() ?? ''] : [],
  );
  if (COMPARED.test(code)) return { at: computed.at, what: 'true or false' };
  for (const { 1: name = '' } of code.matchAll(CALLED)) {
    if (/^(?:json\.dumps|JSON\.stringify|jq)$/.test(name)) return { at: computed.at, what: 'JSON' };
    if (isTruth(judge, name)) return { at: computed.at, what: 'true or false' };
    const word = wordsOf(judge, { name, code }).find((one) => !isKeep(one) && !allowed.includes(one.trim()));
    if (word !== undefined) return { at: computed.at, what: `<result>${word.trim()}</result>` };
  }
  return undefined;
}

/** What a script calls for the text of a result. */
const CALLED = /<result>(?:\$?\{|"?\$\(|["'`]\s*[+,]\s*)\s*([\w.]+)\s*(?=[(\s])/g;

/** A comparison for the text of a result. */
const COMPARED = /<result>\$?\{[^{}"'`?]*(?:[<>=!]==?|\s[<>]\s|\s(?:in|not|and|or)\s)[^{}"'`?]*\}<\/result>/;

/** True for a function of a program that returns only comparisons. */
function isTruth({ source }: ScriptState, name: string): boolean {
  const { program } = source.script;
  const values = returnsOf(program?.functions.get(name)?.body ?? []);
  const texts = values.map(({ at, end }) => program?.text.slice(at, end) ?? '');
  return (
    texts.length > 0 &&
    texts.every(
      (text) => /^(?:true|false|!|not\b)|[<>=!]==?|\s[<>]\s|\s(?:in|and|or)\s|&&/i.test(text) && !/keep|\?/i.test(text),
    )
  );
}

/** The texts that a function returns or prints. */
function wordsOf(
  { source }: ScriptState,
  { name, code }: { readonly name: string; readonly code: string },
): readonly string[] {
  const { program } = source.script;
  const body = program?.functions.get(name)?.body;
  if (program !== undefined) return body === undefined ? [] : returnsOf(body).flatMap(textsOf);
  const [, inner = ''] =
    new RegExp(String.raw`(?:^|\n)(?:function\s+)?${name}\s*\(\)\s*\{([^]*?)\n?\}`).exec(code) ?? [];
  return [...inner.matchAll(/\becho\s+(?:"([\w ]+)"|'([\w ]+)'|(\w+))\s*(?=$|;|\n)/gm)].map(
    ([, double, single, plain]) => double ?? single ?? plain ?? '',
  );
}

function returnsOf(steps: readonly Step[]): readonly Expression[] {
  return steps.flatMap((step): readonly Expression[] => {
    if (step.kind === 'return') return step.value === undefined ? [] : [step.value];
    if (step.kind === 'choice') return step.branches.flatMap(({ body }) => returnsOf(body));
    if (step.kind === 'loop' || step.kind === 'try') return [...returnsOf(step.body), ...returnsOf(step.otherwise)];
    return [];
  });
}

function textsOf(value: Expression): readonly string[] {
  if (value.kind === 'text') return [value.text.text];
  if (value.kind === 'join') {
    const parts = value.parts.map(textsOf);
    return parts.every((one) => one.length === 1) ? [parts.flat().join('')] : [];
  }
  return value.kind === 'either' ? [...textsOf(value.then), ...textsOf(value.otherwise)] : [];
}

/** The rule about answers of judges. */
export const JUDGE_ANSWER_RULES: readonly Rule[] = [
  {
    id: 'unknown-verdict',
    severity: 'warning',
    summary:
      'A judge, which checks the replies of another state, ends without a tag, or with a result that the checked state cannot have, such as JSON or a word of its own. Only keep approves.',
    why: 'A judge ends with <result>keep</result>, or with another tag with which the judged state may end. Any other end is a mistake: a prompt gets a reminder, and a script makes the agent fail.',
    check: unknownAnswers,
  },
];

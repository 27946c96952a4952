// Rules about judges, the states that check the replies of another state: a judge that changes nothing, that replaces a good result, that fails
// where it should object, or that misreads the tag of the reply.
import { stem } from '../../../protocol/ids.js';
import { jsonOf } from '../../../protocol/text.js';
import { allEdges, type StateNode } from '../../graph.js';
import { isComputed, type Mention } from '../../mention.js';
import { plainText, promptsOf, searchableText, type PromptState } from '../helpers.js';
import { isJudged } from '../passed.js';
import { fileOf } from './prompt-rules.js';
import type { Analysis, FindingDetails, Rule } from '../rule.js';

export interface Judging {
  readonly judged: PromptState;
  readonly judge: StateNode;
}

/** The judges that no tag leads to, with the states that they judge. */
export function* judgesOf(analysis: Analysis): Generator<Judging> {
  for (const judged of promptsOf(analysis)) {
    const name = judged.source.prompt.policy?.evaluation?.judge?.state;
    const judge = name === undefined ? undefined : analysis.graph.states.get(fileOf(name, analysis));
    const edges = allEdges(analysis.graph).filter(({ to }) => to.kind === 'state' && to.file === judge?.file);
    if (judge !== undefined && edges.every(({ mention }) => isJudged(mention))) yield { judged, judge };
  }
}

/** The tags with which a judge may end. */
function endsOf({ effectiveMentions }: StateNode): readonly Mention[] {
  return effectiveMentions.filter(({ malformed }) => malformed === undefined);
}

function keeps({ tag, body }: Mention): boolean {
  return tag === 'result' && body !== undefined && /^keep$/i.test(body.value.trim());
}

/** The work of a judge that does more than to judge. */
const CHANGES_FILES =
  /\b(?:correct|fix|edit|writ|updat|chang|commit|append|sav|creat|remov|delet|add)\w*\b[^.\n]{0,80}(?:\bfiles?\b|\bfolder\b|\.\w{2,4}\b)|(?:^|\s)>>?\s*["$\w]|\bwrite\w*\(/im;

/** A judge that can only keep the transition. */
function* withoutEffect(analysis: Analysis): Generator<FindingDetails> {
  for (const { judge, judged } of judgesOf(analysis)) {
    const ends = endsOf(judge);
    const first = judge.mentions.find((mention) => mention.source === 'text' && keeps(mention)) ?? ends[0];
    if (first === undefined || judge.hasUnknownTargets || !ends.every(keeps)) continue;
    // A prompt without a policy may end with any tag.
    if (judge.source.kind === 'prompt' && judge.source.prompt.entries.length === 0) continue;
    if (judge.kind === 'script' && /\bexit\s+[1-9$]|\bexit\([1-9]/.test(searchableText(judge))) continue;
    if (CHANGES_FILES.test(plainText(judge))) continue;
    yield {
      at: first.at,
      state: judge.file,
      message: `${judge.file} can only end with <result>keep</result>, so it never changes a transition of ${judged.file}`,
      fix: 'let it end with another tag that the judged state allows, if the reply is not good',
    };
  }
}

const APPROVES =
  /^(?:ok(?:ay)?|yes|good|pass(?:ed)?|approved?|accept(?:ed)?|valid|fine|true|correct|kept|done|lgtm)[.!]?$/i;

/** A judge whose word of approval replaces the result. */
function* replacedResults(analysis: Analysis): Generator<FindingDetails> {
  for (const { judge, judged } of judgesOf(analysis)) {
    const { entries } = judged.source.prompt;
    const isOpen = entries.length === 0 || entries.some(({ tag, body }) => tag === 'result' && body === undefined);
    const results = [...judge.effectiveMentions, ...judge.mentions].filter(({ tag }) => tag === 'result');
    const word = results.find(({ body }) => APPROVES.test(body?.value.trim() ?? ''));
    if (!isOpen || word === undefined || results.some(keeps)) continue;
    yield {
      at: word.at,
      state: judge.file,
      message: `<result>${word.body?.value.trim() ?? ''}</result> replaces the result of ${judged.file}, so what it has written is lost`,
      fix: 'write <result>keep</result> to keep the result',
    };
  }
}

const REJECTS =
  /\b(?:sys\.exit|process\.exit|exit)\(?[ \t]*["']?(?:[1-9]\d*\b|["'][^"'\n]|f["'])|\bprocess\.exitCode\s*=\s*[1-9]|\braise\s+SystemExit\b|\bthrow\s+new\s+Error\b/;

/** A script that fails where it finds the reply bad, and that can else only keep the transition. */
function* failingJudges(analysis: Analysis): Generator<FindingDetails> {
  for (const { judge, judged } of judgesOf(analysis)) {
    const ends = endsOf(judge);
    if (judge.source.kind !== 'script' || judge.hasUnknownTargets || ends.length === 0 || !ends.every(keeps)) continue;
    const code = plainText(judge);
    const match = REJECTS.exec(code);
    if (match === null) continue;
    yield {
      at: judge.source.raw.at(match.index),
      state: judge.file,
      message: `this makes the agent fail: a judge does not reject a reply of ${judged.file} by an exit code`,
      fix: 'print another tag that the judged state allows, with the reason as its input',
    };
  }
}

/** A text of a prompt in the place of which the model writes JSON. */
const STANDS_FOR_JSON = /…|\.\.\.|\b(?:JSON|object|array|list|result)\b/i;

/** A judge that puts a text in the place of a result that has a schema. */
function* resultsWithoutSchema(analysis: Analysis): Generator<FindingDetails> {
  for (const { judge, judged } of judgesOf(analysis)) {
    if (judged.source.prompt.resultSchema === undefined) continue;
    const results = [...judge.mentions, ...judge.effectiveMentions].filter(
      ({ tag, body }) => tag === 'result' && body !== undefined,
    );
    const texts = results.filter(
      ({ body, isCertain, source }) =>
        isCertain !== false &&
        !isComputed(body?.value ?? '') &&
        !(source === 'text' ? STANDS_FOR_JSON : /…|\.\.\./).test(body?.value ?? ''),
    );
    const text = texts.find((mention) => !keeps(mention) && jsonOf((mention.body?.value ?? '').trim()) === undefined);
    if (text === undefined || (judge.source.kind === 'prompt' && judge.source.prompt.entries.length === 0)) continue;
    yield {
      at: text.at,
      state: judge.file,
      message: `this would replace the result of ${judged.file}, but it does not fit the schema there`,
      fix: 'write <result>keep</result>, or JSON that fits the schema of the judged state',
    };
  }
}

/** A judge with an `evaluate` of its own. */
function* evaluatedJudges(analysis: Analysis): Generator<FindingDetails> {
  for (const { judge } of judgesOf(analysis)) {
    const key =
      judge.source.kind === 'prompt'
        ? judge.source.prompt.keys.find(({ key: name }) => name === 'evaluate')
        : undefined;
    if (key === undefined) continue;
    yield {
      at: key.at,
      state: judge.file,
      message: `${judge.file} is a judge, and Raymond ignores evaluate of a judge`,
      fix: 'remove it, or put the pattern into the state that is judged',
    };
  }
}

/** A judge that compares `transition` with a text that it never is. */
function* misreadTransitions(analysis: Analysis): Generator<FindingDetails> {
  for (const { judge } of judgesOf(analysis)) {
    if (judge.source.kind !== 'script') continue;
    const code = plainText(judge);
    for (const { at, text } of comparedWith(code)) {
      const why = misreading(analysis, text);
      if (why !== undefined)
        yield {
          at: judge.source.raw.at(at),
          state: judge.file,
          message: `the transition is never "${text}": ${why}`,
          fix: 'compare with the tag as it is, such as <goto>PUBLISH.sh</goto>, or search for a part of it',
        };
    }
  }
}

/** The texts with which a script compares the whole of `transition`. */
function* comparedWith(code: string): Generator<{ readonly at: number; readonly text: string }> {
  const read = String.raw`(?:"?\$\{?transition\}?"?|(?:os\.)?environ(?:\.get\(|\[)["']transition["'][\])]|(?:os\.)?getenv\(["']transition["']\)|process\.env\.transition|(?<![\w.$"'])transition)`;
  const compared = new RegExp(
    String.raw`(?<![\w$])${read}\s*(?:[!=]==?|=)\s*(?:"((?:[^"\\\n]|\\.)*)"|'([^'\n]*)'|([A-Za-z]\w*)(?=\s*\]))`,
    'g',
  );
  for (const match of code.matchAll(compared)) {
    const text = match[1] ?? match[2] ?? match[3] ?? '';
    if (/["'*?$]|\{/.test(text)) continue;
    yield { at: match.index + match[0].lastIndexOf(text), text };
  }
}

/** Why a transition is never this text. */
function misreading({ graph }: Analysis, text: string): string | undefined {
  if (/^[\w-]+(?:\.\w+)?$|^(?:goto|reset|call|function|result|fork)\b[^<>]*$/.test(text))
    return 'it is a whole tag with brackets';
  const [, name = ''] = /^<(?:goto|reset|call|function|fork)\b[^<>]*>([\w-]+)<\/\w+>$/.exec(text) ?? [];
  const file = [...graph.states.keys()].find((one) => stem(one) === name);
  return name === '' || file === undefined || isComputed(text)
    ? undefined
    : `it names the file, as in ${text.replace(`>${name}<`, `>${file}<`)}`;
}

/** Rules about judges. */
export const JUDGE_RULES: readonly Rule[] = [
  {
    id: 'judge-without-effect',
    severity: 'warning',
    summary:
      'A judge, which checks the replies of another state, has only one possible end: it keeps every transition.',
    why: 'A judge that always ends with <result>keep</result> costs a turn for each reply and changes nothing.',
    check: withoutEffect,
  },
  {
    id: 'judge-replaces-result',
    severity: 'warning',
    summary:
      'A judge approves with a word such as <result>ok</result>. The checked prompt may end with this result, too, so the word replaces the result that the judge has checked.',
    why: 'Only <result>keep</result> keeps the transition of the reply. Any other result takes its place, so the result of the judged state is lost.',
    check: replacedResults,
  },
  {
    id: 'judge-fails',
    severity: 'warning',
    summary: 'A judge that is a script ends with an error to reject a reply, but this makes the agent fail.',
    why: 'A judge rejects a reply by another tag that the judged state may end with. An exit code other than 0 is a failure of the script.',
    check: failingJudges,
  },
  {
    id: 'judge-without-schema',
    severity: 'warning',
    summary: 'A judge may replace a result that has a schema with a text that does not fit the schema.',
    why: 'A result from a judge must fit the schema of the judged state, too. Otherwise the judge gets a reminder, or the agent fails.',
    check: resultsWithoutSchema,
  },
  {
    id: 'evaluate-of-judge',
    severity: 'warning',
    summary:
      'A judge, which checks the replies of another state, has the key evaluate, but Raymond ignores this key in a judge.',
    why: 'The reply of a judge is not checked by patterns or by another judge.',
    check: evaluatedJudges,
  },
  {
    id: 'misread-transition',
    severity: 'warning',
    summary:
      'A judge compares transition, the tag of a reply, with a text that never matches it, such as the name of a state.',
    why: 'The variable transition is the whole tag of the reply, with all attributes, and the names of states are the names of their files: <goto>PUBLISH.sh</goto>.',
    check: misreadTransitions,
  },
];

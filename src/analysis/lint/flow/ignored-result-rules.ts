// The rule about results that say no: a called state stops or rejects, but the state that gets the result does its work all the same. Pure.
import type { StateNode } from '../../graph.js';
import type { Mention } from '../../mention.js';
import { COMPUTED } from '../../shell/words.js';
import { CALL, onlyEdges } from '../prompts/given-text-rules.js';
import { isPrompt, plainText, statesOf, withoutLongLines, type PromptState } from '../helpers.js';
import { giversOf } from '../values/result-rules.js';
import type { Analysis, FindingDetails, Rule } from '../rule.js';
import { namedFiles } from '../files/places.js';
import { taskFiles, type TaskFile } from '../files/task-files.js';

/** The beginning of a result that says no. */
const REFUSAL =
  /^["']?(?:errors?|fail(?:ed|ure|s)?|stop(?:ped)?|abort(?:ed)?|reject(?:ed)?|refus(?:ed|e)|den(?:ied|y)|declin(?:ed|e)|block(?:ed)?|forbidden|disallowed|prohibited|invalid|unsafe|insecure|unsigned|forged|broken|bad|wrong|corrupt(?:ed)?|infected|unhealthy|unauthorized|unapproved|incomplete|missing|overdrawn|exceeded|cancel(?:led|ed)?|veto(?:ed)?|red|down|too\s+\w+|no[- ]go|(?:do|must|is|are|was)\s+not\b|not\s+(?:ok|okay|ready|safe|approved|allowed|valid|clean|passed|found|enough|signed|accepted|granted|permitted)|no\s+(?:\w+\s+)?(?:left|space|room|quota|backup|approval|permission|access|signature|consent|budget|money))(?![\w-])/i;

/** The results with which a state may end, each with its tag. */
function resultsOf({ mentions, source }: StateNode): readonly (readonly [text: string, tag: Mention])[] {
  return mentions.flatMap((tag) => {
    const text = tag.body?.value.trim() ?? '';
    const isShown = tag.tag === 'result' && tag.body !== undefined && tag.isCertain !== false;
    // A policy may list each result, with the same texts in the prompt.
    return isShown && !(source.kind === 'prompt' && text.includes('|')) ? [[text, tag] as const] : [];
  });
}

/** The tag of a result that says no, if another result does not. */
function refusalOf(givers: readonly StateNode[]): { readonly giver: StateNode; readonly tag: Mention } | undefined {
  const all = givers.flatMap((giver) => resultsOf(giver).map(([text, tag]) => ({ giver, text, tag })));
  const refusals = all.filter(({ text }) => REFUSAL.test(text) && !text.startsWith(COMPUTED));
  const isOther = all.some(({ text }) => !REFUSAL.test(text) && !text.startsWith(COMPUTED) && text !== '');
  const isAny = all.some(({ text }) => text.startsWith(COMPUTED));
  if (!isOther && !isAny) return undefined;
  return refusals.find(({ tag }) => tag.source !== 'policy') ?? refusals[0];
}

const VALUE = String.raw`(?:RAYMOND_(?:RESULT|INPUT)\w*)`;

/** The lines of a script that use its value or a variable which holds it, apart from those that only keep it. */
function usesOfValue(code: string): readonly string[] {
  const names = new Set([VALUE]);
  const assigned = (value: string): RegExp =>
    new RegExp(
      String.raw`^[ \t]*(?:(?:const|let|var|local|readonly)[ \t]+)?(\w+)(?:[ \t]*:[ \t]*\w+)?[ \t]*=(?!=)[ \t]*(?:"?\$\{?${value}(?:[:-][^}\n]*)?\}?"?|[^\n=?<>]*\b${value}["'\])!]*(?:,[ \t]*["'][^"'\n]*["']\))?(?:\.(?:strip|trim)\(\))?(?:[ \t]*(?:\?\?|\|\|)[ \t]*["'][^"'\n]*["'])?)[ \t]*;?[ \t]*$`,
      'gm',
    );
  let rest = code;
  for (let round = 0; round < 2; round++)
    for (const value of [...names])
      rest = rest.replace(assigned(value), (_line, name: string) => {
        names.add(`\\b${name}\\b`);
        return '';
      });
  const use = new RegExp([...names].join('|'));
  return rest.split('\n').filter((line) => use.test(line));
}

/** A line that only shows a value: in a message, in a log, or in the result of the state. */
function isShown(line: string): boolean {
  const plain = line.replace(/<result>[^]*?<\/result>/g, '');
  const prints =
    /^\s*(?:\}?\s*(?:else|then)\s+)?(?:echo|printf|log|say|note|info|warn|debug|print|logging\.\w+|console\.\w+|sys\.std(?:err|out)\.write|process\.std(?:err|out)\.write|>&2)\b/;
  return (
    prints.test(line) &&
    !/\||<[a-z-]+\s[^<>]*=|\?[^\n]*:|\bif\b|&&|==/.test(plain) &&
    !/>\s*"?[^&\s>]/.test(plain.replace(/>>\s*\S+\.log\b/, '').replace(/[>)]["']?\s*;?$/, ''))
  );
}

/** What a script does besides reading and showing. */
const ACTS = [
  /(?:^|[;&|({]|\b(?:then|do|else|if|!|exec|sudo)\b)[ \t]*(?:sudo[ \t]+)?(?:rsync|scp|ssh|rm|mv|cp|install|ln|dd|mail|mutt|sendmail|psql|mysql|sqlite3|docker|podman|kubectl|helm|terraform|ansible(?:-playbook)?|systemctl|service|aws|gcloud|az|cloud|flyctl|heroku|make|gh|toot|twine|rclone|lp|reboot|shutdown|crontab|iptables|ufw|useradd|userdel|chmod|chown|mkfs|esptool\.py|ffmpeg|convert|pandoc|hugo|\.\/[\w./-]+)\b/m,
  /\bgit[ \t]+(?:-\S+[ \t]+\S+[ \t]+)?(?:push|merge|commit|tag|rebase|cherry-pick|reset|revert|am|apply)\b|\b(?:npm|yarn|pnpm|cargo|poetry|gem)[ \t]+(?:publish|run|install|exec)\b|\bpip3?[ \t]+install\b/,
  /\bcurl\b[^\n]*[ \t](?:-X[ \t]*(?:POST|PUT|DELETE|PATCH)|--request|-d|--data\S*|-F|--form|-T|--upload-file)\b|\bfind\b[^\n]*-(?:delete|exec)\b/,
  /\bsubprocess\.\w+\(|\bos\.(?:system|remove|rename|replace|unlink)\(|\bshutil\.(?:copy\w*|move|rmtree)\(|\brequests\.(?:post|put|delete|patch)\(|\bsmtplib\b|\bopen\([^()\n]*,[ \t]*(?:mode=)?["'][wax]|\.write_(?:text|bytes)\(|\burlopen\([^\n]*data=/,
  /\b(?:exec|spawn)(?:File)?(?:Sync)?\(|\b(?:write|append|copy)File(?:Sync)?\(|\b(?:rename|unlink|rm|cp)(?:Sync)?\(|\bfetch\([^]{0,120}\bmethod:/,
  /(?:^|[^<>&\d-])>>?[ \t]*"?(?!&|\/dev\/|[^\s"]*\.log\b|\$\{?RAYMOND_TASK_FOLDER)[\w$./{}-]*[\w}]\.(?!log\b)\w+/m,
];

/** True for a script that acts, and neither tests its value nor passes it on. */
function actsBlindly(state: StateNode): boolean {
  const code = plainText(state);
  const uses = usesOfValue(code);
  if (!uses.every(isShown)) return false;
  const others = code
    .split('\n')
    .filter((line) => !uses.includes(line))
    .join('\n');
  return ACTS.some((pattern) => pattern.test(others));
}

const ACTS_IN_WORDS =
  /\b(?:publish|deploy|send|merge|release|push|delete|remove|post|ship|upload|install|pay|order|book|submit|apply|mail|e-?mail|migrate|announce|tweet|transfer)\b/i;

/** A prompt that neither contains the result nor speaks of it. */
function actsUnseeing({ source }: PromptState): boolean {
  const { text } = source.prompt.body;
  if (/\{\{(?:input|result)\b/.test(text)) return false;
  const plain = withoutLongLines(text).replace(/<[^<>]*>[^<]*<\/[a-z-]+>/g, '');
  return (
    ACTS_IN_WORDS.test(plain) &&
    !/\b(?:if|unless|whether|when|verdict|decision|result|review|check\w*|said|says)\b/i.test(plain)
  );
}

function filesIn(state: StateNode): readonly TaskFile[] {
  return [...namedFiles(state), ...taskFiles(state)];
}

/** True if the reader reads a file that a giver writes: the file may say more than the result. */
function readsTheirFiles(reader: StateNode, givers: readonly StateNode[]): boolean {
  const written = givers.flatMap(filesIn).filter(({ use }) => use === 'write' || use === 'append');
  return filesIn(reader).some(
    ({ name, use }) => (use === 'read' || use === 'test') && written.some((one) => one.name === name),
  );
}

function* ignoredRefusals(analysis: Analysis): Generator<FindingDetails> {
  for (const reader of statesOf(analysis)) {
    if (onlyEdges(analysis, { file: reader.file, role: 'return', tag: CALL }).length === 0) continue;
    const givers = giversOf(analysis, reader.file) ?? [];
    const refusal = refusalOf(givers);
    if (refusal === undefined || readsTheirFiles(reader, givers)) continue;
    const isBlind = isPrompt(reader) ? actsUnseeing(reader) : reader.source.kind === 'script' && actsBlindly(reader);
    if (!isBlind) continue;
    const { giver, tag } = refusal;
    const [word = ''] = (tag.body?.value.trim() ?? '').split(new RegExp(`[:;,.\\n${COMPUTED}]`));
    yield {
      at: tag.at,
      state: giver.file,
      mention: tag,
      message: `this result returns to ${reader.file}, which does its work also after "${word.trim()}", because it does not test the result`,
      fix: `test the result in ${reader.file}, and end there with <result> or an error if it is "${word.trim()}"`,
    };
  }
}

/** The rule about results that say no. */
export const IGNORED_RESULT_RULES: readonly Rule[] = [
  {
    id: 'ignored-refusal',
    severity: 'warning',
    summary:
      'A called state can end with a result such as "rejected", but the state that gets the result does its work in any case, because it does not test the result.',
    why: 'In a called state, <result> does not end the run: it returns to the state that return names. That state must look at the result and decide whether to continue.',
    check: ignoredRefusals,
  },
];

// The texts of a skill made from a workflow: its page for agents, and the script that runs it. Pure.
import type { OpenPackage } from '../client/start/package.js';

/** What the texts say about the workflow. */
type SkillWorkflow = Pick<OpenPackage, 'name' | 'manifest' | 'asks' | 'needsClaude'>;

/** The name of a skill: lower-case letters, digits and hyphens, 64 at most. */
export function skillName(name: string): string {
  const words = name.toLowerCase().match(/[a-z0-9]+/g) ?? ['workflow'];
  return words.join('-').slice(0, 64).replace(/-$/, '');
}

/** The longest description of a skill; agents read all of them before they choose one. */
const MOST_CHARACTERS = 1024;

/** SKILL.md. */
export function skillText(workflow: SkillWorkflow, name: string): string {
  const { manifest } = workflow;
  const title = manifest?.name ?? workflow.name;
  const purpose = manifest?.description?.trim().replace(/\s+/g, ' ') ?? `Runs the workflow ${title}.`;
  const head = ['---', `name: ${name}`, `description: ${JSON.stringify(purpose.slice(0, MOST_CHARACTERS))}`, '---'];
  return `${[...head, '', `# ${title}`, '', purpose, '', INTRODUCTION, '', ...inputText(workflow), '', ...RUNNING, '', ...questionText(workflow), '', ...ENDS].join('\n')}\n`;
}

const INTRODUCTION = `This skill is a workflow that runs on its own and may take long: prompts and scripts, run by \`raymond\`, which must be on PATH. Call only
\`run.sh\` of this folder, from the directory that the workflow should work in. Do not do its steps yourself, and do not edit its files.`;

function inputText({ manifest }: SkillWorkflow): readonly string[] {
  const { mode, label, description } = manifest?.input ?? { mode: 'optional' };
  const what = [label, description].filter((text) => text !== undefined).join(': ');
  const words = what === '' ? 'free text' : what;
  const lines = {
    required: `- \`INPUT\` (required): ${words}`,
    optional: `- \`INPUT\`: ${words}`,
    none: '- no `INPUT`: the workflow takes none',
  };
  const budget = manifest?.defaultBudgetUsd ?? DEFAULT_BUDGET;
  return ['## Input', '', lines[mode], `- \`BUDGET\`: the most that the run may cost in USD (default: ${budget})`];
}

const DEFAULT_BUDGET = 10;

const RUNNING = [
  '## Run it',
  '',
  '```bash',
  "INPUT='…' ./run.sh run",
  '```',
  '',
  'It prints one JSON document in one line on stdout: `runId`, `status`, `result` (the answer), `costUsd`, and `asks` (open questions). If your shell ends commands after some',
  'minutes, run it in the background. An interrupted run is not lost: `RUN_ID=… ./run.sh resume` continues it. Without `RUN_ID` the latest run is used.',
];

function questionText({ asks, manifest }: SkillWorkflow): readonly string[] {
  const states = [...new Set(asks.map((place) => /([^/\\]+?)(?:\.\w+)?:\d+$/.exec(place)?.[1] ?? place))];
  const none = states.length === 0 && manifest?.requiresHumanInput !== 'true';
  const who = none
    ? 'No prompt of the workflow asks a person. If a question comes up anyway:'
    : `The workflow asks a person${states.length === 0 ? '' : `, in ${states.join(', ')}`}. Then:`;
  return [
    '## Exit code 2: a question',
    '',
    `${who} \`run.sh\` ends with exit code 2, and \`asks\` holds \`askId\` and \`prompt\` of each question. Show the prompt to the`,
    'person you work for, word for word, and wait for the answer. Never answer for them. Then send the answer, and check the exit code again:',
    '',
    '```bash',
    "RUN_ID=… ASK_ID=… INPUT='their answer' ./run.sh answer",
    '```',
    '',
    '`ASK_ID` may be left out while there is only one question. Add the files that a question requires (`upload`): `./run.sh answer --file plan=plan.md`.',
  ];
}

const ENDS = [
  '## Exit codes',
  '',
  '| Code | Meaning | Do |',
  '| ---- | ------- | -- |',
  '| 0 | done | `result` is the answer |',
  '| 1 | failed | report stderr; after the cause is fixed, `./run.sh resume` continues from the failed state |',
  '| 2 | a question | see above |',
  '| 3 | paused | report the reason; once it is resolved: `./run.sh resume` |',
  '| 4 | budget used up | ask whether to spend more: `BUDGET=20 ./run.sh budget` raises it and continues |',
  '| 5 | cancelled | report it |',
  '| 64 | wrong arguments, or an invalid workflow | stderr says what to do |',
  '| 69 | something is missing | stderr says what; `raymond doctor` checks everything |',
  '| 130 | interrupted | `./run.sh resume` continues |',
];

/** run.sh; `file` is the name of the package beside it. */
export function runnerText({
  mark,
  file,
  workflow,
}: {
  readonly mark: string;
  readonly file: string;
  readonly workflow: SkillWorkflow;
}): string {
  const budget = workflow.manifest?.defaultBudgetUsd ?? DEFAULT_BUDGET;
  return `#!/usr/bin/env bash
${mark}: runs the workflow of this skill. One JSON document on stdout; exit code 0 = done, 2 = a question, others: SKILL.md.
#   run.sh run      INPUT, BUDGET
#   run.sh answer   RUN_ID, ASK_ID, INPUT = the answer
#   run.sh resume   RUN_ID
#   run.sh budget   RUN_ID, BUDGET = the new one
# Further arguments go to raymond.
set -euo pipefail
here=$(cd "$(dirname "\${BASH_SOURCE[0]}")" && pwd)
run=\${RUN_ID:-@last}
verb=\${1:-run}
[ $# -eq 0 ] || shift
# As other runners of skills have it: to resume with an answer.
if [ "$verb" = resume ] && [ -n "\${INPUT:-}" ]; then verb=answer; fi
case "$verb" in
  run)
    exec raymond start "$here"/${quoted(file)} --json --quiet --on-ask exit --cwd "$PWD" \\
      --budget "\${BUDGET:-${budget}}" \${INPUT+--input "$INPUT"} "$@"
    ;;
  answer) exec raymond answer "$run" \${ASK_ID:+"$ASK_ID"} - --follow --json --quiet --on-ask exit "$@" < <(printf '%s' "\${INPUT?what is the answer?}") ;;
  resume) exec raymond resume "$run" --follow --json --quiet --on-ask exit "$@" ;;
  budget) exec raymond budget "$run" "\${BUDGET:?the new budget in USD}" --follow --json --quiet --on-ask exit "$@" ;;
  *)
    echo "run.sh: unknown command \\"$verb\\"; use run, answer, resume or budget" >&2
    exit 64
    ;;
esac
`;
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

// One or two examples for every command: its `--help` ends with them.
import type { Command } from 'commander';

const EXAMPLES: Readonly<Record<string, readonly string[]>> = {
  start: ['raymond start workflows/hello --input Ada', 'raymond start review.zip --budget 25 --model sonnet --detach'],
  list: ['raymond list --status failed paused --since 36h', 'raymond list --workflow review --until 7d --json'],
  up: ['raymond up', 'raymond up --status', 'raymond up --logs -f'],
  down: ['raymond down', 'raymond down --drain 0'],
  ps: ['raymond ps'],
  service: ['raymond service install', 'raymond service status'],
  'service install': ['raymond service install', 'PATH="$HOME/.local/bin:$PATH" raymond service install'],
  'service remove': ['raymond service remove'],
  'service status': ['raymond service status', 'raymond service status --json'],
  status: ['raymond status RUN', "raymond status RUN --json | jq '.agents[].state'"],
  costs: ['raymond costs RUN', "raymond costs RUN --json | jq '.byAgent[0]'"],
  result: ['raymond result RUN > result.txt'],
  watch: ['raymond watch RUN', 'raymond watch RUN --verbose'],
  history: ['raymond history RUN', 'raymond history RUN main_worker1 --json'],
  fleet: ['raymond fleet worker --address temporal.example:7233', 'raymond fleet hosts'],
  help: ['raymond help start', 'raymond help exit-codes'],
  gc: ['raymond gc --dry-run', 'raymond gc --older-than 90d'],
  transcript: ['raymond transcript RUN main', 'raymond transcript RUN main 12'],
  session: ['raymond session RUN main', 'eval "$(raymond session RUN main 12)"'],
  decode: ['raymond decode RUN main', 'raymond decode - < payload.json'],
  fork: ['raymond fork RUN --at 12 --goto REVIEW', 'raymond fork RUN/main_worker1 --after 3 --budget 5'],
  logs: ['raymond logs RUN --follow', 'raymond logs RUN main --turn 7'],
  pause: ['raymond pause RUN', 'raymond pause RUN --now'],
  tell: [
    'raymond tell RUN main "the tests are in spec/"',
    'raymond tell RUN main - < notes.md',
    'raymond tell RUN main --withdraw',
  ],
  'fleet move': ['raymond fleet move RUN main_worker1', 'raymond fleet move RUN main --to host-2'],
  retry: ['raymond retry RUN main_worker1'],
  goto: ['raymond goto RUN main REVIEW', 'raymond goto RUN main FIX --input "the test is wrong" --now'],
  cancel: ['raymond cancel RUN', 'raymond cancel RUN --agent main_worker1'],
  resume: ['raymond resume RUN', 'raymond resume --all'],
  answer: ['raymond answer RUN "yes, continue"', 'raymond answer RUN ask_main_3 - --file plan=plan.md < answer.md'],
  budget: ['raymond budget RUN 20', 'raymond budget RUN 0'],
  schedule: ["raymond schedule create nightly review --cron '0 2 * * *'", 'raymond schedule list'],
  'schedule create': [
    "raymond schedule create nightly review --cron '0 2 * * 1-5' --timezone Europe/Berlin --budget 5",
    'raymond schedule create watch workflows/triage --every 15m --overlap buffer --catchup 30m',
  ],
  'schedule list': ['raymond schedule list', 'raymond schedule list --json'],
  'schedule show': ['raymond schedule show nightly'],
  'schedule pause': ['raymond schedule pause nightly'],
  'schedule resume': ['raymond schedule resume nightly'],
  'schedule trigger': ['raymond schedule trigger nightly', 'raymond schedule trigger nightly --overlap allow'],
  'schedule backfill': ['raymond schedule backfill nightly --from 2026-11-20 --to 2026-11-22T02:00:00Z'],
  'schedule delete': ['raymond schedule delete nightly'],
  server: ['raymond server status', 'raymond server stop'],
  'server start': ['raymond server start'],
  'server stop': ['raymond server stop', 'raymond server stop --force'],
  'server status': ['raymond server status', 'raymond server status --json'],
  'server list': ['raymond server list', 'raymond server list --json'],
  serve: ['raymond serve', 'raymond serve --host 0.0.0.0 --token-file tokens --origin https://raymond.example'],
  mcp: ['claude mcp add raymond -- raymond mcp', 'raymond mcp --read-only'],
  'fleet worker': [
    'raymond fleet worker --address temporal.example:7233 --task-queue raymond',
    'raymond fleet worker --deployment raymond --build-id 2026-11-22 --health 0.0.0.0:9465',
  ],
  'fleet hosts': ['raymond fleet hosts', "raymond fleet hosts --json | jq '.[] | select(.alive | not) | .placed'"],
  'fleet rollout': ['raymond fleet rollout --deployment raymond --build-id 2026-11-22'],
  'fleet setup': ['raymond fleet setup --address temporal.example:7233 --namespace agents'],
  doctor: ['raymond doctor', 'raymond doctor --deep', 'raymond doctor --address temporal.example:7233 --json'],
  convert: [
    'raymond convert flow flow.yaml',
    'raymond convert flow.zip flow --without notes.txt',
    'raymond convert flow.yaml flow --force',
  ],
  package: ['raymond package flow', 'raymond package flow.zip .claude/skills/release --force'],
  skill: ['raymond skill install'],
  'skill install': ['raymond skill install', 'raymond skill install --force'],
  init: ['raymond init', 'raymond init --from coding', 'raymond init --config-only'],
  diagram: ['raymond diagram workflows/coding', 'raymond diagram --run @last -o run.svg'],
  lint: ['raymond lint', 'raymond lint workflows/coding --level info', 'raymond lint --explain missing-target'],
  test: ['raymond test workflows', 'raymond test --case "asks twice" --format junit > report.xml'],
  completion: ['source <(raymond completion bash)', 'raymond completion fish | source'],
  config: ['raymond config', 'raymond config --json'],
};

/** Arguments that are named alike in all commands. */
const ARGUMENTS: Readonly<Record<string, string>> = {
  agent: 'the id of an agent, such as main',
  name: 'the name of the schedule',
  run: 'the id of a run, a unique prefix of one, or @last',
  source: 'a folder, a .zip, a .yaml, or the URL of a .zip',
  state: 'the name of a state',
  target: 'the path to write to',
  text: 'the text, or - to read it from stdin',
  turn: 'the number of a turn (default: the latest)',
  words: 'the id of the question, if there are several, and the text of the answer; - = read it from stdin',
  workflow: 'a folder, a state file, a .zip, a .yaml, or the URL of a .zip',
};

/** Adds examples, and what arguments are, to the help of a command and its subcommands. */
export function addExamples(command: Command, above = ''): void {
  const name = `${above}${command.name()}`;
  for (const argument of command.registeredArguments) argument.description ||= ARGUMENTS[argument.name()] ?? '';
  const lines = EXAMPLES[name];
  if (lines !== undefined) command.addHelpText('after', `\nExamples:\n${lines.map((line) => `  ${line}`).join('\n')}`);
  for (const below of command.commands) addExamples(below, `${name} `);
}

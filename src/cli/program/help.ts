// `raymond help [COMMAND or TOPIC]`, and the help topics about more than one command.
import type { Command } from 'commander';
import { nearest } from '../../protocol/text.js';
import { ClientError } from '../../client/error.js';
import { EXIT } from '../exit.js';
import { namesOfCommand } from './groups.js';
import type { Call } from './call.js';

const TOPICS: Readonly<Record<string, string>> = {
  'exit-codes': `Exit codes

  ${EXIT.completed}    the run completed, or the command succeeded
  ${EXIT.failed}    the run failed, or there was nothing to do
  ${EXIT.waiting}    the run waits for an answer: raymond answer RUN TEXT
  ${EXIT.paused}    the run is paused: raymond resume RUN
  ${EXIT.overBudget}    the run reached its budget: raymond budget RUN USD
  ${EXIT.cancelled}    the run was cancelled
  ${EXIT.usage}   wrong usage: an invalid flag, workflow or name of a run; nothing was started
  ${EXIT.unavailable}   a required resource is not available: the cluster, Claude Code, disk space
  ${EXIT.interrupted}  interrupted; the run is still open`,
  'run-names': `How to name a run

  RUN      the id that \`raymond start\` printed, or that was given with --id
  @last    the run of this project that was started last
  PREFIX   the first characters of an id, when only one run has them

The first agent of a run is \`main\`; its forked agents have names such as \`main_worker1\`.
\`raymond status RUN\` lists them. Where a command takes RUN/AGENT, the agent is optional.`,
  environment: `Environment variables

  TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE, TEMPORAL_API_KEY, TEMPORAL_PROFILE
                        the Temporal cluster to use instead of the embedded server
  RAYMOND_FOREGROUND    executes local runs in the process of the command, as --foreground does
  OTEL_EXPORTER_OTLP_ENDPOINT
                        where --traces sends spans
  NO_COLOR              no colours

Turns get the environment of the command that started, resumed or retried their run. Secrets are
withheld from prompts unless the config names them in env_pass: raymond config.`,
};

/** Replaces Commander's own help command. */
export function addHelp(program: Command, { io, finish }: Call): void {
  const topics = Object.keys(TOPICS).join(', ');
  program.helpCommand(false);
  program
    .command('help [topics...]')
    .usage('[command or topic]')
    .description(`show the help of a command or of a topic: ${topics}`)
    .action(async (words: readonly string[]) => {
      const topic = words.length === 1 ? TOPICS[words[0] ?? ''] : undefined;
      if (topic === undefined) helpOf(program, words);
      else await io.print(topic);
      finish(EXIT.completed);
    });
}

function helpOf(program: Command, words: readonly string[]): void {
  let command = program;
  for (const word of words) {
    const below = command.commands.find((one) => namesOfCommand(one).includes(word));
    if (below === undefined) throw new ClientError('InvalidUsage', unknownText(command, word));
    command = below;
  }
  command.outputHelp();
}

function unknownText(command: Command, word: string): string {
  const known = [...command.commands.flatMap(namesOfCommand), ...Object.keys(TOPICS)];
  const near = nearest(word, known);
  const hint = near === undefined ? 'raymond --help lists the commands' : `did you mean ${near}?`;
  return `there is no command or help topic "${word}"; ${hint}`;
}

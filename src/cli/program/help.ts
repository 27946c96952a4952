// `raymond help [COMMAND|TOPIC]`, and the help topics about more than one command.
import type { Command } from 'commander';
import { nearest } from '../../protocol/text.js';
import { ClientError } from '../../client/error.js';
import { EXIT } from '../exit.js';
import { namesOfCommand } from './groups.js';
import type { Call } from './call.js';

const TOPICS: Readonly<Record<string, string>> = {
  'exit-codes': `Exit codes

  ${EXIT.completed}    the run completed, or the command succeeded
  ${EXIT.failed}    the run, lint or test failed; what an order asks for was already the case;
       or --status found nothing running
  ${EXIT.waiting}    the run waits for an answer: raymond answer RUN TEXT
       (raymond result: or the run is still running)
  ${EXIT.paused}    the run is paused: raymond resume RUN
  ${EXIT.overBudget}    the run used up its budget: raymond budget RUN USD
  ${EXIT.cancelled}    the run was cancelled: raymond resume RUN
  ${EXIT.usage}   the command was refused: an invalid flag, config, workflow or name of a run,
       or an order that is not possible now
  ${EXIT.unavailable}   something required cannot be used: Temporal, Claude Code, a disk or a file
  ${EXIT.interrupted}  a signal such as Ctrl-C ended the command; the run has lost nothing.
       raymond status RUN shows how to continue`,
  'run-names': `How to name a run

  RUN      the id that \`raymond start\` printed, or that was given with --id
  @last    the run that was started last: of this project, or on a cluster of its namespace
  PREFIX   the first characters of an id, when only one run has them

The first agent of a run is \`main\`; its forked agents have names such as \`main_worker1\`.
\`raymond status RUN\` lists them. Where a command takes RUN/AGENT, the agent is optional.`,
  environment: `Environment variables

  TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE, TEMPORAL_API_KEY, TEMPORAL_PROFILE
                        the Temporal cluster to use instead of the embedded server
  RAYMOND_FOREGROUND    1 = as --foreground in every command: without a cluster, commands execute
                        runs in their own process; engine = the same, but the Temporal server stays
  OTEL_EXPORTER_OTLP_ENDPOINT
                        where --traces sends spans
  NO_COLOR              no colours

Turns get the environment of the command that started their run, or last resumed or retried it;
on a cluster they get the environment of the worker. Scripts get all variables, prompts only
well-known ones such as PATH and HOME. To pass others to prompts, name them in env_pass of the
config; \`raymond doctor --verbose\` lists those that prompts do not get.`,
};

/** Replaces Commander's own help command. */
export function addHelp(program: Command, { io, finish }: Call): void {
  const topics = Object.keys(TOPICS).join(', ');
  program.helpCommand(false);
  program
    .command('help [command|topic...]')
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

// The commands that start runs, and those that send orders to them.
import { Option, type Command } from 'commander';
import type { AnswerFlags } from '../steer/answer.js';
import type { CancelFlags } from '../steer/cancel.js';
import {
  gathered,
  nonNegative,
  positiveInteger,
  secondsText,
  withConnection,
  withRun,
  withTelemetry,
  withFollow,
  withForeground,
  withView,
  type StartFlags,
} from '../flags.js';
import type { ContinueFlags } from '../runs/follow.js';
import type { ForkFlags } from '../runs/fork.js';
import type { GotoFlags, RetryFlags } from '../steer/move.js';
import type { ResumeFlags } from '../runs/resume.js';
import type { PauseFlags, TellFlags } from '../steer/steer.js';
import type { AddCommand, Call } from './call.js';
import { suggestionFor } from './groups.js';

const RESTART_QUEUE = 'if the run has ended on a cluster: the task queue to restart it on (default: the old one)';
const NO_RUN = 'name one run, or use --all; to list the runs, run: raymond list';

/** Adds those for runs that exist. */
export function addSteer(command: AddCommand, { io, finish }: Call): void {
  withFollow(
    withView(withConnection(command('fork <run>', 'start a new run from a recorded turn of RUN, or of RUN/AGENT'))),
  )
    .option('--at <n>', 'start at turn N of the agent, which runs again (give --at or --after)', positiveInteger)
    .option('--after <n>', 'start after turn N, with the transition that ended it', positiveInteger)
    .option('--goto <state>', 'go to this state instead of running turn N (--at) or applying its transition (--after)')
    .option('--input <text>', 'with --at or --goto: the value of {{input}} in the state where the new run starts')
    .option(
      '--replace <state=file>',
      'use the text of FILE for the prompt STATE, in the new run only; repeatable',
      gathered,
    )
    .option('--fresh', 'start with a new conversation')
    .option('--id <run>', 'the id of the new run')
    .option('--budget <usd>', 'budget of the new run in USD; 0 = no limit (default: as the old run)', nonNegative)
    .option('--cwd <dir>', 'working directory (default: as the agent)')
    .option('--pause', 'start paused')
    .option(
      '--drop-forks',
      'leave out forked agents that were not awaited; they cannot be copied, so without this flag fork is refused',
    )
    .option('--task-queue <name>', 'on a cluster: the task queue of the new run (default: that of the old one)')
    .action(async (from: string, flags: ForkFlags) => {
      finish(await (await import('../runs/fork.js')).fork(io, { from, flags }));
    });
  addToAgents(command, { io, finish });
  withConnection(command('cancel <run>', 'cancel a run, or one of its agents; resume or retry can continue it'))
    .option('--agent <id>', 'only this agent; the others continue')
    .option('--json', 'as JSON')
    .action(async (run: string, flags: CancelFlags) => {
      finish(await (await import('../steer/cancel.js')).cancel(io, { runId: run, flags }));
    });
  withTelemetry(
    withFollow(
      withView(
        withConnection(
          command(
            'resume [run]',
            'continue a run that is paused, that no engine executes, or that ended without completing',
          ),
        ),
      ),
    ),
  )
    .option('--all', 'resume every open run that is paused or that no engine executes')
    .option(
      '--timeout <duration>',
      'if the run has ended: restart it with this --timeout (see raymond start --help)',
      secondsText,
    )
    .option('--task-queue <name>', RESTART_QUEUE)
    .action(async (run: string | undefined, flags: ResumeFlags, resuming: Command) => {
      if (run === undefined && flags.all !== true)
        resuming.error(`error: ${NO_RUN}`, { code: 'commander.missingArgument' });
      finish(await (await import('../runs/resume.js')).resume(io, { runId: run, flags }));
    });
  addAnswers(command, { io, finish });
}

/** Commander's: the words, then the flags. */
type TellArguments = [run: string, agent: string, words: string | undefined, flags: TellFlags];
type GotoArguments = [run: string, agent: string, state: string, flags: GotoFlags];

function addToAgents(command: AddCommand, { io, finish }: Call): void {
  withConnection(command('pause <run>', 'pause a run; each agent first finishes its current turn'))
    .option('--json', 'as JSON')
    .option('--now', 'interrupt running turns; they run again after raymond resume')
    .action(async (run: string, flags: PauseFlags) => {
      finish(await (await import('../steer/steer.js')).pause(io, { runId: run, flags }));
    });
  withConnection(
    command(
      'tell <run> <agent> [text]',
      "put a note at the beginning of an agent's next prompt; - = read it from stdin",
    ),
  )
    .option('--json', 'as JSON')
    .option('--withdraw', 'remove the notes that no prompt has received yet')
    .action(async (...[run, agent, words, flags]: TellArguments) => {
      finish(await (await import('../steer/steer.js')).tellCommand(io, { runId: run, agentId: agent, words, flags }));
    });
  withFollow(
    withView(
      withConnection(command('retry <run> <agent>', 'retry one agent that is paused, has failed or was cancelled')),
    ),
  )
    .option('--task-queue <name>', RESTART_QUEUE)
    .action(async (run: string, agent: string, flags: RetryFlags) => {
      finish(await (await import('../steer/move.js')).retry(io, { runId: run, agentId: agent, flags }));
    });
  withFollow(withView(withConnection(command('goto <run> <agent> <state>', 'continue an agent at another state'))))
    .option('--input <text>', 'the value of {{input}} in that state')
    .option('--reset', 'start with a new conversation')
    .option('--now', 'interrupt the running turn of the agent (else goto is refused during a turn)')
    .option('--task-queue <name>', RESTART_QUEUE)
    .action(async (...[run, agent, state, flags]: GotoArguments) => {
      finish(await (await import('../steer/move.js')).goTo(io, { runId: run, agentId: agent, state, flags }));
    });
}

function addAnswers(command: AddCommand, { io, finish }: Call): void {
  withFollow(
    withView(
      withConnection(
        command(
          'answer <run> <words...>',
          'answer a question of a run; ASK is the id of the question, needed if several are open; if TEXT is -, it is read from stdin',
        ),
      ),
    ),
  )
    .usage('[options] <run> [ask] <text>')
    .option('--file <name=path>', 'a file to send with the answer; repeatable', gathered)
    .action(async (run: string, words: string[], flags: AnswerFlags) =>
      finish(await (await import('../steer/answer.js')).answer(io, { runId: run, words, flags })),
    );
  withFollow(withView(withConnection(command('budget <run>', 'change the budget of a run; 0 = no limit'))))
    .argument('<usd>', 'the new limit in USD, including what was already spent', nonNegative)
    .action(async (run: string, usd: number, flags: ContinueFlags) =>
      finish(await (await import('../steer/budget.js')).budget(io, { runId: run, amount: usd, flags })),
    );
}

/** Adds the flags of `start`. */
export function addStart(command: Command, { io, finish }: Call): void {
  const described = command.description('start a workflow: a folder, a state file, a .zip, a .yaml or an address');
  withForeground(withRun(withTelemetry(withView(withConnection(described)))))
    .option('--id <run>', 'the id of the run')
    .addOption(new Option('--workflow-id <run>').hideHelp())
    .option(
      '--continue-session',
      'begin with a copy of your latest Claude Code (or pi) conversation in the working directory',
    )
    .option('--detach', 'return at once; the run continues in the background')
    .action(async (workflow: string, flags: StartFlags, { parent }: Command) => {
      const suggestion = parent === null ? undefined : suggestionFor(parent);
      finish(await (await import('../runs/start.js')).start(io, { workflow, flags, suggestion }));
    });
}

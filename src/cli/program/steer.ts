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
import { withRun } from './run-flags.js';

const RESTART_QUEUE =
  'if the run has ended on a cluster: the task queue on which it starts again (default: its old task queue)';
const NO_RUN = 'name one run, or use --all; to list the runs, run: raymond list';

/** Adds those for runs that exist. */
export function addSteer(command: AddCommand, { io, finish }: Call): void {
  addFork(command, { io, finish });
  addToAgents(command, { io, finish });
  withConnection(
    command(
      'cancel <run>',
      'cancel a run or one of its agents; raymond resume can continue a cancelled run, and raymond retry a cancelled agent',
    ),
  )
    .option('--agent <id>', 'cancel only this agent; the others continue')
    .option('--json', 'print JSON instead of text')
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
        'steers',
      ),
    ),
    'in the foreground',
  )
    .option('--all', 'resume every open run that is paused or that no engine executes')
    .option(
      '--timeout <duration>',
      'if the run has ended: start it again with this --timeout (see raymond start --help)',
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

function addFork(command: AddCommand, { io, finish }: Call): void {
  withFollow(
    withView(
      withConnection(
        command(
          'fork <run>',
          'start a new run from a recorded turn of an old run; RUN/AGENT names the agent of the turn, and RUN alone means its agent main',
        ),
      ),
    ),
  )
    .option('--at <n>', 'start by running turn N of the agent again (give either --at or --after)', positiveInteger)
    .option('--after <n>', 'start by applying the transition that ended turn N of the agent', positiveInteger)
    .option(
      '--goto <state>',
      'start at this state: with --at N, with the agent as it was before turn N; with --after N, as it was after turn N',
    )
    .option('--input <text>', 'with --at or --goto: the value of {{input}} in the state where the new run starts')
    .option(
      '--replace <state=file>',
      'in the new run, use the text of FILE instead of the prompt STATE; repeatable',
      gathered,
    )
    .option('--fresh', 'start with a new conversation instead of that of the agent')
    .option('--id <run>', 'the id of the new run')
    .option(
      '--budget <usd>',
      'budget of the new run in USD; 0 = no limit (default: the budget of the old run)',
      nonNegative,
    )
    .option('--cwd <dir>', 'working directory of the new run (default: that of the agent)')
    .option('--pause', 'start the new run paused')
    .option(
      '--drop-forks',
      'start without the agents that were forked before turn N and not yet awaited; they cannot be copied, so without this flag, raymond fork fails if there are any',
    )
    .option('--task-queue <name>', 'on a cluster: the task queue of the new run (default: that of the old run)')
    .action(async (from: string, flags: ForkFlags) => {
      finish(await (await import('../runs/fork.js')).fork(io, { from, flags }));
    });
}

/** Commander's: the words, then the flags. */
type TellArguments = [run: string, agent: string, words: string | undefined, flags: TellFlags];
type GotoArguments = [run: string, agent: string, state: string, flags: GotoFlags];

function addToAgents(command: AddCommand, { io, finish }: Call): void {
  withConnection(command('pause <run>', 'pause a run; each agent first finishes its current turn'))
    .option('--json', 'print JSON instead of text')
    .option('--now', 'interrupt running turns; they run again after raymond resume')
    .action(async (run: string, flags: PauseFlags) => {
      finish(await (await import('../steer/steer.js')).pause(io, { runId: run, flags }));
    });
  withConnection(
    command(
      'tell <run> <agent> [text]',
      'put a note at the beginning of the next prompt of an agent; if TEXT is -, the note is read from stdin',
    ),
  )
    .option('--json', 'print JSON instead of text')
    .option('--withdraw', 'remove the notes that no prompt has received yet')
    .action(async (...[run, agent, words, flags]: TellArguments) => {
      finish(await (await import('../steer/steer.js')).tellCommand(io, { runId: run, agentId: agent, words, flags }));
    });
  withFollow(
    withView(
      withConnection(
        command(
          'retry <run> <agent>',
          'retry one agent that is paused or waiting, has failed, was lost, or was cancelled',
        ),
      ),
    ),
  )
    .option('--task-queue <name>', RESTART_QUEUE)
    .action(async (run: string, agent: string, flags: RetryFlags) => {
      finish(await (await import('../steer/move.js')).retry(io, { runId: run, agentId: agent, flags }));
    });
  withFollow(withView(withConnection(command('goto <run> <agent> <state>', 'continue an agent at another state'))))
    .option('--input <text>', 'the text that the state reads as {{input}}')
    .option('--reset', 'continue with a new conversation')
    .option('--now', 'interrupt the running turn of the agent; without this flag, goto is refused during a turn')
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
          'answer a question of a run; ASK is the id of the question, needed only if several are open; if TEXT is -, the answer is read from stdin',
        ),
      ),
    ),
  )
    .usage('[options] <run> [ask] <text>')
    .option(
      '--file <name=path>',
      'send the file PATH with the answer, as the file NAME; if the question names the files that it needs, give one of these names; repeatable',
      gathered,
    )
    .action(async (run: string, words: string[], flags: AnswerFlags) =>
      finish(await (await import('../steer/answer.js')).answer(io, { runId: run, words, flags })),
    );
  withFollow(
    withView(
      withConnection(
        command(
          'budget <run>',
          'set the budget of a run in USD; the budget includes what the run has already spent; 0 = no limit',
        ),
      ),
      'steers',
    ),
  )
    .argument('<usd>', 'the new budget in USD, including what the run has spent', nonNegative)
    .action(async (run: string, usd: number, flags: ContinueFlags) =>
      finish(await (await import('../steer/budget.js')).budget(io, { runId: run, amount: usd, flags })),
    );
}

/** Adds the flags of `start`. */
export function addStart(command: Command, { io, finish }: Call): void {
  const described = command.description(
    'start a workflow: a folder, a state file, a .zip, a .yaml, or the URL of a .zip',
  );
  withForeground(withRun(withTelemetry(withView(withConnection(described), 'steers'), 'in the foreground')))
    .option('--id <run>', 'id of the new run (default: the name of the workflow, with the time and random digits)')
    .addOption(new Option('--workflow-id <run>').hideHelp())
    .option(
      '--continue-session',
      'the first prompt continues a copy of your latest conversation with Claude Code (or pi) in the working directory',
    )
    .option('--detach', 'print the id of the run and return at once; the run continues in the background')
    .action(async (workflow: string, flags: StartFlags, { parent }: Command) => {
      const suggestion = parent === null ? undefined : suggestionFor(parent);
      finish(await (await import('../runs/start.js')).start(io, { workflow, flags, suggestion }));
    });
}

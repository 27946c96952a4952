// The read-only commands about runs.
import { RUN_STATUSES } from '../../contract/runs.js';
import {
  durationText,
  label,
  positiveInteger,
  runStatus,
  withConnection,
  withWatching,
  type ConnectionFlags,
} from '../flags.js';
import type { ConversationFlags } from '../look/conversation.js';
import type { HistoryFlags } from '../look/history.js';
import type { ListFlags } from '../look/list.js';
import type { LogsFlags } from '../look/logs.js';
import type { ResultFlags, StatusFlags } from '../look/status.js';
import type { WatchFlags } from '../look/watch.js';
import type { AddCommand, Call } from './call.js';

/** Adds them. */
export function addLook(command: AddCommand, { io, finish }: Call): void {
  withConnection(command('list', 'list the runs of this project; with a cluster, the runs of the namespace'))
    .option('--status <status...>', `only runs with one of these statuses: ${RUN_STATUSES.join(', ')}`, runStatus)
    .option('--workflow <name>', 'only runs of this workflow')
    .option('--label <key=value>', 'only runs with this label; repeatable', label)
    .option('--since <duration>', 'only runs that were started at most this long ago, e.g. 90m, 36h, 30d', durationText)
    .option('--until <duration>', 'only runs that were started more than this long ago, e.g. 7d', durationText)
    .option('--limit <n>', 'at most N runs, the newest (default: 1000)', positiveInteger)
    .option('--json', 'print JSON instead of text')
    .action(async (flags: ListFlags) => {
      finish(await (await import('../look/list.js')).list(io, flags));
    });
  withConnection(command('status <run>', 'show the status of a run and of its agents'))
    .option('--costs', 'also show the costs of the run, as raymond costs does')
    .option('--json', 'print JSON instead of text')
    .action(async (run: string, flags: StatusFlags) => {
      finish(await (await import('../look/status.js')).status(io, { runId: run, flags }));
    });
  withConnection(command('costs <run>', 'show the cost of a run by agent, state, model and account'))
    .option('--json', 'print JSON instead of text')
    .action(async (run: string, flags: ResultFlags) => {
      finish(await (await import('../look/costs.js')).costs(io, { runId: run, flags }));
    });
  withConnection(command('result <run>', 'print the result of a run'))
    .option('--json', 'print JSON instead of text')
    .action(async (run: string, flags: ResultFlags) => {
      finish(await (await import('../look/status.js')).result(io, { runId: run, flags }));
    });
  withWatching(withConnection(command('watch <run>', 'follow a run until it has ended or is paused'))).action(
    async (run: string, flags: WatchFlags) => {
      finish(await (await import('../look/watch.js')).watch(io, { runId: run, flags }));
    },
  );
  withConnection(command('history <run> [agent]', 'list the recorded turns of a run or of one agent'))
    .option(
      '--all',
      'list every turn; without this flag and without --json, if an agent repeats the same turns in a loop with a delay, the first round is listed, and further rounds are only counted',
    )
    .option('--json', 'print JSON instead of text')
    .action(async (run: string, agent: string | undefined, flags: HistoryFlags) => {
      finish(await (await import('../look/history.js')).history(io, { runId: run, agentId: agent, flags }));
    });
  withConnection(command('logs <run> [agent]', 'print the output of the turns of a run or of one agent'))
    .option('-f, --follow', 'show output as soon as it is printed, until the run has ended or is paused')
    .option('--turn <n>', 'only the output of turns with the number N', positiveInteger)
    .option('--json', 'print JSON lines instead of text')
    .action(async (run: string, agent: string | undefined, flags: LogsFlags) => {
      finish(await (await import('../look/logs.js')).logs(io, { runId: run, agentId: agent, flags }));
    });
  addConversations(command, { io, finish });
  withConnection(
    command(
      'decode <run> [agent]',
      'print the recorded Temporal events of a run or of one agent, decrypted, as JSON lines; if RUN is -, read JSON from stdin and print it with decrypted payloads',
    ),
  ).action(async (run: string, agent: string | undefined, flags: ConnectionFlags) =>
    finish(await (await import('../look/decode.js')).decode(io, { runId: run, agentId: agent, flags })),
  );
}

function addConversations(command: AddCommand, { io, finish }: Call): void {
  withConnection(
    command(
      'transcript <run> <agent> [turn]',
      'print the conversation of an agent, up to its latest prompt turn or up to TURN',
    ),
  )
    .option('--json', 'print JSON instead of text')
    .action(async (...[run, agent, turn, flags]: ConversationArguments) => {
      const request = { runId: run, agentId: agent, turn: turnNumber(turn), flags };
      finish(await (await import('../look/conversation.js')).transcript(io, request));
    });
  withConnection(
    command(
      'session <run> <agent> [turn]',
      'print the command that opens a copy of the conversation of an agent in Claude Code or pi; the conversation ends with the latest prompt turn of the agent, or with TURN',
    ),
  )
    .option('--json', 'print JSON instead of text')
    .action(async (...[run, agent, turn, flags]: ConversationArguments) => {
      const request = { runId: run, agentId: agent, turn: turnNumber(turn), flags };
      finish(await (await import('../look/conversation.js')).session(io, request));
    });
}

/** Commander's: the words, then the flags. */
type ConversationArguments = [run: string, agent: string, turn: string | undefined, flags: ConversationFlags];

function turnNumber(text: string | undefined): number | undefined {
  return text === undefined ? undefined : positiveInteger(text);
}

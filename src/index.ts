// The public API for programs: operations on runs, the same that the command line uses. docs/reference/api-typescript.md shows
// them.
export { connect, uiAddress } from './client/open.js';
export type { Caller, ClusterChoice, ConnectOptions, Mode, Raymond } from './client/open.js';
export { describeRun, findRun, followRun, listRuns, result, startRun, turns } from './client/operations.js';
export type { FollowRunOptions, RunName, StartOptions, TurnsOptions } from './client/operations.js';
export {
  answer,
  cancelAgent,
  cancelRun,
  changeBudget,
  forkRun,
  moveWorkspace,
  pauseRun,
  resumeRun,
  tellAgent,
  withdrawNotes,
} from './client/steering.js';
export { gotoState, retryAgent } from './client/steer/moves.js';
export type { GotoOptions, RetryOptions } from './client/steer/moves.js';
export type { Resumption } from './client/steer/resumption.js';
export type {
  AgentOptions,
  AnswerOptions,
  ForkOptions,
  MoveWorkspaceOptions,
  WithdrawOptions,
} from './client/steering.js';
export {
  createSchedule,
  deleteSchedule,
  findSchedule,
  listSchedules,
  pauseSchedule,
  resumeSchedule,
} from './client/schedules/schedules.js';
export type { ScheduledRunLine, ScheduleRunOptions, ScheduleView } from './client/schedules/schedules.js';
export { backfillSchedule, triggerSchedule } from './client/schedules/schedule-runs.js';
export type { BackfillOptions, Triggered, TriggerOptions } from './client/schedules/schedule-runs.js';
export type { ScheduleName } from './client/schedules/schedule-handle.js';
export type { ScheduleTimes } from './client/schedules/schedule-times.js';
export { listHosts } from './client/fleet/hosts.js';
export type { AgentPlace, HostView, TurnLine, WorkerLine } from './client/fleet/hosts.js';
export { rollOut, type RolloutOptions, type WorkerVersion } from './client/fleet/rollout.js';
export { ClientError, type ClientErrorCode } from './client/error.js';
export { ServerError } from './server/index.js';
export { DOCUMENTS, type DocumentName, type DocumentOf } from './client/documents/documents.js';
export type { AskDocument, RunDocument } from './client/documents/run-document.js';
export type { FollowOptions } from './client/look/follow.js';
export type { RunOptions } from './client/start/options.js';
export type { RunFilter, RunLine, RunView } from './client/look/runs.js';
export type { RecordedTurn, TurnEnd } from './history/turns.js';
export type { Progress, ProgressSink } from './contract/turns.js';
export type { OperatorNote } from './protocol/machine/agent.js';
export type { Transition } from './protocol/machine/transition.js';
export type { AgentLine, Overlap, RunStatus } from './contract/runs.js';

// What a program gets that imports Raymond: operations on runs, the same that the command line prints. docs/api-typescript.md shows them.
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
  pauseRun,
  resumeRun,
  tellAgent,
} from './client/steering.js';
export { gotoState, retryAgent } from './client/moves.js';
export type { GotoOptions, RetryOptions } from './client/moves.js';
export type { AgentOptions, AnswerOptions, ForkOptions } from './client/steering.js';
export {
  createSchedule,
  deleteSchedule,
  findSchedule,
  listSchedules,
  pauseSchedule,
  resumeSchedule,
} from './client/schedules.js';
export type { ScheduledRunLine, ScheduleRunOptions, ScheduleView } from './client/schedules.js';
export { backfillSchedule, triggerSchedule } from './client/schedule-runs.js';
export type { BackfillOptions, Triggered, TriggerOptions } from './client/schedule-runs.js';
export type { ScheduleName } from './client/schedule-handle.js';
export type { ScheduleTimes } from './client/schedule-times.js';
export { listHosts } from './client/hosts.js';
export type { AgentPlace, HostView, TurnLine, WorkerLine } from './client/hosts.js';
export { rollOut, type RolloutOptions, type WorkerVersion } from './client/rollout.js';
export { ClientError, type ClientErrorCode } from './client/error.js';
export { ServerError } from './server/index.js';
export { DOCUMENTS, type DocumentName, type DocumentOf } from './client/documents.js';
export type { AskDocument, RunDocument } from './client/run-document.js';
export type { FollowOptions } from './client/follow.js';
export type { RunOptions } from './client/begin.js';
export type { RunFilter, RunLine, RunView } from './client/runs.js';
export type { RecordedTurn, TurnEnd } from './history/turns.js';
export type { Progress, ProgressSink } from './activities/types.js';
export type { Transition } from './protocol/machine/transition.js';
export type { AgentLine, Overlap, RunStatus } from './workflows/contract.js';

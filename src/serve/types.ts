// The types of the API for its clients, above all the page: types only, nothing of this is in a bundle.
import type { z } from 'zod';
import type * as contract from './contract.js';
import type * as events from './event-types.js';

/** The type of a request or answer by its name, such as `Of<'run'>`. */
export type Of<Name extends keyof typeof contract> = (typeof contract)[Name] extends z.ZodType
  ? z.infer<(typeof contract)[Name]>
  : never;

/** An event of the stream, by the field `type`. */
export type ServeEvent = z.infer<typeof events.event>;
/** One kind of event. */
export type EventOf<Type extends ServeEvent['type']> = Extract<ServeEvent, { readonly type: Type }>;

/** A problem. */
export type Problem = Of<'problem'>;
/** The signed-in user. */
export type Session = Of<'session'>;
/** A read-only link. */
export type Link = Of<'link'>;
/** Statistics of the runs of a workflow. */
export type Statistics = Of<'statistics'>;
/** What runs have cost. */
export type Spending = Of<'spending'>;
/** A schedule. */
export type Schedule = Of<'schedules'>['schedules'][number];
/** A host. */
export type Host = Of<'hosts'>['hosts'][number];
/** A workflow that can be started. */
export type Workflow = Of<'workflow'>;
/** The same with its states. */
export type WorkflowDetail = Of<'workflowDetail'>;
/** Lint findings. */
export type LintReport = Of<'lintReport'>;
/** An open question. */
export type OpenAsk = Of<'openAsk'>;
/** All of them. */
export type Inbox = Of<'inbox'>;
/** A run in a list. */
export type ListedRun = Of<'listedRun'>;
/** A page of runs. */
export type Runs = Of<'runs'>;
/** A run. */
export type Run = Of<'run'>;
/** Recorded turns. */
export type Turns = Of<'turns'>;
/** A turn with the input of its state. */
export type TurnDetail = Of<'turnDetail'>;
/** A conversation. */
export type Transcript = Of<'transcript'>;
/** The command that opens it. */
export type Opening = Of<'opening'>;
/** Output of a turn. */
export type Output = Of<'output'>;
/** Output of all agents of a run. */
export type Outputs = Of<'outputs'>;
/** The orders of people to a run. */
export type Orders = Of<'orders'>;
/** The files of a question and of its answer. */
export type AskFiles = Of<'askFiles'>;
/** What to start. */
export type StartRequest = Of<'startRequest'>;
/** A run that was started. */
export type Begun = Of<'startedRun'>;
/** The turn to fork from. */
export type ForkRequest = Of<'forkRequest'>;
/** An uploaded file. */
export type SentFile = Of<'upload'>;

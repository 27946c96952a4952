// The options of a run, as programs and the command line give them.
import type { BackendName } from '../../protocol/language/policy.js';
import type { Labels } from '../../protocol/labels.js';
import type { Caller } from '../open.js';
import type { OpenPackage } from './package.js';

/** The options of a run; absent ones come from the config, else the defaults of `raymond start`. */
export interface RunOptions {
  /** The value of `{{input}}` in the first state. */
  readonly input?: string;
  /** The id of the run; absent = a new one. */
  readonly runId?: string;
  /** The working directory of the first agent; absent = the manifest's, else the caller's folder. */
  readonly cwd?: string;
  /** The budget in USD; 0 = no limit. */
  readonly budgetUsd?: number;
  /** The model and the effort for prompts that set none. */
  readonly model?: string;
  readonly effort?: string;
  /** The backend for prompts that set none. */
  readonly backend?: BackendName;
  /** Ends a turn after this many seconds without output; 0 = never. */
  readonly timeoutSeconds?: number;
  /** Ends a turn after this many seconds; 0 = never. */
  readonly maxSeconds?: number;
  /** Lets Claude use all tools without permission prompts. */
  readonly skipPermissions?: boolean;
  /** The weakest sandbox of its turns: a kind, or KIND:PROFILE. */
  readonly sandbox?: string;
  /** The accounts of Claude that its prompts may use. */
  readonly accounts?: readonly string[];
  /** The priority of its turns, from 1 (first) to 5; absent = 3. */
  readonly priority?: number;
  /** Stops all agents when one fails. */
  readonly failFast?: boolean;
  readonly chain?: boolean;
  /** Keeps debug files of the run. */
  readonly debug?: boolean;
  /** The id of the request that starts it, when it may arrive twice (`RunView.requestHash`). */
  readonly requestHash?: string;
  /** Whether a question to a person fails its agent. */
  readonly rejectAsks?: boolean;
  /** Whether a usage limit pauses the agent instead of waiting for its end. */
  readonly pauseAtLimit?: boolean;
  /** `git` = every agent works in a workspace that git brings from host to host. */
  readonly workspace?: 'shared' | 'git';
  /** The repository of the workspaces, and the commit to start from; absent = those of the caller's folder. */
  readonly repo?: string;
  readonly ref?: string;
  /** The branch that receives the files of main's workspace when the run completes. */
  readonly outputBranch?: string;
  /** Labels of the run: variables of every state. */
  readonly labels?: Labels;
  /** The first prompt continues the user's latest conversation in the run's folder. */
  readonly continueSession?: boolean;
  /** Variables of its processes, over those of the manifest. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** What preparing a run needs; `local` = its turns run on this host. */
export interface Preparation {
  readonly workflow: OpenPackage;
  readonly options: RunOptions;
  readonly caller: Caller;
  readonly local: boolean;
}

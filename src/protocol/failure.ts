// The one table of external failures: every ApplicationFailure type that Raymond uses, and what it does to the agent;
// and `assertNever` for impossible cases. Protocol mistakes are in problem.ts.
/** When and how often an agent retries a turn: waits grow from `first` by `factor` up to `max` seconds. */
interface RetryPolicy {
  readonly tries: number;
  readonly first: number;
  readonly factor: number;
  readonly max: number;
}

/** `then`: what happens to the agent after the last retry. `retry`: retries by the agent, on durable timers. */
interface FailureRule {
  readonly then: 'fail' | 'pause' | 'wait';
  readonly retry?: RetryPolicy;
}

/** Failure types by name. Temporal itself retries only `WorkerLost`; the agent's own retries are visible as timers. */
export const FAILURES = {
  /** The worker or its launcher ended during the turn. */
  WorkerLost: { then: 'pause' },
  /** Claude ended without a usable result, or produced no output for too long: three attempts in total. */
  ClaudeFailed: { then: 'pause', retry: { tries: 2, first: 1, factor: 2, max: 2 } },
  /** An error of the model service that usually passes. */
  ApiTrouble: { then: 'pause', retry: { tries: 30, first: 5, factor: 2, max: 300 } },
  /** Too many requests, without a time when the limit ends. */
  RateLimited: { then: 'pause', retry: { tries: 30, first: 60, factor: 2, max: 900 } },
  /** The subscription's limit is reached until a known time. */
  UsageLimit: { then: 'wait' },
  /** The host with the agent's files has stopped polling. */
  HostLost: { then: 'pause', retry: { tries: Infinity, first: 30, factor: 1, max: 30 } },
  /** The workspace is not where its record says. */
  WorkspaceMoved: { then: 'pause' },
  /**
   * A repository cannot be cloned, or lacks the commit, or git cannot write on the host; network or disk space may come
   * back.
   */
  RepositoryUnusable: { then: 'pause', retry: { tries: 4, first: 5, factor: 3, max: 60 } },
  /** The command that prepares a workspace failed. */
  PrepareFailed: { then: 'pause' },
  /** A workspace has more changes than are saved after a turn. */
  SnapshotTooLarge: { then: 'pause' },
  /** The turn needs leases first, which its worker has requested; it has not started. */
  LeaseWanted: { then: 'wait' },
  /** The command that prints the variables of an account of Claude fails. */
  NoCredentials: { then: 'pause', retry: { tries: 10, first: 5, factor: 2, max: 300 } },
  /** A person must log in, pay, or install something. */
  NeedsPerson: { then: 'pause' },
  /** An operator paused the run. */
  PausedByOperator: { then: 'pause' },
  /** Claude rejects the request as it is (unknown model, prompt too long, …). */
  ClaudeRefused: { then: 'fail' },
  /** A script ended with a non-zero exit code, a signal, or a timeout. */
  ScriptFailed: { then: 'fail' },
  /** A turn used more than its sandbox allows: a script is tried again if its state has `retries`. */
  LimitExceeded: { then: 'pause' },
  /** A state, its folder or the working directory cannot be used on this worker. */
  StateUnreadable: { then: 'fail' },
  /** A prompt's frontmatter has mistakes. */
  InvalidState: { then: 'fail' },
  /** A value or transcript that the record names is not in the artifact store. */
  ArtifactMissing: { then: 'fail' },
  /** A value, a transcript or a document in the store was changed: a person must restore it. */
  StoreDamaged: { then: 'pause' },
  /** Files of Raymond cannot be written or read, such as on a full disk: retried for some minutes. */
  DiskTrouble: { then: 'pause', retry: { tries: 10, first: 2, factor: 2, max: 60 } },
  /** The host has too few file descriptors, processes or memory: retried for some minutes. */
  HostTrouble: { then: 'pause', retry: { tries: 10, first: 2, factor: 2, max: 60 } },
  /** The artifact store does not answer: a turn waits for it, other work is retried. */
  StoreUnreachable: { then: 'pause', retry: { tries: 30, first: 5, factor: 2, max: 300 } },
  /** The artifact store answers, but denies access: a person must fix that. */
  StoreRefused: { then: 'pause' },
  /** A question expired, and it names no state for that. */
  AskTimedOut: { then: 'fail' },
  /** Forked agents did not end in the time of an `<await>`, and it names no state for that. */
  AwaitTimedOut: { then: 'fail' },
  /** The run was started or resumed with `--on-ask=reject`. */
  AskRejected: { then: 'fail' },
  /** An answer to a question that is not open; reported to its sender. */
  AnswerRefused: { then: 'fail' },
  /** The files of an answer cannot be used: its question is asked again. */
  AnswerUnusable: { then: 'fail' },
  /** The budget of the run is used up. */
  OverBudget: { then: 'fail' },
  /** A protocol mistake that reminders did not correct. */
  ProtocolError: { then: 'fail' },
  /** The run that this agent belongs to no longer exists. */
  RunGone: { then: 'fail' },
  /** The run or the agent was reset with Temporal's own tools. */
  WorkflowReset: { then: 'fail' },
  /** The message is not signed with the project's key: another program has sent it to the embedded server. */
  Refused: { then: 'fail' },
  /** At least one agent of the run failed. */
  RunFailed: { then: 'fail' },
  /** A case that no rule covers, such as a bug in Raymond. */
  Unforeseen: { then: 'fail' },
} as const satisfies Record<string, FailureRule>;

/** A type of failure: a key of `FAILURES`. */
export type FailureType = keyof typeof FAILURES;

/** A failure as the ledger and the command line show it. */
export interface Failure {
  readonly type: FailureType;
  readonly message: string;
}

/** True for a type in the table. */
export function isFailureType(type: string | null | undefined): type is FailureType {
  return typeof type === 'string' && Object.hasOwn(FAILURES, type);
}

/** The rule of a type, with its optional fields visible to the type checker. */
export function ruleOf(type: FailureType): FailureRule {
  return FAILURES[type];
}

/** Seconds before retry number `n`, from 1. */
export function waitSeconds({ first, factor, max }: RetryPolicy, n: number): number {
  return Math.min(max, first * factor ** (n - 1));
}

/** Fails to compile when a case is missing; throws when a value outside the type arrives anyway. */
export function assertNever(value: never): never {
  throw new TypeError(`unexpected value: ${JSON.stringify(value)}`);
}

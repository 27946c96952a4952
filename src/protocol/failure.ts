// The one table of failures of the world: every ApplicationFailure type that Raymond uses, and what becomes of the agent; and
// `assertNever`, the failure that no well-typed caller can meet. Protocol mistakes are in problem.ts.
/** How often and how patiently an agent tries a turn again: waits grow from `first` by `factor` up to `max` seconds. */
export interface Patience {
  readonly tries: number;
  readonly first: number;
  readonly factor: number;
  readonly max: number;
}

/** `then`: what becomes of the agent when nothing is left to try. `patience`: tries by the agent, on durable timers. */
interface FailureRule {
  readonly then: 'fail' | 'pause' | 'wait';
  readonly patience?: Patience;
}

/** Failure types by name. Only `WorkerLost` is retried by Temporal itself; the agent's own tries are visible as timers. */
export const FAILURES = {
  /** The worker or its launcher ended during the turn. */
  WorkerLost: { then: 'pause' },
  /** Claude ended without a usable result, or was silent too long: three attempts in all. */
  ClaudeFailed: { then: 'pause', patience: { tries: 2, first: 1, factor: 2, max: 2 } },
  /** Trouble of the model service that usually passes (claude-cli.md §11). */
  ApiTrouble: { then: 'pause', patience: { tries: 30, first: 5, factor: 2, max: 300 } },
  /** Too many requests, without a time when the limit ends (claude-cli.md §11). */
  RateLimited: { then: 'pause', patience: { tries: 30, first: 60, factor: 2, max: 900 } },
  /** The subscription's limit is reached until a known time. */
  UsageLimit: { then: 'wait' },
  /** The host that has an agent's files no longer asks for work. */
  HostLost: { then: 'pause', patience: { tries: Infinity, first: 30, factor: 1, max: 30 } },
  /** The workspace is no longer where its record says. */
  WorkspaceMoved: { then: 'pause' },
  /** A repository cannot be cloned, or has no such commit, or git cannot write on the host; a network may come back, and room. */
  RepositoryUnusable: { then: 'pause', patience: { tries: 4, first: 5, factor: 3, max: 60 } },
  /** The command that prepares a workspace failed. */
  PrepareFailed: { then: 'pause' },
  /** More has changed in a workspace than is kept after a turn. */
  SnapshotTooLarge: { then: 'pause' },
  /** The turn needs places under limits first, for which its worker has asked; it has not begun. */
  LeaseWanted: { then: 'wait' },
  /** The command that prints the variables of an account of Claude fails. */
  NoCredentials: { then: 'pause', patience: { tries: 10, first: 5, factor: 2, max: 300 } },
  /** Somebody must log in, pay, or install something. */
  NeedsPerson: { then: 'pause' },
  /** An operator paused the run. */
  PausedByHand: { then: 'pause' },
  /** Claude refuses the request as it is (unknown model, prompt too long, …). */
  ClaudeRefused: { then: 'fail' },
  /** A script ended with a non-zero exit code, a signal, or a timeout. */
  ScriptFailed: { then: 'fail' },
  /** A state, its folder or the working directory cannot be used on this worker. */
  StateUnreadable: { then: 'fail' },
  /** A prompt's frontmatter has mistakes. */
  InvalidState: { then: 'fail' },
  /** A value or transcript that the record names is not in the artifact store. */
  ArtifactMissing: { then: 'fail' },
  /** A value, a transcript or a document in the store is not what was kept: a person must put it back. */
  StoreDamaged: { then: 'pause' },
  /** Files of Raymond cannot be written or read, such as on a full disk: tried again for some minutes. */
  DiskTrouble: { then: 'pause', patience: { tries: 10, first: 2, factor: 2, max: 60 } },
  /** The host has too few descriptors, processes or memory: tried again for some minutes. */
  HostTrouble: { then: 'pause', patience: { tries: 10, first: 2, factor: 2, max: 60 } },
  /** The artifact store does not answer: a turn waits for it, and what else is cut off is tried again. */
  StoreUnreachable: { then: 'pause', patience: { tries: 30, first: 5, factor: 2, max: 300 } },
  /** The artifact store answers, but refuses: a person must mend that. */
  StoreRefused: { then: 'pause' },
  /** Nobody answered a question in time, and it names no state for that. */
  AskTimedOut: { then: 'fail' },
  /** The run was started or resumed with `--on-ask=reject`. */
  AskRejected: { then: 'fail' },
  /** An answer that fits no open question; told to whoever gave it. */
  AnswerRefused: { then: 'fail' },
  /** What came with an answer cannot be used: its question is asked again. */
  AnswerUnusable: { then: 'fail' },
  /** The budget of the run is used up. */
  OverBudget: { then: 'fail' },
  /** A protocol mistake that nothing mended. */
  ProtocolError: { then: 'fail' },
  /** The run that this agent belongs to no longer exists. */
  RunGone: { then: 'fail' },
  /** It carries no mark of the project: somebody else has put it into the embedded server. */
  Refused: { then: 'fail' },
  /** At least one agent of the run failed. */
  RunFailed: { then: 'fail' },
  /** Something that no rule foresees, such as a mistake in Raymond. */
  Unforeseen: { then: 'fail' },
} as const satisfies Record<string, FailureRule>;

/** A type of failure: a key of `FAILURES`. */
export type FailureType = keyof typeof FAILURES;

/** A failure as the ledger and the command line show it. */
export interface Failure {
  readonly type: FailureType;
  readonly message: string;
}

/** True for a type string that stands in the table. */
export function isFailureType(type: string | null | undefined): type is FailureType {
  return typeof type === 'string' && Object.hasOwn(FAILURES, type);
}

/** The rule of a type, with its optional fields visible to the type checker. */
export function ruleOf(type: FailureType): FailureRule {
  return FAILURES[type];
}

/** Seconds before try number `n` (1 = the first try again). */
export function waitSeconds({ first, factor, max }: Patience, n: number): number {
  return Math.min(max, first * factor ** (n - 1));
}

/** Fails to compile when a case is missing; throws when a value outside the type arrives all the same. */
export function assertNever(value: never): never {
  throw new TypeError(`unexpected value: ${JSON.stringify(value)}`);
}

// Data of the API that stays current: read when a view opens, and again after an event that
// concerns it, at most a few times a second. The old data stays visible during that, so that
// nothing flickers and no draft is lost.
import { useEffect, useState } from 'preact/hooks';
import { ApiProblem } from './api.js';
import { isAnswered, listen } from './live.js';
import { sessionState } from './session.js';
import type { ServeEvent } from '../serve/types.js';

/** The current data of a resource. */
export interface Resource<Data> {
  readonly data: Data | undefined;
  readonly problem: ApiProblem | undefined;
  /** Reads it again now. */
  readonly reload: () => void;
}

/** How a resource is read. */
export interface ResourceOptions<Data> {
  /** Identifies the resource. */
  readonly key: string;
  /** Receives the earlier data of the same resource. */
  readonly load: (before: Data | undefined) => Promise<Data>;
  /** Whether an event concerns it; a gap always does. */
  readonly when?: (event: ServeEvent) => boolean;
  /** The shortest time between two reads. */
  readonly everyMs?: number;
  /**
   * Whether it is read again after a while without an event: heartbeats of a turn are no events.
   */
  readonly isMoving?: (data: Data) => boolean;
}

const EVERY_MS = 400;
const RETRY_MS = 2000;
const MOVING_MS = 2500;

/** Reads it while the component is mounted. */
export function useResource<Data>(options: ResourceOptions<Data>): Resource<Data> {
  const [state, setState] = useState<{ readonly key: string; readonly data?: Data; readonly problem?: ApiProblem }>({
    key: options.key,
  });
  const [reader, setReader] = useState<Reader<Data>>();
  useEffect(() => {
    const made = new Reader(options, (data, problem) =>
      setState({
        key: options.key,
        ...(data === undefined ? {} : { data }),
        ...(problem === undefined ? {} : { problem }),
      }),
    );
    setReader(made);
    return () => made.close();
  }, [options.key]);
  const isSame = state.key === options.key;
  return {
    data: isSame ? state.data : undefined,
    problem: isSame ? state.problem : undefined,
    reload: () => reader?.ask(),
  };
}

/** Reads one resource, one read at a time. */
class Reader<Data> {
  private data: Data | undefined;
  private isReading = false;
  private isAsked = false;
  private isClosed = false;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private later: ReturnType<typeof setTimeout> | undefined;
  private readonly deaf: () => void;

  constructor(
    private readonly options: ResourceOptions<Data>,
    private readonly take: (data: Data | undefined, problem: ApiProblem | undefined) => void,
  ) {
    this.deaf = listen((event) => {
      if (event.type === 'gap' || options.when?.(event) === true) this.ask();
    });
    this.ask();
  }

  ask(): void {
    this.isAsked = true;
    if (!this.isReading && this.timer === undefined) void this.read();
  }

  close(): void {
    this.isClosed = true;
    clearTimeout(this.timer);
    clearTimeout(this.later);
    this.deaf();
  }

  private async read(): Promise<void> {
    this.isAsked = false;
    this.isReading = true;
    const problem = await this.options.load(this.data).then(
      (data) => void (this.data = data),
      (error: unknown) => problemOf(error),
    );
    this.isReading = false;
    if (this.isClosed) return;
    const isUnreachable = problem?.status === 0;
    isAnswered.value = !isUnreachable;
    // The page says once that there is no connection, not in each of its parts.
    this.take(this.data, isUnreachable ? undefined : problem);
    if (isUnreachable) this.isAsked = true;
    clearTimeout(this.later);
    if (this.data !== undefined && this.options.isMoving?.(this.data) === true)
      this.later = setTimeout(() => this.ask(), MOVING_MS);
    this.timer = setTimeout(
      () => {
        this.timer = undefined;
        if (this.isAsked) void this.read();
      },
      isUnreachable ? RETRY_MS : (this.options.everyMs ?? EVERY_MS),
    );
  }
}

/** Any error as a problem; an expired session is reported as such. */
export function problemOf(error: unknown): ApiProblem {
  const problem = error instanceof ApiProblem ? error : new ApiProblem(String(error), -1, { code: 'Unforeseen' });
  if (problem.status === 401) sessionState.value = { kind: 'signed-out', problem: problem.message };
  return problem;
}

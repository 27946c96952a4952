// What a tool of the MCP server is: a name, a schema of its arguments, what it may change, and a function that opens the
// project for one call.
import type { z } from 'zod';
import { noSuchRun } from '../client/error.js';
import { linkAs } from '../client/connect.js';
import { hasNoRuns, openToAsk, openToSteer, type OpenOptions, type Raymond } from '../client/open.js';
import { operator } from '../host/process.js';
import { findProject, type Project } from '../client/project/project.js';

/** What a tool may do: only look, change a run, or end work that is in progress. */
export type Effect = 'look' | 'change' | 'end';

/** One call of a tool. */
export interface ToolCall {
  readonly access: ProjectAccess;
  /** Aborted when the client cancels the call, or has gone. */
  readonly signal: AbortSignal;
  /** Reports progress, when the client has asked for it: `done` of `total` seconds. */
  readonly progress: (now: { readonly done: number; readonly total: number; readonly message: string }) => void;
}

/** A tool; `run` returns what the client gets, as JSON. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: z.ZodObject;
  readonly effect: Effect;
  /** Whether a repeated call with the same arguments changes nothing more. */
  readonly isRepeatable: boolean;
  readonly run: (call: ToolCall, input: unknown) => Promise<object>;
}

interface Definition<Input extends z.ZodObject> extends Omit<Tool, 'input' | 'run' | 'isRepeatable'> {
  readonly isRepeatable?: boolean;
  readonly input: Input;
  readonly run: (call: ToolCall, input: z.infer<Input>) => Promise<object>;
}

/** A tool of a table of tools with different arguments. */
export function tool<Input extends z.ZodObject>({ isRepeatable, run, ...definition }: Definition<Input>): Tool {
  return {
    ...definition,
    isRepeatable: isRepeatable ?? definition.effect === 'look',
    run: (call, input) => run(call, definition.input.parse(input)),
  };
}

/** The project of the server's folder. Each call opens it: servers, engines and configs change while a client is connected. */
export class ProjectAccess {
  constructor(private readonly options: OpenOptions) {}

  /** Throws for a config that cannot be read. */
  async project(): Promise<Project> {
    return await findProject(this.options.caller.cwd);
  }

  /** The environment of the caller. */
  get env(): NodeJS.ProcessEnv {
    return this.options.caller.env;
  }

  /** Reads; starts nothing that was stopped. Throws `Unreachable`. */
  async look<Answer>(read: (raymond: Raymond) => Promise<Answer>, project?: Project): Promise<Answer> {
    return await this.with(await openToAsk(project ?? (await this.project()), this.options), read);
  }

  /** Reads a run. Throws `RunNotFound` also in a project that never had one. */
  async lookAt<Answer>(runId: string, read: (raymond: Raymond) => Promise<Answer>): Promise<Answer> {
    const project = await this.project();
    if (await this.isUnused(project)) throw noSuchRun(runId);
    return await this.look(read, project);
  }

  /** Changes runs; starts the embedded server if necessary. */
  async steer<Answer>(change: (raymond: Raymond, by: string) => Promise<Answer>): Promise<Answer> {
    const by = `${operator()} (MCP)`;
    const opened = await openToSteer(await this.project(), this.options);
    return await this.with({ ...opened, link: linkAs(opened.link, by) }, (raymond) => change(raymond, by));
  }

  /** True when the project never had a run. */
  async isUnused(project: Project): Promise<boolean> {
    const { choice, caller } = this.options;
    return await hasNoRuns(project, { choice, env: caller.env });
  }

  private async with<Answer>(raymond: Raymond, work: (raymond: Raymond) => Promise<Answer>): Promise<Answer> {
    try {
      return await work(raymond);
    } finally {
      await raymond.close();
    }
  }
}

/** The longest text in an answer, in characters: what a model reads costs its context. */
const MAX_TEXT = 20_000;

/** A value with its long texts cut, so that an answer stays readable for a model; says how much is missing. */
export function bounded(value: unknown): unknown {
  if (typeof value === 'string') return value.length <= MAX_TEXT ? value : cutText(value, 0).text;
  if (Array.isArray(value)) return value.map(bounded);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, bounded(part)]));
}

/** A part of a long text, from an offset; `next` = where the rest begins. */
export function cutText(whole: string, offset: number): { readonly text: string; readonly next?: number } {
  const end = offset + MAX_TEXT;
  if (whole.length <= end) return { text: whole.slice(offset) };
  return { text: `${whole.slice(offset, end)}\n… (${whole.length - end} more characters)`, next: end };
}

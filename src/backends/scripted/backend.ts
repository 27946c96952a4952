// A backend without a model for `raymond test`: it answers from scripts. Everything around it is real: the process
// (`cat`, which prints the reply), its journal, its cost, the conversation in the artifact store.
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { v5 as uuidv5 } from 'uuid';
import { z } from 'zod';
import { LineSplitter } from '../lines.js';
import type { Session } from '../../protocol/machine/agent.js';
import { defined, jsonOf } from '../../protocol/text.js';
import {
  SessionMissing,
  type Asker,
  type Backend,
  type BackendCommand,
  type BackendEvent,
  type BackendRequest,
  type BackendVerdict,
  type EndedProcess,
  type KeepContext,
  type ModelSpending,
  type OutputReader,
} from '../backend.js';
import { choose, SCRIPTED_FAILURES, type Chosen, type Script, type ScriptedReply } from './script.js';

/** A prompt that was answered, or could not be. */
export interface ScriptedCall {
  readonly asker: Asker;
  /** How often the agent ran that state, this time included. */
  readonly number: number;
  readonly prompt: string;
  readonly model?: string;
  readonly effort?: string;
  readonly sessionId: string;
  /** The conversation that it continued; absent = none. */
  readonly continues?: string;
  /** Why there is no answer. */
  readonly unscripted?: string;
}

/** The script of a run, and a callback for its prompts. */
export interface ScriptedRun {
  readonly script: Script;
  readonly onCall: (call: ScriptedCall) => void;
}

const NAMESPACE = '6d0c9b0e-0f5a-5a55-8f1e-2f8a4b7c9d10';

interface Conversation {
  readonly sessionId: string;
  readonly said: readonly { readonly prompt: string; readonly answer: string }[];
}

/** Answers the prompts of runs; `runOf` finds their scripts. */
export class ScriptedBackend implements Backend {
  readonly usesAccounts = false;
  private readonly conversations = new Map<string, Conversation>();
  private readonly asked = new Map<string, number>();
  /** Attributes are bound in one state only; a script may use them for later turns, too. */
  private readonly attributes = new Map<string, Asker['attributes']>();

  constructor(private readonly runOf: (runId: string) => ScriptedRun | undefined) {}

  sessionId(attemptId: string): string {
    return uuidv5(attemptId, NAMESPACE);
  }

  /** Called when an agent starts, with a script or a prompt. */
  learn({ runId, agentId, attributes }: Omit<Asker, 'state'>): void {
    const key = `${runId}/${agentId}`;
    if (Object.keys(attributes).length > 0) this.attributes.set(key, { ...this.attributes.get(key), ...attributes });
  }

  async command({
    asker: given,
    prompt,
    cwd,
    sessionId,
    session,
    ...request
  }: BackendRequest): Promise<BackendCommand> {
    this.learn(given);
    const { runId, agentId, state } = given;
    const asker = { ...given, attributes: this.attributes.get(`${runId}/${agentId}`) ?? {} };
    const key = `${runId}/${agentId}/${state}`;
    const number = (this.asked.get(key) ?? 0) + 1;
    this.asked.set(key, number);
    const run = this.runOf(runId);
    const chosen = answerOf(run, { asker, number, prompt });
    const { model, effort } = request;
    const unscripted = chosen.kind === 'unscripted' ? chosen.message : undefined;
    run?.onCall({
      asker,
      number,
      prompt,
      sessionId,
      ...defined({ model, effort, continues: session?.id, unscripted }),
    });
    if (chosen.kind === 'unscripted') return printing({ says: '', costUsd: 0, denied: [], unscripted: chosen.message });
    const reply = filled(chosen.reply, asker.attributes);
    await act(reply, cwd);
    const before = session === undefined ? [] : (this.conversations.get(session.id)?.said ?? []);
    this.conversations.set(sessionId, { sessionId, said: [...before, { prompt, answer: reply.says }] });
    const { says, costUsd, denied, fails, resetsInMs } = reply;
    return printing({ says, costUsd, denied, ...defined({ fails, resetsInMs }) });
  }

  reader(onLine?: (line: string, isEvent: boolean) => void): ScriptedReader {
    return new ScriptedReader(onLine);
  }

  async keep(id: string, { artifacts }: KeepContext): Promise<Session> {
    const conversation = this.conversations.get(id);
    if (conversation === undefined) throw new SessionMissing(`there is no scripted conversation ${id}`);
    const { sha256 } = await artifacts.put(Buffer.from(JSON.stringify(conversation)));
    return { id, sha256 };
  }

  async discard(id: string): Promise<void> {
    this.conversations.delete(id);
    await Promise.resolve();
  }
}

function answerOf(run: ScriptedRun | undefined, question: Parameters<typeof choose>[1]): Chosen {
  if (run !== undefined) return choose(run.script, question);
  return { kind: 'unscripted', message: `there is no script for the run ${question.asker.runId}` };
}

function filled(reply: ScriptedReply, attributes: Asker['attributes']): ScriptedReply {
  const fill = (text: string): string =>
    text.replaceAll(/\{\{\s*([\w-]+)\s*\}\}/g, (whole, name: string) => attributes[name] ?? whole);
  return {
    ...reply,
    says: fill(reply.says),
    writes: Object.fromEntries(Object.entries(reply.writes).map(([path, text]) => [fill(path), fill(text)])),
    removes: reply.removes.map(fill),
  };
}

async function act({ writes, removes }: ScriptedReply, cwd: string): Promise<void> {
  for (const [path, text] of Object.entries(writes)) {
    const file = within(cwd, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  for (const path of removes) await rm(within(cwd, path), { recursive: true, force: true });
}

/** A script writes only in its agent's directory. */
function within(cwd: string, path: string): string {
  const file = resolve(cwd, path);
  const inside = relative(cwd, file);
  if (inside === '' || inside.startsWith('..') || isAbsolute(inside))
    throw new RangeError(`a scripted reply must not write to ${path}, which is outside ${cwd}`);
  return join(cwd, inside);
}

const line = z.object({
  type: z.literal('scripted'),
  says: z.string(),
  costUsd: z.number(),
  denied: z.array(z.string()).readonly(),
  fails: z.enum(Object.keys(SCRIPTED_FAILURES) as (keyof typeof SCRIPTED_FAILURES)[]).optional(),
  resetsInMs: z.number().optional(),
  unscripted: z.string().optional(),
});

type Line = z.infer<typeof line>;

function printing(said: Omit<Line, 'type'>): BackendCommand {
  return { command: 'cat', args: [], stdin: `${JSON.stringify({ type: 'scripted', ...said })}\n` };
}

/** Parses the output of `cat`. */
class ScriptedReader implements OutputReader {
  private readonly lines = new LineSplitter();
  private said: Line | undefined;

  constructor(private readonly onLine?: (line: string, isEvent: boolean) => void) {}

  push(chunk: Uint8Array): readonly BackendEvent[] {
    return this.lines.push(chunk).flatMap((text) => this.take(text));
  }

  end(): readonly BackendEvent[] {
    return this.lines.end().flatMap((text) => this.take(text));
  }

  get text(): string {
    return this.said?.says ?? '';
  }

  get costUsd(): number {
    return this.said?.costUsd ?? 0;
  }

  get spending(): readonly ModelSpending[] {
    const tokens = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
    return this.costUsd === 0 ? [] : [{ model: 'scripted', costUsd: this.costUsd, ...tokens }];
  }

  get warnings(): readonly string[] {
    return (this.said?.denied ?? []).map((tool) => `Claude was denied ${tool}`);
  }

  judge({ end, now }: EndedProcess): BackendVerdict {
    const { said } = this;
    if (said === undefined)
      return { kind: 'failed', type: 'ClaudeFailed', message: `the scripted reply was not printed (${end.kind})` };
    if (said.unscripted !== undefined) return { kind: 'failed', type: 'ClaudeRefused', message: said.unscripted };
    if (said.fails === undefined) return { kind: 'answered' };
    const message = `scripted failure: ${said.fails}${said.says === '' ? '' : `: ${said.says}`}`;
    const resetsAt = said.resetsInMs === undefined ? undefined : now.getTime() + said.resetsInMs;
    return { kind: 'failed', type: SCRIPTED_FAILURES[said.fails], message, ...defined({ resetsAt }) };
  }

  private take(text: string): readonly BackendEvent[] {
    const read = line.safeParse(jsonOf(text));
    this.onLine?.(text, read.success);
    if (!read.success) return [];
    this.said = read.data;
    const { says } = read.data;
    return [...(says === '' ? [] : [{ kind: 'said', text: says, tools: [] } as const]), { kind: 'answered' }];
  }
}

// Claude Code as a backend: its command line, its stream parsed to an answer, the verdict on its end, its conversations
// as files.
import type { Session } from '../../protocol/machine/agent.js';
import { defined } from '../../protocol/text.js';
import type {
  Backend,
  BackendCommand,
  BackendEvent,
  BackendContext,
  BackendRequest,
  BackendVerdict,
  Confined,
  ConfineRequest,
  EndedProcess,
  KeepContext,
  ModelSpending,
  OutputReader,
} from '../backend.js';
import { requireHome } from '../home.js';
import { classify, failureOf } from './classify.js';
import { claudeArgs, modelFlag, type ClaudeProfile } from './command.js';
import { confine } from './confined.js';
import { toolLabel, type ClaudeEvent, type ToolUse } from './events.js';
import { allowedToolFor } from './evidence.js';
import { CLAUDE_HOME, keepTranscript, parentFile, PROJECTS, removeTranscript, sessionIdOf } from './sessions.js';
import { ClaudeStream } from './stream.js';
import { TurnTally } from './tally.js';

/** The Claude Code settings of the config. */
export interface ClaudeSettings {
  readonly claudeProfile: ClaudeProfile;
  /** Arguments that are passed to Claude Code unchanged. */
  readonly claudeArgs: readonly string[];
  /** Tools that Claude Code may use without permission prompts. */
  readonly allowedTools: readonly string[];
}

/** Runs the `claude` on PATH. */
export class ClaudeBackend implements Backend {
  readonly usesAccounts = true;
  readonly asksForResults = true;

  constructor(private readonly settings: ClaudeSettings) {}

  sessionId(attemptId: string): string {
    return sessionIdOf(attemptId);
  }

  async confine(request: ConfineRequest): Promise<Confined> {
    return await confine(request);
  }

  async command(request: BackendRequest): Promise<BackendCommand> {
    const { sessionId, session, permissions, effort, budgetUsd, schema } = request;
    const { allowedTools, claudeProfile, claudeArgs: extraArgs } = this.settings;
    await requireHome(CLAUDE_HOME, { env: request.env, name: PROJECTS });
    const model = await modelFlag(request.model, request);
    const resume = session === undefined ? undefined : await parentOf(session, request);
    const turn = { sessionId, permissions, allowedTools, profile: claudeProfile, extraArgs };
    const args = claudeArgs({ ...turn, ...defined({ model, effort, budgetUsd, resume, schema }) });
    // A newline first: Claude Code would run a prompt that begins with a slash as a command.
    return { command: 'claude', args, stdin: `\n${request.prompt}` };
  }

  reader(onLine?: (line: string, isEvent: boolean) => void): ClaudeReader {
    return new ClaudeReader(onLine);
  }

  async keep(id: string, { env, cwd, artifacts }: KeepContext): Promise<Session> {
    return await keepTranscript(artifacts, { id, home: env, cwd });
  }

  async discard(id: string, { env, cwd }: BackendContext): Promise<void> {
    await removeTranscript(id, { home: env, cwd });
  }
}

async function parentOf(session: Session, { artifacts, temporaryFolder }: BackendRequest): Promise<string> {
  return await parentFile(artifacts, { session, folder: await temporaryFolder() });
}

/** Parses the stream of one Claude Code process. */
export class ClaudeReader implements OutputReader {
  private readonly stream: ClaudeStream;
  private readonly tally = new TurnTally();

  constructor(onLine?: (line: string, isEvent: boolean) => void) {
    this.stream = new ClaudeStream(undefined, onLine);
  }

  push(chunk: Uint8Array): readonly BackendEvent[] {
    return this.take(this.stream.push(chunk));
  }

  end(): readonly BackendEvent[] {
    return this.take(this.stream.end());
  }

  get text(): string {
    return this.tally.output().text;
  }

  get structured(): unknown {
    return this.tally.output().last?.structured;
  }

  get costUsd(): number {
    return this.tally.output().costUsd;
  }

  get spending(): readonly ModelSpending[] {
    return this.tally.spending();
  }

  get warnings(): readonly string[] {
    return this.tally.output().denials.map(denialWarning);
  }

  judge({ redact, ...ended }: EndedProcess): BackendVerdict {
    const turn = { ...ended, output: this.tally.output() };
    if (classify(turn).kind === 'answered') return { kind: 'answered' };
    // Again for the message, which may cut a credential in two.
    const verdict = classify(redact(turn));
    if (verdict.kind === 'answered') return verdict;
    const resetsAt = verdict.kind === 'usage-limit' ? verdict.resetsAt : undefined;
    return { kind: 'failed', type: failureOf(verdict), message: verdict.message, ...defined({ resetsAt }) };
  }

  private take(events: readonly ClaudeEvent[]): readonly BackendEvent[] {
    return events.map((event) => {
      this.tally.add(event);
      return shownAs(event);
    });
  }
}

function shownAs(event: ClaudeEvent): BackendEvent {
  switch (event.kind) {
    case 'said':
      return { kind: 'said', text: asLines(event.text), tools: event.tools.map(toolLabel) };
    case 'api-retry': {
      const status = event.status === undefined ? '' : ` (${event.status})`;
      return { kind: 'retries', text: `the model service has a temporary error${status}; Claude retries` };
    }
    case 'result':
      return { kind: 'answered' };
    default:
      return { kind: 'alive' };
  }
}

/** Each message is an event: the next one starts on its own line. */
function asLines(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}

function denialWarning(denial: ToolUse): string {
  const what = denial.detail === undefined ? denial.tool : `${denial.tool} ${denial.detail.slice(0, 120)}`;
  return `Claude was denied ${what}; to permit it, add "${allowedToolFor(denial)}" to allowed_tools in the config`;
}

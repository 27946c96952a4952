// Claude Code as a backend: its command line, its stream read to an answer, the judgement on its end, its conversations as files.
import type { Session } from '../../protocol/machine/agent.js';
import { defined } from '../../protocol/text.js';
import type {
  Backend,
  BackendCommand,
  BackendEvent,
  BackendPlace,
  BackendRequest,
  BackendVerdict,
  EndedProcess,
  KeepingPlace,
  ModelSpending,
  OutputReader,
} from '../backend.js';
import { requireHome } from '../home.js';
import { classify, failureOf } from './classify.js';
import { claudeArgs, modelFlag, type ClaudeProfile } from './command.js';
import { toolLabel, type ClaudeEvent, type ToolUse } from './events.js';
import { allowedToolFor } from './evidence.js';
import { CLAUDE_HOME, keepTranscript, parentFile, PROJECTS, removeTranscript, sessionIdOf } from './sessions.js';
import { ClaudeStream } from './stream.js';
import { TurnTally } from './tally.js';

/** How Claude Code is called; from the config. */
export interface ClaudeSettings {
  readonly claudeProfile: ClaudeProfile;
  /** Arguments passed on to Claude Code as they are. */
  readonly claudeArgs: readonly string[];
  /** Tools that Claude Code may use without asking. */
  readonly allowedTools: readonly string[];
}

/** Runs the `claude` of the PATH. */
export class ClaudeBackend implements Backend {
  readonly usesAccounts = true;

  constructor(private readonly settings: ClaudeSettings) {}

  sessionId(attemptId: string): string {
    return sessionIdOf(attemptId);
  }

  async command(request: BackendRequest): Promise<BackendCommand> {
    const { sessionId, session, permissions, effort, budgetUsd } = request;
    const { allowedTools, claudeProfile, claudeArgs: extraArgs } = this.settings;
    await requireHome(CLAUDE_HOME, { env: request.env, name: PROJECTS });
    const model = await modelFlag(request.model, request);
    const resume = session === undefined ? undefined : await parentOf(session, request);
    const turn = { sessionId, permissions, allowedTools, profile: claudeProfile, extraArgs };
    const args = claudeArgs({ ...turn, ...defined({ model, effort, budgetUsd, resume }) });
    // A newline first: a prompt that begins with a slash must not be taken for a command (claude-cli.md §0).
    return { command: 'claude', args, stdin: `\n${request.prompt}` };
  }

  reader(onLine?: (line: string, isEvent: boolean) => void): ClaudeReader {
    return new ClaudeReader(onLine);
  }

  async keep(id: string, { env, cwd, artifacts }: KeepingPlace): Promise<Session> {
    return await keepTranscript(artifacts, { id, home: env, cwd });
  }

  async discard(id: string, { env, cwd }: BackendPlace): Promise<void> {
    await removeTranscript(id, { home: env, cwd });
  }
}

async function parentOf(session: Session, { artifacts, temporaryFolder }: BackendRequest): Promise<string> {
  return await parentFile(artifacts, { session, folder: await temporaryFolder() });
}

/** Reads the stream of one Claude Code process. */
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
    // Once more for the message, which may cut a credential in two.
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
      return { kind: 'said', text: event.text, tools: event.tools.map(toolLabel) };
    case 'api-retry': {
      const status = event.status === undefined ? '' : ` (${event.status})`;
      return { kind: 'retries', text: `the model service has trouble${status}; Claude tries again` };
    }
    case 'result':
      return { kind: 'answered' };
    default:
      return { kind: 'alive' };
  }
}

function denialWarning(denial: ToolUse): string {
  const what = denial.detail === undefined ? denial.tool : `${denial.tool} ${denial.detail.slice(0, 120)}`;
  return `Claude was denied ${what}; to permit it put "${allowedToolFor(denial)}" into allowed_tools of the config`;
}

// Live events of a run's turns from its engine: starts of turns, their output, and warnings. Ends of turns come from
// Temporal.
import { request, type ClientRequest, type IncomingMessage } from 'node:http';
import { createInterface } from 'node:readline';
import type { Progress } from '../../contract/turns.js';
import { engineStatus, engineToken } from '../../engine/record.js';

interface EngineEventOptions {
  readonly raymondDir: string;
  readonly runId: string;
  readonly onProgress: (progress: Progress) => void;
}

const AGAIN_MS = 500;

/** Delivers events until the returned function is called; finds the next engine when one ends. */
export function followEngineEvents(options: EngineEventOptions): () => void {
  const progress = new EngineEvents(options);
  void progress.follow();
  return () => progress.close();
}

class EngineEvents {
  private call: ClientRequest | undefined;
  private timer: NodeJS.Timeout | undefined;
  private isClosed = false;

  constructor(private readonly options: EngineEventOptions) {}

  async follow(): Promise<void> {
    const { raymondDir, runId } = this.options;
    const status = engineStatus(raymondDir);
    const origin = status.kind === 'running' ? status.engine.origin : undefined;
    const token = await engineToken(raymondDir);
    if (this.isClosed) return;
    if (origin === undefined || token === undefined) return this.again();
    const url = `${origin}/api/events?runs=${encodeURIComponent(runId)}`;
    const call = request(url, { agent: false, headers: { authorization: `Bearer ${token}` } }, (answer) => {
      if (answer.statusCode === 200) this.read(answer);
      else answer.resume().once('close', () => this.again());
    });
    this.call = call;
    // Turns that ended without the view are shown, too.
    call.once('error', () => this.again());
    call.end();
  }

  close(): void {
    this.isClosed = true;
    clearTimeout(this.timer);
    this.call?.destroy();
  }

  private again(): void {
    if (this.isClosed) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.follow(), AGAIN_MS).unref();
  }

  private read(answer: IncomingMessage): void {
    answer.once('close', () => this.again()).on('error', () => undefined); // The stream closes then.
    const lines = createInterface({ input: answer }).on('error', () => undefined);
    lines.on('line', (line) => {
      const progress = line.startsWith('data: ') ? progressIn(line.slice('data: '.length)) : undefined;
      if (progress !== undefined && !this.isClosed) this.options.onProgress(progress);
    });
  }
}

interface TurnEvent {
  readonly type: string;
  readonly runId: string;
  readonly agentId: string;
  readonly state: string;
  readonly turn: number;
  readonly attempt: number;
  readonly text?: string;
}

/** Undefined for an event that is not about a turn in progress. */
function progressIn(data: string): Progress | undefined {
  const { type, runId, agentId, state, turn, attempt, text = '' } = JSON.parse(data) as TurnEvent;
  const of = { runId, agentId, state, turn, attempt };
  if (type === 'turn.started') return { ...of, kind: 'started' };
  return type === 'said' || type === 'printed' || type === 'warned'
    ? { ...of, kind: type, text: text.replace(/\n$/, '') }
    : undefined;
}

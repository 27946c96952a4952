// What the turns of a run do right now, as its engine tells it: the beginnings of turns, what they say, and warnings. How they ended stands in Temporal.
import { request, type ClientRequest, type IncomingMessage } from 'node:http';
import { createInterface } from 'node:readline';
import type { Progress } from '../../activities/types.js';
import { engineStatus, engineToken } from '../../engine/record.js';

/** Whose news, and who hears them. */
interface NewsOptions {
  readonly raymondDir: string;
  readonly runId: string;
  readonly take: (news: Progress) => void;
}

const AGAIN_MS = 500;

/** Tells the news until it is ended by what it gives; an engine that ends is looked for again. */
export function followNews(options: NewsOptions): () => void {
  const news = new EngineNews(options);
  void news.follow();
  return () => news.close();
}

class EngineNews {
  private call: ClientRequest | undefined;
  private timer: NodeJS.Timeout | undefined;
  private isClosed = false;

  constructor(private readonly options: NewsOptions) {}

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
    // The view shows turns that have ended without it, too.
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
    answer.once('close', () => this.again()).on('error', () => undefined); // it closes then
    const lines = createInterface({ input: answer }).on('error', () => undefined);
    lines.on('line', (line) => {
      const news = line.startsWith('data: ') ? newsIn(line.slice('data: '.length)) : undefined;
      if (news !== undefined && !this.isClosed) this.options.take(news);
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

/** Undefined for an event that says nothing of what a turn does right now. */
function newsIn(data: string): Progress | undefined {
  const { type, runId, agentId, state, turn, attempt, text = '' } = JSON.parse(data) as TurnEvent;
  const of = { runId, agentId, state, turn, attempt };
  if (type === 'turn.started') return { ...of, kind: 'started' };
  return type === 'said' || type === 'printed' || type === 'warned'
    ? { ...of, kind: type, text: text.replace(/\n$/, '') }
    : undefined;
}

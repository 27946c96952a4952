// Listening to one Claude process: its stream folded, its words told to the live view, and the moment when it has said enough.
// Must not judge the turn.
import { point } from '../../host/faults.js';
import { Spoken } from '../spoken.js';
import type { Turn } from '../turn.js';
import type { ClaudeEvent } from '../../backends/claude/events.js';
import { TurnTally, type TurnOutput } from '../../backends/claude/tally.js';
import { ClaudeStream } from '../../backends/claude/stream.js';

/** Takes the process's stdout; `enough` resolves when it lives on for `graceMs` after its result. */
export class Listener {
  readonly enough: Promise<void>;
  private readonly stream: ClaudeStream;
  private readonly tally = new TurnTally();
  private readonly spoken: Spoken;
  private timer: NodeJS.Timeout | undefined;
  private ring: () => void = () => undefined;

  constructor(
    private readonly turn: Turn,
    private readonly graceMs: number,
  ) {
    this.stream = new ClaudeStream(undefined, turn.debug?.prompt());
    this.spoken = new Spoken(turn);
    this.enough = new Promise((resolve) => (this.ring = resolve));
  }

  hear(chunk: Uint8Array): void {
    for (const event of this.stream.push(chunk)) this.take(event);
  }

  /** What the turn came to; no output may follow. */
  finish(): TurnOutput {
    for (const event of this.stream.end()) this.take(event);
    clearTimeout(this.timer);
    return this.tally.output();
  }

  private take(event: ClaudeEvent): void {
    if (event.kind === 'result') point('result-heard');
    this.tally.add(event);
    if (event.kind === 'result') this.timer ??= setTimeout(this.ring, this.graceMs).unref();
    // Whatever follows a result shows that the process is not idle yet.
    else this.timer?.refresh();
    this.tell(event);
  }

  private tell(event: ClaudeEvent): void {
    if (event.kind === 'said') {
      if (event.text !== '') this.spoken.words(event.text);
      const tools = event.tools.map(({ tool, detail }) => `[${tool}${detail === undefined ? '' : ` ${detail}`}]`);
      if (tools.length > 0) this.turn.tell({ kind: 'said', text: tools.join('\n') });
    } else if (event.kind === 'api-retry') {
      this.turn.tell({
        kind: 'said',
        text: `the model service has trouble${event.status === undefined ? '' : ` (${event.status})`}; Claude tries again`,
      });
    }
  }
}

// Answering a question where it is shown: a line below the table on a terminal, typed into while the run goes on. Keys are read only while
// a question is open, so that the terminal is otherwise as everybody expects it.
import { emitKeypressEvents, type Key } from 'node:readline';
import type { ReadStream } from 'node:tty';
import stringWidth from 'string-width';
import { shortened } from './format.js';

/** A question that may be answered. */
export interface OpenQuestion {
  readonly askId: string;
  readonly agentId: string;
}

/** What the line needs of its surroundings. */
export interface AnswerLineOptions {
  readonly stdin: ReadStream;
  /** Sends an answer; what it throws is shown, and the words stay. */
  readonly send: (question: OpenQuestion, text: string) => Promise<void>;
  readonly note: (line: string) => void;
  /** Something has changed that is to be drawn. */
  readonly draw: () => void;
  /** Ctrl-C, which a terminal in raw mode does not turn into a signal. */
  readonly interrupt: () => void;
}

/** The line of one view. */
export class AnswerLine {
  private questions: readonly OpenQuestion[] = [];
  private readonly answered = new Set<string>();
  private chosen = 0;
  private words = '';
  private sending = false;
  private reading = false;

  constructor(private readonly options: AnswerLineOptions) {}

  /** The questions that are open now. */
  update(questions: readonly OpenQuestion[]): void {
    const current = this.current?.askId;
    this.questions = questions.filter(({ askId }) => !this.answered.has(askId));
    this.chosen = Math.max(
      0,
      this.questions.findIndex(({ askId }) => askId === current),
    );
    if (this.questions.length > 0) this.open();
    else this.close();
  }

  /** The line, or nothing when there is no question. */
  text(width: number): string {
    const { current, words } = this;
    if (current === undefined) return '';
    const more = this.questions.length > 1 ? ` (Tab: ${this.questions.length - 1} more)` : '';
    const head = `answer ${shortened(current.agentId, 24)}${more}> `;
    const room = Math.max(8, width - stringWidth(head) - 2);
    // The end of a long answer is what is being typed.
    const tail = Array.from(words).slice(-room).join('');
    return `${head}${tail}▏`;
  }

  /** Gives the terminal back. */
  close(): void {
    const { stdin } = this.options;
    if (!this.reading) return;
    this.reading = false;
    stdin.off('keypress', this.press);
    stdin.setRawMode(false);
    stdin.pause();
  }

  private get current(): OpenQuestion | undefined {
    return this.questions[this.chosen];
  }

  private open(): void {
    const { stdin } = this.options;
    if (this.reading) return;
    this.reading = true;
    emitKeypressEvents(stdin);
    stdin.setRawMode(true);
    stdin.on('keypress', this.press);
    stdin.resume();
  }

  private readonly press = (text: string | undefined, key: Key): void => {
    if (key.ctrl === true && key.name === 'c') return this.options.interrupt();
    if (this.sending) return;
    if (key.name === 'return' || key.name === 'enter') void this.send();
    else if (key.name === 'tab') this.chosen = (this.chosen + 1) % Math.max(1, this.questions.length);
    else if (key.name === 'backspace') this.words = Array.from(this.words).slice(0, -1).join('');
    else if (key.ctrl === true && key.name === 'u') this.words = '';
    else if (text !== undefined && key.ctrl !== true && key.meta !== true && !/\p{C}/u.test(text)) this.words += text;
    this.options.draw();
  };

  private async send(): Promise<void> {
    const { current, words, options } = this;
    if (current === undefined || words.trim() === '') return;
    this.sending = true;
    try {
      await options.send(current, words);
      this.answered.add(current.askId);
      this.words = '';
      options.note(`answered ${current.askId}`);
    } catch (error) {
      options.note(error instanceof Error ? error.message : String(error));
    } finally {
      this.sending = false;
      this.update(this.questions);
      options.draw();
    }
  }
}

// Answers a question in the live view: an input line below the table on a terminal, while the run continues. Keys are
// read only while a question is open, so that the terminal otherwise behaves as usual.
import { emitKeypressEvents, type Key } from 'node:readline';
import type { ReadStream } from 'node:tty';
import stringWidth from 'string-width';
import { messageOf } from '../../protocol/text.js';
import { shortened } from './columns.js';

/** A question that may be answered. */
export interface OpenQuestion {
  readonly askId: string;
  readonly agentId: string;
}

/** What the line needs from its view. */
export interface AnswerLineOptions {
  readonly stdin: ReadStream;
  /** Sends an answer; an error is shown, and the text stays. */
  readonly send: (question: OpenQuestion, text: string) => Promise<void>;
  readonly note: (line: string) => void;
  /** The display must be redrawn. */
  readonly draw: () => void;
  /** Ctrl-C, which a terminal in raw mode does not turn into a signal. */
  readonly interrupt: () => void;
}

/** The line of one view. */
export class AnswerLine {
  private questions: readonly OpenQuestion[] = [];
  private readonly answered = new Set<string>();
  /**
   * The question that Enter answers; undefined when the text was typed for a question that is gone: only the user may
   * choose again.
   */
  private chosen: OpenQuestion | undefined;
  private words = '';
  private sending = false;
  private reading = false;

  constructor(private readonly options: AnswerLineOptions) {}

  /** The questions that are open now. */
  update(questions: readonly OpenQuestion[]): void {
    this.questions = questions.filter(({ askId }) => !this.answered.has(askId));
    // An answer that is being sent keeps its question, even if that has closed.
    if (!this.sending) this.choose();
    if (this.questions.length > 0) this.open();
    else this.close();
  }

  /** True when this line sent the answer. */
  hasAnswered(askId: string): boolean {
    return this.answered.has(askId);
  }

  /** The line, or nothing when there is no question. */
  text(width: number): string {
    if (this.questions.length === 0) return '';
    const head = `${this.head}> `;
    const room = Math.max(8, width - stringWidth(head) - 2);
    // The end of a long answer is where the user types.
    const tail = Array.from(this.words).slice(-room).join('');
    return `${head}${tail}▏`;
  }

  private get head(): string {
    const { chosen, questions } = this;
    if (chosen === undefined) return `not sent (Tab: choose a question, ${questions.length} open)`;
    const more = questions.length > 1 ? ` (Tab: ${questions.length - 1} more)` : '';
    return `answer ${shortened(chosen.agentId, 24)}${more}`;
  }

  /** Restores the terminal. */
  close(): void {
    const { stdin } = this.options;
    if (!this.reading) return;
    this.reading = false;
    stdin.off('keypress', this.press);
    stdin.setRawMode(false);
    stdin.pause();
  }

  /** Keeps the chosen question while it is open. An answer is final, so text for one question never goes to another. */
  private choose(): void {
    const { chosen, questions, words } = this;
    const open = questions.find(({ askId }) => askId === chosen?.askId);
    if (chosen !== undefined && open === undefined && words !== '') this.options.note(notSent(chosen, words));
    this.chosen = open ?? (words === '' ? questions[0] : undefined);
  }

  private chooseNext(): void {
    const { questions, chosen } = this;
    const index = questions.findIndex(({ askId }) => askId === chosen?.askId);
    this.chosen = questions[(index + 1) % Math.max(1, questions.length)];
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
    else if (key.name === 'tab') this.chooseNext();
    else if (key.name === 'backspace') this.words = Array.from(this.words).slice(0, -1).join('');
    else if (key.ctrl === true && key.name === 'u') this.words = '';
    else if (text !== undefined && key.ctrl !== true && key.meta !== true && !/\p{C}/u.test(text)) this.words += text;
    if (this.chosen === undefined) this.choose();
    this.options.draw();
  };

  private async send(): Promise<void> {
    const { chosen, words, options } = this;
    if (chosen === undefined || words.trim() === '') return;
    this.sending = true;
    try {
      await options.send(chosen, words);
      this.answered.add(chosen.askId);
      this.words = '';
      options.note(`answered ${chosen.askId}`);
    } catch (error) {
      options.note(messageOf(error));
    } finally {
      this.sending = false;
      this.update(this.questions);
      options.draw();
    }
  }
}

function notSent({ askId, agentId }: OpenQuestion, words: string): string {
  return `${askId} of ${agentId} is no longer open; your text was not sent: ${words}`;
}

// The line in which questions are answered: an answer is final, so what was typed for one question must never reach another.
import { PassThrough } from 'node:stream';
import type { ReadStream } from 'node:tty';
import { beforeEach, expect, test } from '@jest/globals';
import { AnswerLine, type OpenQuestion } from '../../../src/cli/view/answer-line.js';

const ONE: OpenQuestion = { askId: 'ask_main_1', agentId: 'main' };
const OTHER: OpenQuestion = { askId: 'ask_main_work1_1', agentId: 'main_work1' };

let sent: (readonly [askId: string, text: string])[];
let notes: string[];
let keys: PassThrough;
let line: AnswerLine;
/** What the next answer waits for. */
let sending: Promise<void>;
beforeEach(() => {
  [sent, notes, sending] = [[], [], Promise.resolve()];
  keys = Object.assign(new PassThrough(), { setRawMode: () => undefined });
  line = new AnswerLine({
    stdin: keys as unknown as ReadStream,
    send: ({ askId }, text) => {
      sent.push([askId, text]);
      return sending;
    },
    note: (text) => void notes.push(text),
    draw: () => undefined,
    interrupt: () => undefined,
  });
});

/** Types, as a terminal would; resolves when the line has had it and whatever it sent was taken. */
async function type(text: string): Promise<void> {
  keys.write(text);
  await new Promise((resolve) => setImmediate(resolve));
}

test('what was typed for a question that goes away is shown, kept, and not sent to another', async () => {
  line.update([ONE, OTHER]);
  await type('delete it');
  line.update([OTHER]);
  expect(notes).toEqual(['ask_main_1 of main is no longer open; your text was not sent: delete it']);
  expect(line.text(80)).toBe('not sent (Tab: choose a question, 1 open)> delete it▏');
  await type('\r');
  expect(sent).toEqual([]);
});

test('it goes to the question that the user chooses then', async () => {
  line.update([ONE, OTHER]);
  await type('yes');
  line.update([OTHER]);
  await type('\t');
  expect(line.text(80)).toBe('answer main_work1> yes▏');
  await type('\r');
  expect(sent).toEqual([[OTHER.askId, 'yes']]);
  expect(notes.at(-1)).toBe('answered ask_main_work1_1');
});

test('it does not go to a question that comes later, either', async () => {
  line.update([ONE]);
  await type('yes');
  line.update([]);
  expect(line.text(80)).toBe('');
  line.update([OTHER]);
  await type('\r');
  expect(sent).toEqual([]);
  expect(line.text(80)).toBe('not sent (Tab: choose a question, 1 open)> yes▏');
});

test('without any text the next question is chosen at once, also when the text is deleted', async () => {
  line.update([ONE, OTHER]);
  line.update([OTHER]);
  expect(line.text(80)).toBe('answer main_work1> ▏');
  await type('no');
  line.update([ONE]);
  await type('\u007f\u007f');
  expect(line.text(80)).toBe('answer main> ▏');
  expect(notes).toHaveLength(1);
});

test('an answer that is on its way is not called unsent when its question closes', async () => {
  let taken = (): void => undefined;
  sending = new Promise((resolve) => (taken = resolve));
  line.update([ONE, OTHER]);
  await type('yes\r');
  line.update([OTHER]);
  taken();
  await type('');
  expect(notes).toEqual(['answered ask_main_1']);
  expect(line.text(80)).toBe('answer main_work1> ▏');
});

test('an answer that is refused stays with its question', async () => {
  sending = Promise.reject(new Error('the answer was refused'));
  line.update([ONE, OTHER]);
  await type('yes\r');
  expect(notes).toEqual(['the answer was refused']);
  expect(line.text(80)).toBe('answer main (Tab: 1 more)> yes▏');
});

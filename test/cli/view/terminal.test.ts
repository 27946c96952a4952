// What is written for terminals: when lines can be redrawn, and the title that a followed run gives them.
import { describe, expect, test } from '@jest/globals';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { isTerminal, lookOf, TerminalTitle, titleOf } from '../../../src/cli/view/terminal.js';

const stderr = Object.assign(new PassThrough(), { isTTY: true, columns: 60 });

test.each([
  [{}, true],
  [{ TERM: 'xterm-256color' }, true],
  [{ NO_COLOR: '1', TERM: 'xterm' }, true],
  [{ TERM: 'dumb' }, false],
])('with %j lines can be redrawn: %s', (env, drawn) => {
  expect(isTerminal({ env, stderr })).toBe(drawn);
  expect(isTerminal({ env, stderr: new PassThrough() })).toBe(false);
});

test('a terminal is as wide as it says, and shows what its locale can', () => {
  expect(lookOf({ env: { LANG: 'C' }, stderr })).toMatchObject({ width: 60, unicode: false });
  expect(lookOf({ env: { LANG: 'de_DE.UTF-8' }, stderr: new PassThrough() })).toMatchObject({
    width: 80,
    unicode: true,
  });
});

describe('the title', () => {
  test.each([
    [[], 'raymond r'],
    [['running', 'queued', 'running', 'asking', 'completed'], 'raymond r: 3 running, 1 asks'],
    [['asking', 'asking', 'paused', 'lost', 'failed', 'sleeping'], 'raymond r: 2 ask, 1 paused, 2 failed, 1 waiting'],
  ])('counts %j', (statuses, title) => {
    expect(titleOf('r', statuses)).toBe(title);
  });

  test('is written when it changes, and the old one is given back', async () => {
    const stream = new PassThrough();
    const title = new TerminalTitle(stream);
    for (const words of ['one', 'one', 'two']) title.show(words);
    title.restore();
    title.restore();
    stream.end();
    expect(await text(stream)).toBe('\u001b[22;2t\u001b]2;one\u0007\u001b]2;two\u0007\u001b]2;\u0007\u001b[23;2t');
  });
});

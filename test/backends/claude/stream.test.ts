// Pure unit tests of the stream parser: every chunking, all bytes, bounded memory.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { ClaudeEvent } from '../../../src/backends/claude/events.js';
import { parseLine, ClaudeStream } from '../../../src/backends/claude/stream.js';
import { LineSplitter } from '../../../src/backends/lines.js';
import { anyText } from '../../support/any-text.js';

function read(
  bytes: Uint8Array,
  sizes: readonly number[],
  limit?: number,
): { events: readonly ClaudeEvent[]; junk: readonly string[] } {
  const junk: string[] = [];
  const stream = new ClaudeStream(limit, (line, isEvent) => void (isEvent || junk.push(line)));
  const events: ClaudeEvent[] = [];
  let at = 0;
  for (const size of sizes) events.push(...stream.push(bytes.subarray(at, (at += size))));
  events.push(...stream.push(bytes.subarray(at)), ...stream.end());
  return { events, junk };
}

const assistant = (text: string): string =>
  JSON.stringify({ type: 'assistant', message: { content: [{ type: 'text', text }] } });

describe('lines', () => {
  test('the same lines come out of any chunking, characters whole', () => {
    const line = anyText().map((text) => text.replaceAll('\n', ''));
    fc.assert(
      fc.property(fc.array(line), fc.array(fc.nat(7)), (lines, sizes) => {
        const bytes = Buffer.from(lines.map((one) => `${one}\n`).join(''));
        const splitter = new LineSplitter();
        const out: string[] = [];
        let at = 0;
        for (const size of sizes) out.push(...splitter.push(bytes.subarray(at, (at += size))));
        out.push(...splitter.push(bytes.subarray(at)), ...splitter.end());
        expect(out).toEqual(lines.map((one) => Buffer.from(one).toString('utf8')));
      }),
    );
  });

  test('a last line without a newline counts', () => {
    expect(read(Buffer.from(`${assistant('a')}\n${assistant('b')}`), [3]).events).toHaveLength(2);
  });

  test('a line up to the limit is kept, a longer one skipped, and reading continues', () => {
    const lines = [assistant('x'.repeat(200)), assistant('short')];
    const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
    for (const sizes of [[], Array.from({ length: bytes.length }, () => 1)]) {
      const exact = read(bytes, sizes, lines[0]?.length);
      expect(exact.events).toHaveLength(2);
      const { events } = read(bytes, sizes, 150);
      expect(events).toMatchObject([{ kind: 'said', text: 'short' }]);
    }
  });

  test('a line of many megabytes is read', () => {
    const text = 'x'.repeat(20 * 1024 * 1024);
    expect(read(Buffer.from(`${assistant(text)}\n`), [1000, 5_000_000]).events).toMatchObject([{ kind: 'said', text }]);
  });

  test('a skipped line keeps no memory of it', () => {
    const splitter = new LineSplitter(10);
    for (let chunk = 0; chunk < 1000; chunk += 1) splitter.push(Buffer.alloc(1000, 'x'));
    expect(JSON.stringify(splitter).length).toBeLessThan(200);
    expect([...splitter.push(Buffer.from('\nok\n'))]).toEqual(['ok']);
  });
});

describe('junk', () => {
  test.each(['not json', '[1]', '"text"', 'null', '12', '{"no":"type"}', '{"type":7}', '{"type":"result"'])(
    '%s is skipped, and told as no event',
    (line) => {
      const { events, junk } = read(Buffer.from(`${line}\n${assistant('after')}\n\n  \n`), []);
      expect(events).toMatchObject([{ kind: 'said', text: 'after' }]);
      expect(junk).toEqual([line]);
    },
  );

  test('bytes that are no UTF-8 do no harm', () => {
    const bytes = Buffer.concat([Buffer.from([0xff, 0xfe, 0x0a]), Buffer.from(assistant('after'))]);
    expect(read(bytes, []).events).toMatchObject([{ kind: 'said', text: 'after' }]);
  });

  test('no JSON of whatever shape throws', () => {
    const type = fc.constantFrom('result', 'assistant', 'user', 'system', 'stream_event', 'rate_limit_event', 'new');
    const keys = fc.constantFrom(
      'message',
      'result',
      'is_error',
      'usage',
      'model_usage_since_last_result',
      'permission_denials',
      'event',
      'errors',
    );
    const fields = fc.dictionary(keys, fc.jsonValue());
    fc.assert(
      fc.property(type, fc.constantFrom('init', 'success', undefined), fields, (name, subtype, rest) => {
        const events = parseLine(JSON.stringify({ ...rest, type: name, subtype }));
        expect(events?.length).toBeGreaterThan(0);
      }),
    );
  });
});

// The book of the limiter: who gets a place, in which order, and that no limit is ever exceeded.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { LeaseTable, parseKeys, type LeaseRequest } from '../../src/protocol/leases.js';

function request(name: string, keys: readonly string[] = ['db'], priority = 3): LeaseRequest {
  return { holder: { workflowId: name, runId: `${name}-1` }, requestId: `${name}?`, keys, priority };
}

/** A book with these requests, in this order. */
function bookOf(limits: Readonly<Record<string, number>>, ...requests: readonly LeaseRequest[]): LeaseTable {
  const book = new LeaseTable({ limits });
  for (const one of requests) book.ask(one);
  return book;
}

const granted = (book: LeaseTable): readonly string[] => book.grant(0).map(({ holder }) => holder.workflowId);

describe('a limit', () => {
  test('lets so many in, the others when a place is free, in their order', () => {
    const book = bookOf({ db: 2 }, request('a'), request('b'), request('c'), request('d'));
    expect(granted(book)).toEqual(['a', 'b']);
    expect(granted(book)).toEqual([]);
    expect(book.uses()).toEqual([{ key: 'db', size: 2, used: 2, waiting: 2 }]);
    book.release(request('b'));
    expect(granted(book)).toEqual(['c']);
  });

  test('serves the more urgent first', () => {
    const book = bookOf({ db: 1 }, request('a', ['db'], 5), request('b'), request('c', ['db'], 1));
    expect(granted(book)).toEqual(['c']);
    book.release(request('c'));
    expect(granted(book)).toEqual(['b']);
  });

  test('of several keys grants all or none, and nobody who came later passes by', () => {
    const book = bookOf({ db: 1, gpu: 1 }, request('a'), request('b', ['db', 'gpu']), request('c', ['gpu']));
    expect(granted(book)).toEqual(['a']);
    book.release(request('a'));
    expect(granted(book)).toEqual(['b']);
    book.release(request('b'));
    expect(granted(book)).toEqual(['c']);
  });

  test('that is raised lets more in, and one that is gone lets all in', () => {
    const book = bookOf({ db: 1 }, request('a'), request('b'), request('c'), request('d'));
    granted(book);
    book.limits = { db: 2 };
    expect(granted(book)).toEqual(['b']);
    book.limits = {};
    expect(granted(book)).toEqual(['c', 'd']);
  });
});

describe('an agent', () => {
  test('that asks again keeps its place in the line, under its new request', () => {
    const book = bookOf({ db: 1 }, request('a'), request('b'), request('c'));
    granted(book);
    const again = { ...request('b'), requestId: 'again' };
    book.ask(again);
    book.release(request('a'));
    expect(book.grant(0)).toEqual([again]);
  });

  test('that asks again for what it has, has it again before all others', () => {
    const book = bookOf({ db: 1 }, request('a'), request('b'));
    granted(book);
    const again = { ...request('a'), requestId: 'again' };
    book.ask(again);
    expect(book.grant(0)).toEqual([again]);
    expect([book.holds(request('a')), book.holds(again)]).toEqual([false, true]);
    book.release(request('a'));
    expect(granted(book)).toEqual([]);
  });

  test('of another execution is another user', () => {
    const resumed = { ...request('a'), holder: { workflowId: 'a', runId: 'a-2' } };
    const book = bookOf({ db: 1 }, request('a'), resumed);
    expect(book.grant(0)).toEqual([request('a')]);
    expect(book.grant(0)).toEqual([]);
  });
});

test('a line of more than 1,000 takes nobody in, so that the book stays small', () => {
  const book = bookOf({ db: 0 }, ...Array.from({ length: 1200 }, (_, n) => request(`a${n}`)));
  expect(book.uses()).toEqual([{ key: 'db', size: 0, used: 0, waiting: 1000 }]);
});

test('whatever is asked and released, and however often the book travels: no limit is exceeded, and nobody is forgotten', () => {
  const limits = { db: 1, gpu: 2 };
  const step = fc.record({
    what: fc.constantFrom('ask', 'ask', 'release', 'grant', 'travel'),
    who: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
    keys: fc.subarray(['db', 'gpu'], { minLength: 1 }),
    priority: fc.integer({ min: 1, max: 5 }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      let book = new LeaseTable({ limits });
      for (const { what, who, keys, priority } of steps) {
        if (what === 'ask') book.ask(request(who, keys, priority));
        else if (what === 'release') book.release(request(who));
        else if (what === 'grant') book.grant(0);
        else book = new LeaseTable(book.snapshot());
        for (const { size, used } of book.uses()) expect(used).toBeLessThanOrEqual(size);
      }
      for (let round = 0; !book.isEmpty; round += 1) {
        expect(round).toBeLessThan(20);
        book.grant(0);
        for (const lease of book.snapshot().held) book.release(lease);
      }
    }),
  );
});

test.each([
  ['opus', ['opus']],
  ['opus, repo:payments,opus', ['opus', 'repo:payments']],
  ['', undefined],
  ['two words', undefined],
  ['a,,b', undefined],
])('the keys in "%s"', (text, keys) => {
  expect(parseKeys(text)).toEqual(keys);
});

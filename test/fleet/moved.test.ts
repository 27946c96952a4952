import { expect, test } from '@jest/globals';
import type { Fault } from './faults.js';
import type { Strike } from './monkey.js';
import { movesIn } from './moved.js';
import type { Noted } from './notes.js';

test('a turn that its host took along begins again elsewhere', () => {
  const notes = [note('B', { turn: 3, at: 1 }), note('B', { turn: 3, at: 17, host: 'h2' })];
  expect(movesIn(notes, [off(2)])).toEqual({ elsewhere: [15], there: [] });
});

test('a turn that had ended unheard is followed by the next one', () => {
  const notes = [note('B', { turn: 3, at: 1 }), note('B', { turn: 4, at: 9, host: 'h2' })];
  expect(movesIn(notes, [off(2)]).elsewhere).toEqual([7]);
});

test('a host that is back continues by itself', () => {
  const notes = [note('B', { turn: 3, at: 1 }), note('B', { turn: 3, at: 30 })];
  expect(movesIn(notes, [off(2)])).toEqual({ elsewhere: [], there: [28] });
});

test('a turn that has ended is not counted', () => {
  const notes = [
    note('B', { turn: 3, at: 1 }),
    note('E', { turn: 3, at: 2 }),
    note('B', { turn: 4, at: 30, host: 'h2' }),
  ];
  expect(movesIn(notes, [off(3)])).toEqual({ elsewhere: [], there: [] });
});

test('a turn that an earlier power-off has ended is counted once', () => {
  const notes = [note('B', { turn: 3, at: 1 }), note('B', { turn: 3, at: 40, host: 'h2' })];
  expect(movesIn(notes, [off(2), off(20)]).elsewhere).toEqual([38]);
});

test('a turn that had started again before the power-off is not counted for where it began first', () => {
  const notes = [
    note('B', { turn: 3, at: 1 }),
    note('B', { turn: 3, at: 40, host: 'h2' }),
    note('B', { turn: 9, at: 500, host: 'h3' }),
  ];
  expect(movesIn(notes, [off(100)]).elsewhere).toEqual([]);
});

test('a turn whose worker was killed before is not counted', () => {
  const notes = [note('B', { turn: 3, at: 1 }), note('B', { turn: 3, at: 40, host: 'h2' })];
  expect(movesIn(notes, [strike('worker killed', 2), off(3)]).elsewhere).toEqual([]);
});

function note(kind: Noted['kind'], { at, ...rest }: { turn: number; at: number; host?: string }): Noted {
  const { turn, host = 'h1' } = rest;
  return { kind, agent: 'main', attempt: `${host}-${turn}`, state: 'A', pid: 1, usd: 0, turn, host, at: at * 1000 };
}

function strike(fault: Fault, at: number): Strike {
  return { fault, host: 'h1', at: at * 1000, seconds: 1 };
}

function off(at: number): Strike {
  return strike('power off', at);
}

// Which transitions a chain of script turns goes through, and where it ends.
import { describe, expect, test } from '@jest/globals';
import type { AgentState, Frame } from '../../../src/protocol/machine/agent.js';
import { CHAIN_LIMITS, mayChain, nextInChain, turnPart } from '../../../src/protocol/machine/chain.js';
import { MAX_STACK } from '../../../src/protocol/machine/step.js';
import type { Transition } from '../../../src/protocol/machine/transition.js';

const SCOPE = { kind: 'directory', path: '/flows/f' } as const;
const OTHER = { kind: 'directory', path: '/flows/g' } as const;
const FRAME: Frame = { state: 'BACK.sh', scope: SCOPE, cwd: '/caller' };
const AGENT: AgentState = {
  id: 'main',
  scope: SCOPE,
  state: 'A.sh',
  via: 'start',
  cwd: '/work',
  home: '/home',
  stack: [FRAME],
  attributes: {},
  forks: 0,
  turn: 7,
};
const frames = (count: number): AgentState => ({ ...AGENT, stack: Array.from({ length: count }, () => FRAME) });

describe('a chain continues', () => {
  const cases: readonly [string, Transition, string][] = [
    ['goto', { kind: 'goto', target: 'B.sh' }, 'B.sh'],
    ['reset', { kind: 'reset', target: 'B.sh', cd: '/other' }, 'B.sh'],
    ['call', { kind: 'call', target: 'B.sh', return: 'C.md' }, 'B.sh'],
    ['function', { kind: 'function', target: 'B.sh', return: 'C.md' }, 'B.sh'],
    ['a result to a caller', { kind: 'result', payload: 'x' }, 'BACK.sh'],
    ['a called workflow', { kind: 'call-workflow', scope: OTHER, target: 'G.sh', return: 'C.sh' }, 'G.sh'],
  ];
  test.each(cases)('through %s', (_name, transition, state) => {
    expect(nextInChain(AGENT, transition)).toMatchObject({ state, turn: 7 });
  });
});

describe('a chain ends', () => {
  const cases: readonly [string, AgentState, Transition][] = [
    ['before a prompt', AGENT, { kind: 'goto', target: 'B.md' }],
    [
      'before a caller that is a prompt',
      { ...AGENT, stack: [{ ...FRAME, state: 'P.md' }] },
      { kind: 'result', payload: 'x' },
    ],
    ['with a result that ends the agent', frames(0), { kind: 'result', payload: 'x' }],
    ['at a delay', AGENT, { kind: 'goto', target: 'B.sh', delayMs: 1 }],
    ['at a fork', AGENT, { kind: 'fork', forks: [{ target: 'W.sh', attributes: {} }], next: 'B.sh' }],
    ['at a question', AGENT, { kind: 'ask', prompt: 'yes?', next: 'B.sh' }],
    ['where it awaits agents', AGENT, { kind: 'await', next: 'B.sh' }],
    [
      'where the stack is too long to travel',
      frames(CHAIN_LIMITS.frames),
      { kind: 'call', target: 'B.sh', return: 'C.sh' },
    ],
    ['where the stack is full', frames(MAX_STACK), { kind: 'call', target: 'B.sh', return: 'C.sh' }],
  ];
  test.each(cases)('%s', (_name, agent, transition) => {
    expect(nextInChain(agent, transition)).toBeUndefined();
  });

  test('for an agent with files of its own', () => {
    const workspace = { owner: 'main', path: '/ws' } as unknown as NonNullable<AgentState['workspace']>;
    expect(nextInChain({ ...AGENT, workspace }, { kind: 'goto', target: 'B.sh' })).toBeUndefined();
  });
});

test('the first turn of an agent is no part of a chain', () => {
  expect([mayChain({ ...AGENT, turn: 0 }), mayChain(AGENT)]).toEqual([false, true]);
});

test('a turn is given its record without the stack, and who its result goes back to', () => {
  const { stack: _stack, ...agent } = AGENT;
  expect(turnPart(AGENT)).toEqual({ agent, returnsTo: 'BACK.sh' });
  expect(turnPart(frames(0))).toEqual({ agent });
});

// Transitions into other workflows, task folders, and waits, as steps.
import { describe, expect, test } from '@jest/globals';
import type { Scope } from '../../../src/protocol/scope.js';
import type { AgentState } from '../../../src/protocol/machine/agent.js';
import { applyTransition, renumbered } from '../../../src/protocol/machine/step.js';
import type { Transition } from '../../../src/protocol/machine/transition.js';
import { agentState } from '../../workflows/run/ledgers.js';

const OTHER: Scope = { kind: 'zip', path: '/flows/other.zip' };
const agent: AgentState = {
  ...agentState('main'),
  cwd: '/work',
  session: { id: 's1', sha256: 'aa' },
  pending: { value: 'x', returning: false },
  attributes: { item: '1' },
};
const settled: AgentState = { ...agentState('main'), cwd: '/work', session: { id: 's1', sha256: 'aa' } };
const { session: _session, ...fresh } = settled;

function next(from: AgentState, transition: Transition): AgentState {
  return applyTransition(from, transition).agent;
}

describe('other workflows', () => {
  const frame = { state: 'BACK.md', scope: agent.scope, cwd: '/work', session: agent.session };

  test('call-workflow continues in the conversation, one deeper', () => {
    expect(next(agent, { kind: 'call-workflow', scope: OTHER, target: 'START.md', return: 'BACK.md' })).toEqual({
      ...settled,
      scope: OTHER,
      state: 'START.md',
      via: 'call-workflow',
      stack: [frame],
      depth: 1,
    });
  });

  test('function-workflow starts fresh in its directory, and result restores everything', () => {
    const inside = next(agent, {
      kind: 'function-workflow',
      scope: OTHER,
      target: 'START.md',
      return: 'BACK.md',
      cd: '/else',
      input: 'i',
    });
    expect(inside).toEqual({
      ...fresh,
      scope: OTHER,
      state: 'START.md',
      via: 'function-workflow',
      cwd: '/else',
      pending: { value: 'i', returning: false },
      stack: [frame],
      depth: 1,
    });
    expect(next(inside, { kind: 'result', payload: 'r' })).toEqual({
      ...settled,
      state: 'BACK.md',
      via: 'result',
      pending: { value: 'r', returning: true },
    });
  });

  test('reset-workflow forgets the stack, the conversation and the depth', () => {
    const deep = next(agent, { kind: 'call-workflow', scope: OTHER, target: 'START.md', return: 'BACK.md' });
    expect(next(deep, { kind: 'reset-workflow', scope: agent.scope, target: 'A.md' })).toEqual({
      ...fresh,
      state: 'A.md',
      via: 'reset-workflow',
    });
  });

  test('a worker in another workflow stays where its parent is, as deep as it', () => {
    const step = applyTransition(
      { ...agent, depth: 2 },
      {
        kind: 'fork',
        next: 'ON.md',
        forks: [
          { target: 'START.md', workflow: { scope: OTHER, abbreviation: 'other' }, attributes: {} },
          { target: 'WORKER.md', attributes: {} },
        ],
      },
    );
    expect(step.kind === 'fork' && step.agents).toEqual([
      {
        agent: {
          ...agentState('main_other1'),
          scope: OTHER,
          state: 'START.md',
          via: 'fork-workflow',
          cwd: '/work',
          depth: 2,
        },
        number: 1,
      },
      { agent: { ...agentState('main_worker2'), state: 'WORKER.md', via: 'fork' }, number: 2 },
    ]);
  });

  test('an agent whose id was used gets another number', () => {
    const agent = { ...agentState('main_x19'), state: 'X1.md' };
    expect(renumbered({ agent, number: 9 }, 10)).toEqual({ agent: { ...agent, id: 'main_x110' }, number: 10 });
  });
});

describe('task folders', () => {
  test('reset with task="new" counts on, and a call restores the folder of its caller', () => {
    const second = next(agent, { kind: 'reset', target: 'A.md', task: 'new' });
    expect(second).toMatchObject({ task: 'main_task1', tasks: 1 });
    const inside = next(second, { kind: 'function', target: 'F.md', return: 'B.md' });
    const third = next(inside, { kind: 'reset', target: 'G.md', task: 'new' });
    expect(third).toMatchObject({ task: 'main_task2', tasks: 2 });
    expect(next(third, { kind: 'result', payload: '' })).toMatchObject({ task: 'main_task1', tasks: 2 });
  });

  test('a frame from before the first new folder restores the agent’s own', () => {
    const inside = next(agent, { kind: 'function', target: 'F.md', return: 'B.md' });
    const moved = next(inside, { kind: 'reset', target: 'G.md', task: 'new' });
    expect(next(moved, { kind: 'result', payload: '' })).not.toHaveProperty('task');
  });

  test.each([
    ['inherit', { task: 'main' }],
    ['new', {}],
  ] as const)('a worker with task="%s"', (task, expected) => {
    const step = applyTransition(agent, {
      kind: 'fork',
      next: 'A.md',
      forks: [{ target: 'W.md', task, attributes: {} }],
    });
    const worker = step.kind === 'fork' ? step.agents[0]?.agent : undefined;
    expect({ ...(worker?.task === undefined ? {} : { task: worker.task }) }).toEqual(expected);
  });
});

describe('waits', () => {
  test('a delayed goto has its next state already', () => {
    expect(applyTransition(agent, { kind: 'goto', target: 'B.md', delayMs: 500, input: 'v' })).toEqual({
      kind: 'wait',
      agent: { ...settled, state: 'B.md', via: 'goto', pending: { value: 'v', returning: false } },
      wait: { kind: 'delay', ms: 500 },
    });
  });

  test('a question keeps the conversation and says where it leads', () => {
    expect(applyTransition({ ...agent, turn: 7 }, { kind: 'ask', prompt: '?', next: 'B.md' })).toEqual({
      kind: 'wait',
      agent: { ...settled, turn: 7 },
      wait: { kind: 'ask', id: 'ask_main_7', question: { prompt: '?', next: 'B.md' } },
    });
  });

  test('await waits for forked agents', () => {
    expect(applyTransition(agent, { kind: 'await', next: 'B.md' })).toMatchObject({
      kind: 'wait',
      wait: { kind: 'await', next: 'B.md' },
    });
  });
});

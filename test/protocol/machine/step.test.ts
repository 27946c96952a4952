// The stack machine: a table of every transition in every situation.
import { describe, expect, test } from '@jest/globals';
import type { AgentState, Frame, Session } from '../../../src/protocol/machine/agent.js';
import { applyTransition, forkedAgents, staggered, type Step } from '../../../src/protocol/machine/step.js';
import type { Fork, Transition } from '../../../src/protocol/machine/transition.js';

const S1: Session = { id: 's1', sha256: 'a1' };
const S2: Session = { id: 's2', sha256: 'a2' };
const SCOPE = { kind: 'directory', path: '/flows/f' } as const;
const CALLERS: Frame = {
  state: 'BACK.md',
  scope: { kind: 'directory', path: '/flows/other' },
  cwd: '/caller',
  session: S2,
};
const BARE: Frame = { state: 'BARE.sh', scope: SCOPE, cwd: '/bare' };

const AGENT: AgentState = {
  id: 'main',
  scope: SCOPE,
  state: 'A.md',
  via: 'start',
  cwd: '/work',
  home: '/home',
  stack: [],
  attributes: { item: '1' },
  forks: 2,
  turn: 7,
};

/** What every agent is in all cases that the table runs through. */
const CASES = [[], [BARE], [BARE, CALLERS]].flatMap((stack) =>
  [undefined, S1].flatMap((session) =>
    [undefined, { value: 'old', returning: true }].map((pending): AgentState => ({
      ...AGENT,
      stack,
      ...(session === undefined ? {} : { session }),
      ...(pending === undefined ? {} : { pending }),
    })),
  ),
);
const named = CASES.map(
  (agent) =>
    [
      `${agent.stack.length} frames, ${agent.session ? 'a session' : 'no session'}, ${agent.pending ? 'a value' : 'nothing'} pending`,
      agent,
    ] as const,
);

function continued(step: Step): AgentState {
  if (step.kind !== 'continue') throw new Error(`expected the agent to continue, not ${step.kind}`);
  return step.agent;
}

/** The record with what may be absent shown as undefined, so that a test can name it. */
function facts({ session, pending, ...agent }: AgentState): object {
  return { ...agent, session, pending };
}

describe.each(named)('an agent with %s', (_title, agent) => {
  const kept = { ...AGENT, stack: agent.stack, attributes: {}, pending: undefined };
  const frame: Frame = {
    state: 'R.md',
    scope: SCOPE,
    cwd: '/work',
    ...(agent.session === undefined ? {} : { session: agent.session }),
  };

  test('goto keeps session and stack', () => {
    const next = continued(applyTransition(agent, { kind: 'goto', target: 'B.md' }));
    expect(facts(next)).toEqual({ ...kept, state: 'B.md', via: 'goto', session: agent.session });
  });

  test('reset drops the session and keeps stack and directory', () => {
    const next = continued(applyTransition(agent, { kind: 'reset', target: 'B.md' }));
    expect(facts(next)).toEqual({ ...kept, state: 'B.md', via: 'reset', session: undefined });
  });

  test('reset with cd moves', () => {
    const next = continued(applyTransition(agent, { kind: 'reset', target: 'B.md', cd: '/new' }));
    expect(facts(next)).toEqual({ ...kept, state: 'B.md', via: 'reset', cwd: '/new', session: undefined });
  });

  test('call keeps the caller’s session as head and in the frame', () => {
    const next = continued(applyTransition(agent, { kind: 'call', target: 'B.md', return: 'R.md' }));
    expect(facts(next)).toEqual({
      ...kept,
      state: 'B.md',
      via: 'call',
      session: agent.session,
      stack: [...agent.stack, frame],
    });
  });

  test('function starts afresh and keeps the caller’s session in the frame', () => {
    const next = continued(applyTransition(agent, { kind: 'function', target: 'B.md', return: 'R.md' }));
    expect(facts(next)).toEqual({
      ...kept,
      state: 'B.md',
      via: 'function',
      session: undefined,
      stack: [...agent.stack, frame],
    });
  });

  test.each<Transition>([
    { kind: 'goto', target: 'B.md', input: 'x' },
    { kind: 'reset', target: 'B.md', input: '' },
    { kind: 'call', target: 'B.md', return: 'R.md', input: { sha256: 'f', bytes: 99_999 } },
    { kind: 'function', target: 'B.md', return: 'R.md', input: 'x' },
  ])('the input of $kind is pending, not as a return', (transition) => {
    const { pending } = continued(applyTransition(agent, transition));
    expect(pending).toEqual({ value: 'input' in transition ? transition.input : undefined, returning: false });
  });

  test.each<Transition>([
    { kind: 'goto', target: 'B.md', attributes: { n: '1' } },
    { kind: 'reset', target: 'B.md', attributes: { n: '1' } },
    { kind: 'call', target: 'B.md', return: 'R.md', attributes: { n: '1' } },
    { kind: 'function', target: 'B.md', return: 'R.md', attributes: { n: '1' } },
  ])('the attributes of $kind are bound in the next state only', (transition) => {
    const next = continued(applyTransition(agent, transition));
    expect(next.attributes).toEqual({ n: '1' });
    expect(continued(applyTransition(next, { kind: 'goto', target: 'C.md' })).attributes).toEqual({});
  });

  test('result gives the value to the last frame, or ends', () => {
    const step = applyTransition(agent, { kind: 'result', payload: 'done' });
    const last = agent.stack.at(-1);
    if (last === undefined) {
      expect(step).toMatchObject({ kind: 'end', payload: 'done', agent: { state: 'A.md', turn: 7 } });
      return;
    }
    expect(facts(continued(step))).toEqual({
      ...kept,
      state: last.state,
      via: 'result',
      scope: last.scope,
      cwd: last.cwd,
      session: last.session,
      stack: agent.stack.slice(0, -1),
      pending: { value: 'done', returning: true },
    });
  });

  test('fork starts workers with nothing of the parent but scope and home', () => {
    const workers: readonly Fork[] = [
      { target: 'WORKER.md', attributes: { item: 'x' }, input: 'i', cd: '/w' },
      { target: 'lint.sh', attributes: {} },
    ];
    const step = applyTransition(agent, { kind: 'fork', forks: workers, next: 'N.md' });
    const blank = { scope: SCOPE, via: 'fork', home: '/home', stack: [], forks: 0, turn: 0 };
    expect(step).toEqual({
      kind: 'fork',
      agent: {
        ...AGENT,
        state: 'N.md',
        via: 'fork',
        stack: agent.stack,
        attributes: {},
        forks: 4,
        ...(agent.session === undefined ? {} : { session: agent.session }),
      },
      agents: [
        {
          agent: {
            ...blank,
            id: 'main_worker3',
            state: 'WORKER.md',
            cwd: '/w',
            attributes: { item: 'x' },
            pending: { value: 'i', returning: false },
          },
          number: 3,
          about: '{"item":"x"}',
        },
        { agent: { ...blank, id: 'main_lint4', state: 'lint.sh', cwd: '/home', attributes: {} }, number: 4 },
      ],
    });
  });

  test('a fork beside a goto with a delay waits after it has started its agents', () => {
    const forks: readonly Fork[] = [{ target: 'WORKER.md', attributes: {} }];
    expect(applyTransition(agent, { kind: 'fork', forks, next: 'N.md', delayMs: 5000 })).toMatchObject({
      kind: 'fork',
      wait: { kind: 'delay', ms: 5000 },
    });
  });

  test('a fork with the context of its parent begins with the conversation, one without begins afresh', () => {
    const [branch, fresh] = forkedAgents(
      { ...AGENT, session: S1 },
      {
        forks: [
          { target: 'W.md', attributes: {}, context: 'branch' },
          { target: 'W.md', attributes: {} },
        ],
        first: 1,
      },
    );
    expect(branch?.agent.session).toEqual(S1);
    expect(fresh?.agent).not.toHaveProperty('session');
  });

  test('the first agent that continues the conversation with a prompt is ahead of the other such agents only', () => {
    const forks = ['P.md', 'S.sh', 'Q.md'].flatMap((target) => [
      { target, attributes: {} },
      { target, attributes: {}, context: 'branch' } as const,
    ]);
    const agents = forkedAgents({ ...AGENT, session: S1 }, { forks: [...forks, ...forks], first: 1 });
    const held = staggered(agents, 1000).filter(({ agent }) => agent.hold !== undefined);
    expect(held.map(({ number, agent }) => [number, agent.hold])).toEqual(
      [6, 8, 12].map((number) => [number, { kind: 'delay', until: 6000 }]),
    );
  });

  test('forks that travel in pages are counted, and numbered from where the agent stands', () => {
    const more = { count: 250, page: 'a page' };
    const step = applyTransition(agent, { kind: 'fork', forks: [], more, next: 'N.md' });
    expect(step).toMatchObject({ kind: 'fork', agents: [], more, agent: { forks: agent.forks + 250 } });
    const forks = [{ target: 'W.md', attributes: { item: 'x' }, storedAttributes: 'kept' }];
    const [first] = forkedAgents(agent, { forks, first: agent.forks + 101 });
    expect(first).toMatchObject({
      agent: { id: `main_w${agent.forks + 101}` },
      number: agent.forks + 101,
      about: 'kept',
    });
  });

  test('an input beside forks is pending for the forking agent', () => {
    const step = applyTransition(agent, {
      kind: 'fork',
      forks: [{ target: 'W.md', attributes: {} }],
      next: 'N.md',
      input: 'x',
    });
    expect(step).toMatchObject({ agent: { pending: { value: 'x', returning: false } } });
    expect(step.kind === 'fork' && step.agents[0]?.agent).not.toHaveProperty('pending');
  });

  test('the record that was given is not touched', () => {
    const before = JSON.stringify(agent);
    for (const kind of ['goto', 'reset'] as const) applyTransition(agent, { kind, target: 'B.md', input: 'x' });
    for (const kind of ['call', 'function'] as const) applyTransition(agent, { kind, target: 'B.md', return: 'R.md' });
    applyTransition(agent, { kind: 'fork', forks: [{ target: 'W', attributes: {} }], next: 'N.md' });
    applyTransition(agent, { kind: 'result', payload: 'x' });
    expect(JSON.stringify(agent)).toBe(before);
  });
});

describe('a judge', () => {
  const judging = (proposed: Transition): Transition => ({
    kind: 'function',
    target: 'JUDGE.md',
    return: 'A.md',
    judging: { proposed, tag: '<tag>', output: 'all' },
  });
  const before: AgentState = { ...AGENT, session: S1, stack: [CALLERS], cwd: '/there' };
  const judge = (proposed: Transition): AgentState => continued(applyTransition(before, judging(proposed)));
  const next: Transition = { kind: 'goto', target: 'NEXT.md', input: 'x' };

  test('begins without the conversation of the state that it decides about', () => {
    const { state, via, session, stack } = judge(next);
    expect({ state, via, session }).toEqual({ state: 'JUDGE.md', via: 'evaluate', session: undefined });
    expect(stack).toHaveLength(2);
  });

  const proposals: readonly Transition[] = [
    next,
    { kind: 'result', payload: 'done' },
    { kind: 'reset', target: 'NEXT.md', cd: '/new' },
    { kind: 'call', target: 'NEXT.md', return: 'A.md' },
    { kind: 'ask', prompt: 'Go on?', next: 'NEXT.md' },
    { kind: 'await', next: 'NEXT.md' },
    { kind: 'goto', target: 'NEXT.md', delayMs: 5 },
    { kind: 'fork', forks: [{ target: 'W.md', context: 'branch', attributes: {} }], next: 'NEXT.md' },
  ];
  const kept: Transition = { kind: 'result', payload: 'keep' };
  const after: AgentState = { ...before, via: 'result', turn: 9 };
  const decided = (agent: AgentState): AgentState => ({ ...agent, session: S2, cwd: '/elsewhere', turn: 9 });

  test.each(proposals.map((proposed) => [proposed.kind, proposed] as const))(
    'that keeps a %s leaves the agent as that transition does',
    (_kind, proposed) => {
      expect(applyTransition(decided(judge(proposed)), kept)).toEqual(applyTransition(after, proposed));
    },
  );

  test.each(proposals.map((verdict) => [verdict.kind, verdict] as const))(
    'that decides on a %s leaves the agent as if its turn had ended so',
    (_kind, verdict) => {
      expect(applyTransition(decided(judge(next)), { kind: 'result', payload: '…', verdict })).toEqual(
        applyTransition(after, verdict),
      );
    },
  );
});

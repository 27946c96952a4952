// Random programs of transitions against a model of the stack machine that was written independently.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { AgentState, Session } from '../../../src/protocol/machine/agent.js';
import { applyTransition, type Step } from '../../../src/protocol/machine/step.js';
import type { Fork, Transition } from '../../../src/protocol/machine/transition.js';
import type { Value } from '../../../src/protocol/text.js';
import { attributes as anyAttributes } from '../language/arbitraries.js';

/** The transitions of random programs: those without a wait, within one workflow. */
type Basic = Extract<Transition, { kind: 'goto' | 'reset' | 'call' | 'function' | 'fork' | 'result' }>;

/** A turn of a random program: `session` is the new head when the state was a prompt. */
interface Turn {
  readonly session?: Session;
  readonly transition: Basic;
  /** True: everything is lost but the record in JSON. */
  readonly restart: boolean;
}

/** The same machine, written the plain way: one mutable record and a list that is pushed and popped. */
class Model {
  at = { state: 'A.md', session: 'none', cwd: '/work', scope: '/flows/f' };
  input = 'none';
  variables: Record<string, string> = {};
  forked = 0;
  spawned: string[] = [];
  result: string | undefined;
  private readonly callers: (typeof this.at)[] = [];

  turn({ session, transition: t }: Turn): void {
    if (session !== undefined) this.at.session = session.id;
    this.variables = {};
    this.input = 'none';
    if (t.kind === 'result') {
      const back = this.callers.pop();
      if (back === undefined) this.result = JSON.stringify(t.payload);
      else [this.at, this.input] = [back, `returned ${JSON.stringify(t.payload)}`];
      return;
    }
    if (t.input !== undefined) this.input = `given ${JSON.stringify(t.input)}`;
    if (t.kind === 'fork') {
      for (const worker of t.forks) this.spawn(worker);
      this.at.state = t.next;
      return;
    }
    if (t.kind === 'call' || t.kind === 'function') this.callers.push({ ...this.at, state: t.return });
    if (t.kind === 'function' || t.kind === 'reset') this.at.session = 'none';
    if (t.kind === 'reset' && t.cd !== undefined) this.at.cwd = t.cd;
    this.at.state = t.target;
  }

  private spawn({ target, cd, input, attributes }: Fork): void {
    this.forked += 1;
    const id = `main_${target
      .slice(0, target.length - 3)
      .slice(0, 6)
      .toLowerCase()}${this.forked}`;
    this.spawned.push(JSON.stringify([id, target, cd ?? '/home', input ?? 'none', attributes]));
  }

  get depth(): number {
    return this.callers.length;
  }
}

function observed(agent: AgentState): object {
  const { pending } = agent;
  const input = pending && `${pending.returning ? 'returned' : 'given'} ${JSON.stringify(pending.value)}`;
  return {
    at: { state: agent.state, session: agent.session?.id ?? 'none', cwd: agent.cwd, scope: agent.scope.path },
    input: input ?? 'none',
    variables: agent.attributes,
    forked: agent.forks,
    depth: agent.stack.length,
  };
}

const state = fc.constantFrom('A.md', 'B.md', 'LONGNAME.sh', 'c_1.md');
const value: fc.Arbitrary<Value> = fc.oneof(
  fc.string({ maxLength: 5 }),
  fc.record({ sha256: fc.constantFrom('f00', 'ba4'), bytes: fc.nat() }),
);
const maybe = <T>(of: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(of, { nil: undefined });
const cd = maybe(fc.constantFrom('/x', '/y'));
const worker = fc.record({ target: state, input: maybe(value), cd, attributes: anyAttributes });
const transition = fc.oneof(
  fc.record({ kind: fc.constant('goto'), target: state, input: maybe(value) }),
  fc.record({ kind: fc.constant('reset'), target: state, input: maybe(value), cd }),
  fc.record({ kind: fc.constantFrom('call', 'function'), target: state, return: state, input: maybe(value) }),
  fc.record({
    kind: fc.constant('fork'),
    forks: fc.array(worker, { minLength: 1, maxLength: 3 }),
    next: state,
    input: maybe(value),
  }),
  fc.record({ kind: fc.constant('result'), payload: value }),
);
const session = maybe(fc.record({ id: fc.constantFrom('s1', 's2', 's3'), sha256: fc.constant('h') }));
const program = fc
  .array(fc.record({ session, transition, restart: fc.boolean() }), { maxLength: 40 })
  // JSON drops what is undefined, as every real transition was through JSON.
  .map((turns) => JSON.parse(JSON.stringify(turns)) as readonly Turn[]);

const START: AgentState = {
  id: 'main',
  scope: { kind: 'directory', path: '/flows/f' },
  state: 'A.md',
  via: 'start',
  cwd: '/work',
  home: '/home',
  stack: [],
  attributes: {},
  forks: 0,
  turn: 0,
};

function afterTurn(agent: AgentState, { session: head }: Turn): AgentState {
  return { ...agent, turn: agent.turn + 1, ...(head === undefined ? {} : { session: head }) };
}

/** Runs a program to its end; gives every step. */
function run(turns: readonly Turn[], restarts: boolean): readonly Step[] {
  const steps: Step[] = [];
  let agent = START;
  for (const turn of turns) {
    if (restarts && turn.restart) agent = JSON.parse(JSON.stringify(agent)) as AgentState;
    const step = applyTransition(afterTurn(agent, turn), turn.transition);
    steps.push(step);
    if (step.kind === 'end') break;
    agent = step.agent;
  }
  return steps;
}

describe('a random program', () => {
  test('does what the model does', () => {
    fc.assert(
      fc.property(program, (turns) => {
        const model = new Model();
        const spawned: string[] = [];
        run(turns, false).forEach((step, index) => {
          const turn = turns[index];
          if (turn === undefined) throw new Error('more steps than turns');
          model.turn(turn);
          if (step.kind === 'fork') {
            spawned.push(
              ...step.agents.map(({ agent: w }) =>
                JSON.stringify([w.id, w.state, w.cwd, w.pending?.value ?? 'none', w.attributes]),
              ),
            );
          }
          if (step.kind === 'end') {
            expect(JSON.stringify(step.payload)).toBe(model.result);
            return;
          }
          const { at, input, variables, forked, depth } = model;
          expect(observed(step.agent)).toEqual({ at, input, variables, forked, depth });
          expect(step.agent.turn).toBe(index + 1);
          expect(spawned).toEqual(model.spawned);
        });
      }),
      { numRuns: 1000 },
    );
  });

  test('ends in the same place however it is cut by restarts', () => {
    fc.assert(
      fc.property(program, (turns) => {
        expect(run(turns, true)).toStrictEqual(run(turns, false));
      }),
      { numRuns: 500 },
    );
  });
});

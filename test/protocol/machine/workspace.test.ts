// Where agents work: pure rules on records.
import { expect, test } from '@jest/globals';
import type { AgentState } from '../../../src/protocol/machine/agent.js';
import { applyTransition, renumbered } from '../../../src/protocol/machine/step.js';
import { branchOf, inOwnWorkspace, inWorkspaceOf, withFiles } from '../../../src/protocol/machine/workspace.js';

const PATH = '/srv/ws/run/main';
const agent: AgentState = {
  id: 'main',
  scope: { kind: 'directory', path: '/flow' },
  state: 'A.sh',
  via: 'start',
  cwd: `${PATH}/sub/deep`,
  home: `${PATH}/sub`,
  workspace: {
    owner: 'main',
    path: PATH,
    place: { host: 'a', queue: 'q@a', generation: 2 },
    snapshot: { commit: 'c', chain: 'd' },
  },
  stack: [{ state: 'B.sh', scope: { kind: 'directory', path: '/flow' }, cwd: `${PATH}/other` }],
  attributes: {},
  forks: 0,
  turn: 3,
};

function forkOf(fork: { readonly own?: { readonly branch?: string }; readonly cd?: string }): AgentState {
  const step = applyTransition(agent, {
    kind: 'fork',
    forks: [{ target: 'W.sh', attributes: {}, ...fork }],
    next: 'A.sh',
  });
  if (step.kind !== 'fork') throw new Error(step.kind);
  return step.agents[0]!.agent;
}

test("a fork is where the run began, in its parent's workspace", () => {
  expect(forkOf({})).toMatchObject({ cwd: `${PATH}/sub`, workspace: agent.workspace });
});

test("a fork of its own has no place yet, begins with its parent's files, and works in the same folder of them", () => {
  const { cwd, home, workspace } = forkOf({ own: { branch: 'feature' } });
  expect({ cwd, home }).toEqual({ cwd: '/srv/ws/run/main_w1/sub', home: '/srv/ws/run/main_w1/sub' });
  expect(workspace).toEqual({
    owner: 'main_w1',
    path: '/srv/ws/run/main_w1',
    inherited: true,
    snapshot: { commit: 'c', chain: 'd' },
    branch: 'feature',
  });
});

test('another number is another workspace', () => {
  const { agent: other } = renumbered({ agent: forkOf({ own: {} }), number: 1 }, 12);
  expect(other).toMatchObject({ id: 'main_w12', cwd: '/srv/ws/run/main_w12/sub', workspace: { owner: 'main_w12' } });
  expect(renumbered({ agent: forkOf({}), number: 1 }, 12).agent.workspace).toEqual(agent.workspace);
});

test('its own first snapshot makes what was inherited its own; what could not be kept is named until it is', () => {
  const own = forkOf({ own: {} });
  const snapshot = { commit: 'e', chain: 'f' };
  expect(withFiles(own, { snapshot }).workspace).toEqual({ owner: 'main_w1', path: '/srv/ws/run/main_w1', snapshot });
  const failure = { type: 'SnapshotTooLarge', message: 'too much' } as const;
  const unsaved = withFiles(own, { unsaved: failure });
  expect(unsaved.workspace).toMatchObject({ inherited: true, unsaved: failure, snapshot: { commit: 'c' } });
  expect(withFiles(unsaved, { snapshot }).workspace).toEqual({
    owner: 'main_w1',
    path: '/srv/ws/run/main_w1',
    snapshot,
  });
});

test('in another run every folder of the workspace is one of the new, and other folders stay', () => {
  const moved = inOwnWorkspace({ ...agent, cwd: '/elsewhere' }, 'again');
  expect(moved).toMatchObject({
    cwd: '/elsewhere',
    home: '/srv/ws/again/main/sub',
    stack: [{ cwd: '/srv/ws/again/main/other' }],
  });
  expect(moved.workspace).toEqual({
    owner: 'main',
    path: '/srv/ws/again/main',
    inherited: true,
    snapshot: { commit: 'c', chain: 'd' },
  });
});

test('a run that was planned has its folders where its own name says, and begins there as planned', () => {
  const planned = { ...agent, workspace: { owner: 'main', path: PATH, snapshot: { commit: 'c', chain: 'd' } } };
  const { cwd, home, workspace } = inWorkspaceOf(planned, 'run-01:20Z');
  const path = '/srv/ws/run-01%3A20Z/main';
  expect({ cwd, home, workspace }).toEqual({
    cwd: `${path}/sub/deep`,
    home: `${path}/sub`,
    workspace: { ...planned.workspace, path },
  });
});

test("a branch is the agent's choice, or one that nobody else has", () => {
  expect(branchOf('run', { owner: 'main_w1', path: '/x' })).toBe('raymond/run/main_w1');
  expect(branchOf('run', { owner: 'main_w1', path: '/x', branch: 'feature' })).toBe('feature');
  // A run that a schedule has started has a time in its name; neither branches nor paths take a colon.
  expect(branchOf('n-01:20Z', { owner: 'main', path: '/x' })).toBe('raymond/n-01%3A20Z/main');
  expect(inOwnWorkspace(agent, 'n-01:20Z').workspace?.path).toBe('/srv/ws/n-01%3A20Z/main');
});

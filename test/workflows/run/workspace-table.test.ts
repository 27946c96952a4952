// What a run knows of its workspaces, whatever the order in which agents and hosts tell it.
import { describe, expect, test } from '@jest/globals';
import type { Snapshot, Workspace } from '../../../src/protocol/machine/agent.js';
import { WorkspaceTable } from '../../../src/workflows/run/workspace-table.js';

const snapshot = (generation: number, number: number): Snapshot => ({
  commit: `c${generation}.${number}`,
  chain: 'chain',
  order: { generation, number },
});

/** The workspace of `main` as one of those who share it knows it. */
const shared = (files?: Snapshot, generation = 1): Workspace => ({
  owner: 'main',
  path: '/ws/r/main',
  place: { host: `h${generation}`, queue: `q@h${generation}`, generation },
  ...(files === undefined ? {} : { snapshot: files }),
});

const begun = { commit: 'c0', chain: 'chain' };

describe('snapshots of a workspace that agents share', () => {
  test('that arrive out of order leave the one that was begun last', () => {
    const book = new WorkspaceTable();
    book.use('main', shared(begun));
    book.onSaved({ agentId: 'b', workspace: shared(snapshot(1, 2)) });
    book.onSaved({ agentId: 'a', workspace: shared(snapshot(1, 1)) });
    expect(book.get('main')?.snapshot).toEqual(snapshot(1, 2));
    book.onSaved({ agentId: 'a', workspace: shared(snapshot(1, 3)) });
    expect(book.get('main')?.snapshot).toEqual(snapshot(1, 3));
  });

  test('of a later place are newer than all before', () => {
    const book = new WorkspaceTable();
    book.onSaved({ agentId: 'a', workspace: shared(snapshot(2, 1), 2) });
    book.onSaved({ agentId: 'b', workspace: shared(snapshot(1, 9), 1) });
    expect(book.get('main')).toMatchObject({ snapshot: snapshot(2, 1), place: { generation: 2 } });
  });

  test('are those of the place that the run knows, not of the one that their agent knew', () => {
    const book = new WorkspaceTable();
    book.use('a', shared(snapshot(1, 1), 2));
    book.onSaved({ agentId: 'b', workspace: shared(snapshot(1, 2), 1) });
    expect(book.get('main')).toMatchObject({ snapshot: snapshot(1, 2), place: { generation: 2 } });
  });
});

test('a workspace is forgotten with the last of its agents, also after the run has gone on as new', () => {
  const book = new WorkspaceTable();
  for (const user of ['main', 'a']) book.use(user, shared());
  book.onEnded('main');
  const next = new WorkspaceTable(book.snapshot());
  expect(next.hosts()).toEqual(new Map([['a', 'h1']]));
  expect([next.ownerOf('a'), next.usersOf('main')]).toEqual(['main', ['a']]);
  expect(next.ownerOf('b')).toBeUndefined();
  next.onEnded('a');
  expect(next.snapshot()).toEqual({});
  next.update(shared());
  expect(next.snapshot()).toEqual({});
});

describe('what turns have cost on hosts that their agents have left', () => {
  const on = (host: string, turn = 3): { agentId: string; host: string; turn: number } => ({
    agentId: 'a',
    host,
    turn,
  });
  const told = (host: string, key: string): Parameters<WorkspaceTable['markReported']>[0] => ({
    ...on(host),
    key,
    costUsd: 1,
  });

  test('is named for every host until that has told it, and counts once for each attempt', () => {
    const book = new WorkspaceTable();
    for (const host of ['h1', 'h2', 'h2']) book.addUnreported(on(host));
    expect(book.unreported).toEqual([on('h1'), on('h2')]);
    expect([told('h1', 'x'), told('h1', 'y'), told('h1', 'x')].map((spent) => book.markReported(spent))).toEqual([
      true,
      true,
      false,
    ]);
    expect(new WorkspaceTable(book.snapshot()).unreported).toEqual([on('h2')]);
  });

  test('is not named again when the host was faster than the agent', () => {
    const book = new WorkspaceTable();
    book.markReported(told('h1', 'x'));
    book.addUnreported(on('h1'));
    expect(book.unreported).toEqual([]);
  });

  test('is not named when the agent continues where it was', () => {
    const book = new WorkspaceTable();
    book.addUnreported(on('h1'));
    book.removeUnreported(on('h1'));
    expect(book.snapshot()).toEqual({});
  });
});

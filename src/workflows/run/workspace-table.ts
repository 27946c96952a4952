// The run's table of workspaces: where they are, which agents work in them, their newest
// snapshots, and which costs former hosts still have to report. It sends and receives no messages
// (placements.ts does).
import type { Workspace } from '../../protocol/machine/agent.js';
import { isNewer } from '../../protocol/machine/workspace.js';
import type { UnreportedSpending, LedgerSnapshot, UnreportedTurn, WorkspaceLine } from '../../contract/runs.js';
import type { Spent } from '../messages.js';

/** A repeated report arrives soon after the first one: this many are remembered. */
const REMEMBERED = 200;

interface Line {
  workspace: Workspace;
  readonly users: Set<string>;
}

/** The workspaces of a run. */
export class WorkspaceTable {
  private readonly lines: Map<string, Line>;
  /** The owners of the workspaces in which agents work. */
  private readonly owners = new Map<string, string>();
  private open: readonly UnreportedTurn[];
  private booked: UnreportedSpending['booked'];

  constructor({ workspaces = {}, unreported }: Pick<LedgerSnapshot, 'workspaces' | 'unreported'> = {}) {
    const known = Object.entries(workspaces);
    this.lines = new Map(known.map(([owner, { workspace, users }]) => [owner, { workspace, users: new Set(users) }]));
    for (const [owner, { users }] of known) for (const user of users) this.owners.set(user, owner);
    this.open = unreported?.open ?? [];
    this.booked = unreported?.booked ?? [];
  }

  /** The part that is stored with the ledger. */
  snapshot(): Pick<LedgerSnapshot, 'workspaces' | 'unreported'> {
    const { lines, open, booked } = this;
    const hasUnreported = open.length + booked.length > 0;
    const workspaces = [...lines].map(([owner, { workspace, users }]): [string, WorkspaceLine] => [
      owner,
      { workspace, users: [...users] },
    ]);
    return {
      ...(workspaces.length === 0 ? {} : { workspaces: Object.fromEntries(workspaces) }),
      ...(hasUnreported ? { unreported: { open, booked } } : {}),
    };
  }

  /** The workspace of an owner as the run knows it. */
  get(owner: string): Workspace | undefined {
    return this.lines.get(owner)?.workspace;
  }

  /** The owner of the workspace in which an agent works; undefined while it has none. */
  ownerOf(agentId: string): string | undefined {
    const owner = this.owners.get(agentId) ?? agentId;
    return this.lines.has(owner) ? owner : undefined;
  }

  /**
   * Lists the agent with its workspace, of which it may have newer data than a run that was
   * terminated; returns what the run knows.
   */
  use(agentId: string, workspace: Workspace): Workspace {
    const { owner } = workspace;
    const line = this.lines.get(owner) ?? { workspace, users: new Set<string>() };
    this.lines.set(owner, line);
    line.users.add(agentId);
    this.owners.set(agentId, owner);
    return line.workspace;
  }

  /** An agent that works in this workspace is about to start. */
  join(agentId: string, owner: string): void {
    const line = this.lines.get(owner);
    if (line === undefined) return;
    line.users.add(agentId);
    this.owners.set(agentId, owner);
  }

  /** The agents that work in the workspace of an owner. */
  usersOf(owner: string): readonly string[] {
    return [...(this.lines.get(owner)?.users ?? [])];
  }

  /**
   * The files after a turn. Agents that share a workspace report in any order: the newest files
   * count.
   */
  onSaved({ agentId, workspace }: { readonly agentId: string; readonly workspace: Workspace }): void {
    const { unsaved: _unsaved, ...files } = workspace;
    const { place = files.place, snapshot: known } = this.use(agentId, files);
    const snapshot = isNewer(known, files.snapshot) ? known : files.snapshot;
    this.update({
      ...files,
      ...(snapshot === undefined ? {} : { snapshot }),
      ...(place === undefined ? {} : { place }),
    });
  }

  /**
   * Updates the workspace's host or files; a workspace that no agent uses any more is forgotten.
   */
  update(workspace: Workspace): void {
    const line = this.lines.get(workspace.owner);
    if (line !== undefined) line.workspace = workspace;
  }

  /** An agent has ended; a workspace that no agent uses any more is forgotten. */
  onEnded(agentId: string): void {
    const owner = this.owners.get(agentId);
    if (owner === undefined) return;
    this.owners.delete(agentId);
    const users = this.lines.get(owner)?.users;
    users?.delete(agentId);
    if (users?.size === 0) this.lines.delete(owner);
  }

  /** The host of each agent's workspace. */
  hosts(): ReadonlyMap<string, string> {
    return new Map(
      [...this.lines.values()].flatMap(({ users, workspace: { place } }) =>
        place === undefined ? [] : [...users].map((user) => [user, place.host] as const),
      ),
    );
  }

  /** A prompt turn on a silent host, which may still report its cost. */
  addUnreported(turn: UnreportedTurn): void {
    if (![...this.open, ...this.booked].some((known) => isSame(known, turn))) this.open = [...this.open, turn];
  }

  /** The agent's next turn on that host records the cost. */
  removeUnreported(turn: UnreportedTurn): void {
    this.open = this.open.filter((known) => !isSame(known, turn));
  }

  /** A former host reports what a turn spent; false for a repeated report. */
  markReported({ key, agentId, host, turn }: Spent): boolean {
    this.removeUnreported({ agentId, host, turn });
    if (this.booked.some((known) => known.key === key)) return false;
    this.booked = [...this.booked, { key, agentId, host, turn }].slice(-REMEMBERED);
    return true;
  }

  /** The turns whose cost is not reported yet. */
  get unreported(): readonly UnreportedTurn[] {
    return this.open;
  }
}

function isSame(one: UnreportedTurn, other: UnreportedTurn): boolean {
  return one.agentId === other.agentId && one.host === other.host && one.turn === other.turn;
}

// The workspaces of a run's agents: the record of a working directory that git can bring to another host, and of its
// current host. Pure.
import type { AgentState, Placement, Snapshot, Workspace } from './agent.js';
import type { Failure } from '../failure.js';
import { fileNameOfRun, MAIN_AGENT } from '../ids.js';
import { defined } from '../text.js';

/** The settings of a run's workspaces, fixed at its start. `root` is the same absolute path on every host. */
export interface WorkspaceSettings {
  readonly root: string;
  /** The address of the repository. */
  readonly repo: string;
  /**
   * The commit of the first workspace, which the repository has; absent = the commit of `ref` when the workspace is
   * created.
   */
  readonly commit?: string;
  /** What the user called the commit. */
  readonly ref?: string;
  /** The changes in the start directory that no commit of the repository has. */
  readonly snapshot?: Snapshot;
  /** What happens to an agent whose host is lost. */
  readonly onHostLoss: 'wait' | 'move';
  /** The branch that receives main's workspace when the run completes. */
  readonly outputBranch?: string;
  /** A shell command that a host runs once in every new workspace: dependencies are not in git. */
  readonly prepare?: string;
  /** The seconds without a poll after which a host counts as lost; absent = 75. */
  readonly hostSilenceSeconds?: number;
}

/** A worker polls at least this often: a poll waits a minute in the server. */
export const SILENCE_SECONDS = 75;

/** True for a snapshot that was started after the other one of the same workspace. */
export function isNewer(one: Snapshot | undefined, other: Snapshot | undefined): boolean {
  const [a, b] = [one?.order, other?.order];
  if (a === undefined) return false;
  return b === undefined || a.generation > b.generation || (a.generation === b.generation && a.number > b.number);
}

/** A workspace that was created, and its first commit when the request named none. */
export interface MadeWorkspace extends Placement {
  readonly base?: string;
}

/** A workspace to create, in its `generation`. */
export interface MakeWorkspaceRequest {
  readonly runId: string;
  readonly workspace: Omit<Workspace, 'place'>;
  readonly settings: WorkspaceSettings;
  readonly generation: number;
  /** The host that it leaves, because the host has no room for a turn; absent = any host. */
  readonly avoid?: string;
}

/** A workspace to take a snapshot of. */
export interface SaveRequest {
  readonly runId: string;
  readonly agent: Pick<AgentState, 'id' | 'state'>;
  readonly workspace: Workspace;
  readonly settings: WorkspaceSettings;
}

/** What to push to which branch. */
export interface OutputRequest extends SaveRequest {
  readonly branch: string;
  readonly message: string;
}

/** The first workspace of a run. */
export function firstWorkspace({ root, snapshot }: WorkspaceSettings, runId: string): Workspace {
  const owner = MAIN_AGENT;
  return { owner, path: `${root}/${fileNameOfRun(runId)}/${owner}`, ...(snapshot === undefined ? {} : { snapshot }) };
}

/** The repository's commit that a new workspace started with. */
export function baseOf({ base, path }: Workspace, { commit }: WorkspaceSettings): string {
  const startCommit = base ?? commit;
  if (startCommit === undefined) throw new TypeError(`${path} has no first commit`);
  return startCommit;
}

/** The task queue of one host's worker, for the turns of agents whose files are there. */
export function hostQueue(taskQueue: string, host: string): string {
  return `${taskQueue}@${host}`;
}

/** The part of an agent's record that says where it works. */
type Where = Pick<AgentState, 'cwd' | 'home'> & { readonly workspace?: Workspace };

/**
 * A forked agent's own workspace: it starts with the files of its parent, in the folder where forks of the
 * run begin.
 */
export function ownWorkspace(
  { workspace, home }: Where,
  { id, branch }: { readonly id: string; readonly branch?: string },
): Where {
  if (workspace === undefined) return { cwd: home, home };
  const { place: _there, branch: _theirs, snapshot, ...parent } = workspace;
  const path = `${workspace.path.slice(0, -workspace.owner.length)}${id}`;
  const inside = home.startsWith(`${workspace.path}/`) ? home.slice(workspace.path.length) : '';
  const begin = `${path}${inside}`;
  return {
    cwd: begin,
    home: begin,
    workspace: { ...parent, inherited: true, owner: id, path, ...defined({ snapshot: copied(snapshot), branch }) },
  };
}

/** The owner of the workspace that an agent works in, when that is another agent. */
export function sharedBy({ id, workspace }: AgentState): string | undefined {
  return workspace?.owner === id ? undefined : workspace?.owner;
}

/**
 * The agent without a host: it asks for one before its first turn, so that no move of the workspace comes in between.
 */
export function withoutPlacement(agent: AgentState): AgentState {
  if (agent.workspace === undefined) return agent;
  const { place: _known, ...workspace } = agent.workspace;
  return { ...agent, workspace };
}

/**
 * The default branch of a workspace: unique per agent, whatever other agents work in the
 * repository.
 */
export function branchOf(runId: string, { owner, branch }: Workspace): string {
  return branch ?? `raymond/${fileNameOfRun(runId)}/${owner}`;
}

/** The host of a workspace, a wait for the host (or for the agents `busy` in it), or why there can be none. */
export type PlacementAnswer =
  | { readonly kind: 'placed'; readonly workspace: Workspace }
  | { readonly kind: 'waits'; readonly host: string; readonly lastPollAt?: number; readonly busy?: readonly string[] }
  | { readonly kind: 'failed'; readonly failure: Failure };

/** An operator's order to move an agent's workspace; without `to`, to any host that accepts it. */
export interface Relocation {
  readonly agentId: string;
  readonly to?: string;
  readonly by: string;
}

/** What a turn reports about its files. */
interface WorkspaceFiles {
  readonly snapshot?: Snapshot;
  readonly unsaved?: Failure;
}

/** The same agent with its files after a turn. */
export function withFiles(agent: AgentState, { snapshot, unsaved }: WorkspaceFiles): AgentState {
  if (agent.workspace === undefined || (snapshot === undefined && unsaved === undefined)) return agent;
  const { unsaved: _before, inherited, ...workspace } = agent.workspace;
  const first = snapshot === undefined && inherited === true ? { inherited } : {};
  return { ...agent, workspace: { ...workspace, ...first, ...defined({ snapshot, unsaved }) } };
}

/** The agent as `main` of another run: in a workspace of that run, which starts with the agent's files. */
export function inOwnWorkspace(agent: AgentState, runId: string): AgentState {
  const moved = inWorkspaceOf(agent, runId);
  if (moved.workspace === undefined) return moved;
  const { path, snapshot, base } = moved.workspace;
  const files = defined({ snapshot: copied(snapshot), base });
  return { ...moved, workspace: { owner: MAIN_AGENT, path, inherited: true, ...files } };
}

/** The agent as `main` of a run, with its folders moved to those of that run. */
export function inWorkspaceOf(agent: AgentState, runId: string): AgentState {
  const { workspace } = agent;
  if (workspace === undefined) return agent;
  const root = workspace.path.split('/').slice(0, -2).join('/');
  const path = `${root}/${fileNameOfRun(runId)}/${MAIN_AGENT}`;
  const there = (folder: string): string =>
    `${folder}/`.startsWith(`${workspace.path}/`) ? path + folder.slice(workspace.path.length) : folder;
  return {
    ...agent,
    cwd: there(agent.cwd),
    home: there(agent.home),
    stack: agent.stack.map((frame) => ({ ...frame, cwd: there(frame.cwd) })),
    workspace: { ...workspace, path },
  };
}

/** The same files as the start of another workspace, whose own snapshots are all newer. */
function copied(snapshot: Snapshot | undefined): Snapshot | undefined {
  if (snapshot === undefined) return undefined;
  const { order: _theirs, ...files } = snapshot;
  return files;
}

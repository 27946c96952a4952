// The workspaces of a run's agents: what is recorded of a working directory that git can bring to another host, and where it lies. Pure.
import type { AgentState } from './agent.js';
import type { Failure } from '../failure.js';
import { fileNameOfRun, MAIN_AGENT } from '../ids.js';
import { defined } from '../text.js';

/** What a run's workspaces are made of, fixed when it is started. `root` is the same absolute path on every host. */
export interface WorkspaceSettings {
  readonly root: string;
  /** The address of the repository. */
  readonly repo: string;
  /** The commit that the first workspace begins with, which the repository has; absent = what `ref` names when it is made. */
  readonly commit?: string;
  /** What the commit was called. */
  readonly ref?: string;
  /** The work of the start directory that no commit of the repository holds. */
  readonly snapshot?: Snapshot;
  /** What becomes of an agent whose host is gone. */
  readonly onHostLoss: 'wait' | 'move';
  /** The branch that receives what main's workspace holds when the run completes. */
  readonly outputBranch?: string;
  /** What a host does once in every new workspace, as a shell command: dependencies are not in git. */
  readonly prepare?: string;
  /** After so many seconds without a request for work a host counts as gone; absent = 75. */
  readonly hostSilenceSeconds?: number;
}

/** A worker asks for work at least this often: its requests wait a minute in the server. */
export const SILENCE_SECONDS = 75;

/** The files of a workspace after a turn: a commit of all of them that is no part of any branch, and the artifact that restores it. */
export interface Snapshot {
  readonly commit: string;
  readonly chain: string;
  /** Which one of its workspace it is; absent = that of a run's start. */
  readonly order?: SnapshotOrder;
}

/** The place at which a snapshot was taken, and how many had been begun there before: one with a greater `number` has all that one with a smaller has. */
export interface SnapshotOrder {
  readonly generation: number;
  readonly number: number;
}

/** True for a snapshot that was begun later than the other one of the same workspace. */
export function isNewer(one: Snapshot | undefined, other: Snapshot | undefined): boolean {
  const [a, b] = [one?.order, other?.order];
  if (a === undefined) return false;
  return b === undefined || a.generation > b.generation || (a.generation === b.generation && a.number > b.number);
}

/** The workspace that an agent works in. Agents that share one name the same `owner`. */
export interface Workspace {
  /** The agent whose workspace it is. */
  readonly owner: string;
  /** Its folder, on whichever host. */
  readonly path: string;
  /** Where it lies; absent = nowhere yet. */
  readonly place?: Placement;
  /** The repository's commit that it began with, where the run's settings name none. */
  readonly base?: string;
  /** The files as this agent's last turn left them; absent = those of the run's start. */
  readonly snapshot?: Snapshot;
  /** The snapshot is its parent's: what it begins with, but not on whose branch. */
  readonly inherited?: true;
  /** Why that could not be kept: the agent waits until it can. */
  readonly unsaved?: Failure;
  /** The branch that it is on; absent = one of its own. */
  readonly branch?: string;
}

/** A host that has a workspace's files. `generation` counts from 1, and grows with every move. */
export interface Placement {
  readonly host: string;
  /** The task queue of that host's worker. */
  readonly queue: string;
  readonly generation: number;
}

/** A workspace that was made, and what it began with where the request named no commit. */
export interface Placed extends Placement {
  readonly base?: string;
}

/** A workspace to make, as the `generation`-th place of it. */
export interface PlaceRequest {
  readonly runId: string;
  readonly workspace: Omit<Workspace, 'place'>;
  readonly settings: WorkspaceSettings;
  readonly generation: number;
}

/** A workspace whose files are to be kept. */
export interface SaveRequest {
  readonly runId: string;
  readonly agent: Pick<AgentState, 'id' | 'state'>;
  readonly workspace: Workspace;
  readonly settings: WorkspaceSettings;
}

/** What to bring to which branch. */
export interface OutputRequest extends SaveRequest {
  readonly branch: string;
  readonly message: string;
}

/** The workspace that a run begins with. */
export function firstWorkspace({ root, snapshot }: WorkspaceSettings, runId: string): Workspace {
  const owner = MAIN_AGENT;
  return { owner, path: `${root}/${fileNameOfRun(runId)}/${owner}`, ...(snapshot === undefined ? {} : { snapshot }) };
}

/** The repository's commit that a workspace began with, which has been made. */
export function baseOf({ base, path }: Workspace, { commit }: WorkspaceSettings): string {
  const begun = base ?? commit;
  if (begun === undefined) throw new TypeError(`${path} was made of no commit`);
  return begun;
}

/** The task queue on which the worker of one host gets the turns of agents whose files are there. */
export function hostQueue(taskQueue: string, host: string): string {
  return `${taskQueue}@${host}`;
}

/** What of an agent's record says where it works. */
type Where = Pick<AgentState, 'cwd' | 'home'> & { readonly workspace?: Workspace };

/** Where a forked agent works that gets a workspace of its own: it begins with the files of its parent's, in the folder where forks of the run begin. */
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

/** The owner of the workspace that an agent works in, when that is another one. */
export function sharedBy({ id, workspace }: AgentState): string | undefined {
  return workspace?.owner === id ? undefined : workspace?.owner;
}

/** The agent without a place: it asks for it before its first turn, which no move of the workspace overtakes then. */
export function unplaced(agent: AgentState): AgentState {
  if (agent.workspace === undefined) return agent;
  const { place: _known, ...workspace } = agent.workspace;
  return { ...agent, workspace };
}

/** The branch of a workspace whose agent has chosen none: another one for every agent, whoever else works in the repository. */
export function branchOf(runId: string, { owner, branch }: Workspace): string {
  return branch ?? `raymond/${fileNameOfRun(runId)}/${owner}`;
}

/** An activity that the server gave up. */
export interface LostActivity {
  readonly workflowRunId: string;
  readonly activityId: string;
}

/** Why a place is given up: its host says nothing, or has no such workspace any more. */
export interface HostLoss {
  readonly generation: number;
  readonly why: 'silent' | 'moved';
  /** The prompt turn in progress, which may have spent something. */
  readonly turn?: number;
}

/** Where a workspace is, that it waits for its host (or for the agents `busy` in it), or why there can be none. */
export type PlaceAnswer =
  | { readonly kind: 'placed'; readonly workspace: Workspace }
  | { readonly kind: 'waits'; readonly host: string; readonly lastPollAt?: number; readonly busy?: readonly string[] }
  | { readonly kind: 'failed'; readonly failure: Failure };

/** An operator wants an agent's workspace on another host; without `to` on any host that takes it. */
export interface Relocation {
  readonly agentId: string;
  readonly to?: string;
  readonly by: string;
}

/** What a turn says of the files that it has left. */
interface Files {
  readonly snapshot?: Snapshot;
  readonly unsaved?: Failure;
}

/** The same agent with its files as a turn has left them. */
export function withFiles(agent: AgentState, { snapshot, unsaved }: Files): AgentState {
  if (agent.workspace === undefined || (snapshot === undefined && unsaved === undefined)) return agent;
  const { unsaved: _before, inherited, ...workspace } = agent.workspace;
  const first = snapshot === undefined && inherited === true ? { inherited } : {};
  return { ...agent, workspace: { ...workspace, ...first, ...defined({ snapshot, unsaved }) } };
}

/** The agent as `main` of another run: in a workspace of that run, which begins with the files that the agent had. */
export function inOwnWorkspace(agent: AgentState, runId: string): AgentState {
  const moved = inWorkspaceOf(agent, runId);
  if (moved.workspace === undefined) return moved;
  const { path, snapshot, base } = moved.workspace;
  const files = defined({ snapshot: copied(snapshot), base });
  return { ...moved, workspace: { owner: MAIN_AGENT, path, inherited: true, ...files } };
}

/** The agent as `main` of a run, with its folders where those of that run are. */
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

/** The same files where another workspace begins: its own snapshots are all newer. */
function copied(snapshot: Snapshot | undefined): Snapshot | undefined {
  if (snapshot === undefined) return undefined;
  const { order: _theirs, ...files } = snapshot;
  return files;
}

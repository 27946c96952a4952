// Where the workspaces of a run are: the run's side. An agent that does not know asks; one place is made for all that share a workspace.
// A host that says nothing is looked for before its agents are moved away: what it has done and not told would be done again.
import { ActivityFailure, ApplicationFailure, workflowInfo } from '@temporalio/workflow';
import { isFailureType, type Failure } from '../protocol/failure.js';
import { SILENCE_SECONDS, type Relocation, type Workspace, type WorkspaceSettings } from '../protocol/workspace.js';
import { lastPoll, placeWorkspace } from './activities.js';
import type { LedgerSnapshot, WorkspaceLine } from './contract.js';
import type { PlaceAnswer, PlaceAsk, Spent } from './messages.js';
import { inGroups, tellPlaced } from './to-agents.js';

/** Whoever tells something twice does so soon: so many are remembered. */
const BOOKED = 200;

/** What the placements of a run need of it. */
interface RunOfPlacements {
  readonly runId: string;
  readonly settings: WorkspaceSettings | undefined;
  /** Called when something has come in that `act` shall take up. */
  readonly news: () => void;
}

/** The workspaces of a run. */
export class Placements {
  private readonly lines: Map<string, WorkspaceLine>;
  /** The hosts that agents have left with a prompt under way. */
  private readonly open: Map<string, string>;
  private booked: readonly string[];
  private asks: PlaceAsk[] = [];
  /** Workspaces that shall be on another host; without a name on whichever takes it. */
  private readonly wanted = new Map<string, Pick<Relocation, 'to'>>();
  /** Who waits for an answer about a workspace that is being looked for. */
  private readonly waiting = new Map<string, PlaceAsk[]>();

  constructor(
    private readonly run: RunOfPlacements,
    { workspaces = {}, abandoned }: Pick<LedgerSnapshot, 'workspaces' | 'abandoned'> = {},
  ) {
    this.lines = new Map(Object.entries(workspaces));
    this.open = new Map(Object.entries(abandoned?.open ?? {}));
    this.booked = abandoned?.booked ?? [];
  }

  /** What of it travels with the ledger. */
  snapshot(): Pick<LedgerSnapshot, 'workspaces' | 'abandoned'> {
    const { lines, open, booked } = this;
    const told = open.size + booked.length > 0;
    return {
      ...(lines.size === 0 ? {} : { workspaces: Object.fromEntries(lines) }),
      ...(told ? { abandoned: { open: Object.fromEntries(open), booked } } : {}),
    };
  }

  /** A host tells what a turn has spent whose agent has left it; false when it has told that before. */
  isNew({ agentId, host, key }: Spent): boolean {
    if (this.open.get(agentId) === host) this.open.delete(agentId);
    if (this.booked.includes(key)) return false;
    this.booked = [...this.booked, key].slice(-BOOKED);
    return true;
  }

  /** Whose spending is not told yet, and by which host. */
  get unbooked(): readonly string[] {
    return [...this.open].map(([agentId, host]) => `${agentId} on ${host}`);
  }

  /** True while a host makes a workspace, or is looked for: its answer would not reach the next history. */
  get isBusy(): boolean {
    return this.waiting.size > 0;
  }

  /** The hosts by the agents whose workspaces they have. */
  hosts(): ReadonlyMap<string, string> {
    const lines = [...this.lines.values()];
    return new Map(
      lines.flatMap(({ users, workspace: { place } }) =>
        place === undefined ? [] : users.map((user) => [user, place.host] as const),
      ),
    );
  }

  /** An agent asks where its workspace is. */
  ask(ask: PlaceAsk): void {
    this.asks.push(ask);
    this.run.news();
  }

  /** A turn has left these files. */
  saved({ agentId, workspace }: { readonly agentId: string; readonly workspace: Workspace }): void {
    const { unsaved: _unsaved, ...files } = workspace;
    const line = this.use(agentId, files);
    const { place = files.place } = line.workspace;
    this.lines.set(files.owner, { ...line, workspace: { ...files, ...(place === undefined ? {} : { place }) } });
  }

  /** An agent has ended; a workspace that nobody uses is forgotten. */
  ended(agentId: string): void {
    for (const [owner, { workspace, users }] of this.lines) {
      const others = users.filter((user) => user !== agentId);
      if (others.length === 0) this.lines.delete(owner);
      else if (others.length < users.length) this.lines.set(owner, { workspace, users: others });
    }
  }

  /** An operator wants an agent's workspace elsewhere; its agents ask before their next turns. */
  async relocate({ agentId, to }: Relocation): Promise<void> {
    for (const [owner, { users }] of this.lines) {
      if (owner !== agentId && !users.includes(agentId)) continue;
      this.wanted.set(owner, to === undefined ? {} : { to });
      await inGroups(users, (user) => tellPlaced(this.run.runId, { agentId: user, answer: { kind: 'moves' } }));
    }
  }

  /** Answers what can be answered at once, and begins to look for the rest. */
  async act(): Promise<void> {
    for (const ask of this.asks.splice(0)) {
      const { owner } = ask.workspace;
      const { workspace } = this.use(ask.agentId, ask.workspace);
      const queue = this.waiting.get(owner);
      if (queue !== undefined) {
        this.waiting.set(owner, [...queue.filter(({ agentId }) => agentId !== ask.agentId), ask]);
      } else if (this.isKnown(workspace, ask)) {
        await this.tell(ask, { kind: 'placed', workspace });
      } else {
        this.waiting.set(owner, [ask]);
        void this.answer(owner, ask);
      }
    }
  }

  private isKnown({ owner, place }: Workspace, { lost }: PlaceAsk): boolean {
    if (place === undefined || this.wanted.has(owner)) return false;
    return lost === undefined || lost.generation < place.generation;
  }

  /** Lists the agent with its workspace, which it may know better than a run that was torn off. */
  private use(agentId: string, workspace: Workspace): WorkspaceLine {
    const known = this.lines.get(workspace.owner) ?? { workspace, users: [] };
    const users = known.users.includes(agentId) ? known.users : [...known.users, agentId];
    const line = { ...known, users };
    this.lines.set(workspace.owner, line);
    return line;
  }

  private async answer(owner: string, ask: PlaceAsk): Promise<void> {
    const answer = await this.find(owner, ask).catch((error: unknown) => ({
      kind: 'failed' as const,
      failure: failureOf(error),
    }));
    const asks = this.waiting.get(owner) ?? [];
    this.waiting.delete(owner);
    for (const one of asks) await this.tell(one, answer);
    this.run.news();
  }

  private async find(owner: string, { agentId, workspace: told, lost }: PlaceAsk): Promise<PlaceAnswer> {
    const { workspace } = this.lines.get(owner) ?? { workspace: told };
    const { place } = workspace;
    const wanted = this.wanted.get(owner);
    if (place !== undefined && lost?.why === 'silent' && wanted === undefined) {
      const lastPollAt = await lastPoll(place.queue);
      const silenceMs = (this.run.settings?.hostSilenceSeconds ?? SILENCE_SECONDS) * 1000;
      if (lastPollAt !== undefined && Date.now() - lastPollAt < silenceMs) return { kind: 'placed', workspace };
      if (this.run.settings?.onHostLoss !== 'move')
        return { kind: 'waits', host: place.host, ...(lastPollAt === undefined ? {} : { lastPollAt }) };
    }
    const placed = await this.make(workspace, wanted?.to);
    if (place !== undefined && lost?.isPrompt === true && placed.place?.host !== place.host)
      this.open.set(agentId, place.host);
    return { kind: 'placed', workspace: placed };
  }

  private async make(workspace: Workspace, to: string | undefined): Promise<Workspace> {
    const { settings, runId } = this.run;
    if (settings === undefined) throw new TypeError(`the run ${runId} has no workspaces`);
    const { place, unsaved: _unsaved, ...files } = workspace;
    const made = await placeWorkspace(
      { runId, workspace: files, settings, generation: (place?.generation ?? 0) + 1 },
      to,
    );
    this.wanted.delete(workspace.owner);
    const placed = { ...files, place: made };
    const { users } = this.lines.get(workspace.owner) ?? { users: [] };
    this.lines.set(workspace.owner, { workspace: placed, users });
    return placed;
  }

  private async tell({ agentId }: PlaceAsk, answer: PlaceAnswer): Promise<void> {
    await tellPlaced(this.run.runId, { agentId, answer });
  }
}

function failureOf(error: unknown): Failure {
  const cause = error instanceof ActivityFailure ? error.cause : error;
  if (cause instanceof ApplicationFailure && isFailureType(cause.type))
    return { type: cause.type, message: cause.message };
  const message = cause instanceof Error ? cause.message : String(cause);
  // The host that was named does not take it.
  if (error instanceof ActivityFailure)
    return { type: 'HostLost', message: `no worker of ${workflowInfo().taskQueue} made the workspace: ${message}` };
  return { type: 'Unforeseen', message };
}

// Where the workspaces of a run are: the run's side. An agent asks when it does not know; all
// agents that share a workspace get the same one. Before the agents of a silent host move, the run
// checks for the host: work that it finished without a report would be repeated.
import { ActivityFailure, ApplicationFailure, condition, workflowInfo } from '@temporalio/workflow';
import { isFailureType, type Failure } from '../../protocol/failure.js';
import { defined, messageOf } from '../../protocol/text.js';
import type { Placement, Workspace } from '../../protocol/machine/agent.js';
import { isNewer, SILENCE_SECONDS, type Relocation, type WorkspaceSettings } from '../../protocol/machine/workspace.js';
import { activities, makeWorkspace } from '../activities.js';
import type { LedgerSnapshot, UnreportedTurn } from '../../contract/runs.js';
import type { PlaceAnswer, PlacementRequest } from '../messages.js';
import { WorkspaceTable } from './workspace-table.js';
import { inGroups, sendPlacement } from './to-agents.js';

/**
 * How often, and how long each time, agents that share a workspace are asked to stop their work: a
 * turn on a host that is gone ends within seconds.
 */
const [QUIET_TRIES, QUIET_MS] = [4, 10_000];

/** What placements need of their run. */
interface RunOfPlacements {
  readonly runId: string;
  readonly settings: WorkspaceSettings | undefined;
  readonly isLive: (agentId: string) => boolean;
  /** Called when a message has arrived that `act` must answer. */
  readonly changed: () => void;
}

/** The workspaces of a run, and the agents that ask for them. */
export class Placements {
  /** What is known of them. */
  readonly table: WorkspaceTable;
  private asks: PlacementRequest[] = [];
  /** Workspaces that are to move; without a host's name, to any host that accepts them. */
  private readonly wanted: Map<string, Pick<Relocation, 'to'>>;
  /** Agents that do not know yet that their workspace moves, and those that do. */
  private readonly toNotify = new Set<string>();
  private readonly notified = new Set<string>();
  /** Agents that have stopped their work for a move, and have not asked for a workspace since. */
  private readonly quiet = new Set<string>();
  /** The agents that wait for an answer while a host is checked. */
  private readonly waiting = new Map<string, PlacementRequest[]>();

  constructor(
    private readonly run: RunOfPlacements,
    ledger?: Pick<LedgerSnapshot, 'workspaces' | 'unreported' | 'relocations'>,
  ) {
    this.table = new WorkspaceTable(ledger);
    this.wanted = new Map(Object.entries(ledger?.relocations ?? {}));
    for (const owner of this.wanted.keys()) this.announceMove(owner);
  }

  /** The part that is stored with the ledger. */
  snapshot(): Pick<LedgerSnapshot, 'workspaces' | 'unreported' | 'relocations'> {
    const relocations = this.wanted.size === 0 ? undefined : Object.fromEntries(this.wanted);
    return { ...this.table.snapshot(), ...defined({ relocations }) };
  }

  /**
   * True while a host makes a workspace or is checked: its answer would not reach the next history.
   */
  get isBusy(): boolean {
    return this.waiting.size > 0;
  }

  /** An agent asks where its workspace is. */
  ask(ask: PlacementRequest): void {
    this.asks.push(ask);
    this.run.changed();
  }

  /**
   * An operator moves an agent's workspace to another host; its agents ask before their next turns.
   */
  relocate({ agentId, to }: Relocation): void {
    // For an agent that has just ended, the order waits until the agent continues.
    const owner = this.table.ownerOf(agentId) ?? agentId;
    this.wanted.set(owner, defined({ to }));
    this.announceMove(owner);
    this.run.changed();
  }

  /** All agents that work in a workspace must ask for it before their next turns. */
  private announceMove(owner: string): void {
    for (const user of [owner, ...this.table.usersOf(owner)]) {
      this.notified.delete(user);
      this.toNotify.add(user);
    }
  }

  /** An agent is about to be started. */
  onEntered(agentId: string): void {
    if (this.wanted.has(this.table.ownerOf(agentId) ?? agentId)) this.toNotify.add(agentId);
  }

  /** The files of a workspace after a turn. */
  onSaved(files: { readonly agentId: string; readonly workspace: Workspace }): void {
    const { agentId, workspace } = files;
    this.table.onSaved(files);
    if (!this.wanted.has(workspace.owner) || this.notified.has(agentId)) return;
    this.toNotify.add(agentId);
    this.run.changed();
  }

  /** An agent has stopped its work in its workspace until it asks for it again. */
  onQuiet({ agentId, workspace }: { readonly agentId: string; readonly workspace: Workspace }): void {
    this.table.onSaved({ agentId, workspace });
    // Unsaved files exist only on their host; an operator's move gives them up.
    if (workspace.unsaved === undefined || this.wanted.has(workspace.owner)) this.quiet.add(agentId);
  }

  /** An agent has ended. */
  onEnded(agentId: string): void {
    this.quiet.delete(agentId);
    this.toNotify.delete(agentId);
    this.notified.delete(agentId);
    this.table.onEnded(agentId);
  }

  /** Sends the answers that it knows, and starts to look for the others. */
  async act(): Promise<void> {
    // An agent that has ended is notified when it continues.
    for (const user of this.toNotify) if (!this.run.isLive(user)) this.toNotify.delete(user);
    await this.notifyOfMove([...this.toNotify]);
    for (const ask of this.asks.splice(0)) {
      const { owner } = ask.workspace;
      this.quiet.delete(ask.agentId);
      const workspace = this.table.use(ask.agentId, ask.workspace);
      const turn = lostTurn(ask);
      // Before the workspace is made, because the host may report the cost as soon as it exists.
      if (turn !== undefined) this.table.addUnreported(turn);
      const queue = this.waiting.get(owner);
      if (queue !== undefined) {
        this.waiting.set(owner, [...queue.filter(({ agentId }) => agentId !== ask.agentId), ask]);
      } else if (this.isKnown(workspace, ask)) {
        await this.answerAsk(ask, { kind: 'placed', workspace });
      } else {
        this.waiting.set(owner, [ask]);
        void this.answer(owner, ask);
      }
    }
  }

  private isKnown({ owner, place }: Workspace, { lost }: PlacementRequest): boolean {
    if (place === undefined || this.wanted.has(owner)) return false;
    return lost === undefined || lost.generation < place.generation;
  }

  private async answer(owner: string, ask: PlacementRequest): Promise<void> {
    const answer = await this.locate(owner, ask).catch((error: unknown) => ({
      kind: 'failed' as const,
      failure: failureOf(error),
    }));
    const asks = this.waiting.get(owner) ?? [];
    this.waiting.delete(owner);
    for (const one of asks) await this.answerAsk(one, answer);
    this.run.changed();
  }

  private async locate(owner: string, { workspace: reported, lost }: PlacementRequest): Promise<PlaceAnswer> {
    const workspace = this.table.get(owner) ?? reported;
    const { place } = workspace;
    if (place !== undefined && lost?.why === 'silent' && !this.wanted.has(owner)) {
      const stays = await this.hostStatus(place, reported);
      if (stays !== undefined) return stays.kind === 'there' ? { kind: 'placed', workspace } : stays;
    }
    const busy = place === undefined ? [] : await this.busyIn(owner);
    if (place !== undefined && busy.length > 0) return { kind: 'waits', host: place.host, busy };
    const avoid = lost?.why === 'trouble' ? place?.host : undefined;
    return { kind: 'placed', workspace: await this.make(owner, { reported, avoid }) };
  }

  /** The agents that share a workspace and do not stop their work in time: changes by their turns would be missing on the new host. */
  private async busyIn(owner: string): Promise<readonly string[]> {
    const busy = (): readonly string[] => {
      // Only an operator gives up files that are on no other host.
      const mayMove = ({ workspace }: PlacementRequest): boolean =>
        workspace.unsaved === undefined || this.wanted.has(owner);
      const asking = new Set(
        this.waiting
          .get(owner)
          ?.filter(mayMove)
          .map(({ agentId }) => agentId),
      );
      return this.table.usersOf(owner).filter((user) => !asking.has(user) && !this.quiet.has(user));
    };
    for (let tries = 0; tries < QUIET_TRIES && busy().length > 0; tries += 1) {
      await this.notifyOfMove(busy());
      await condition(() => busy().length === 0, QUIET_MS);
    }
    return busy();
  }

  private async notifyOfMove(users: readonly string[]): Promise<void> {
    await inGroups(users, async (user) => {
      if (!(await sendPlacement(this.run.runId, { agentId: user, message: { kind: 'moves' } }))) return;
      this.toNotify.delete(user);
      this.notified.add(user);
    });
  }

  /**
   * What to do about a silent host whose agents do not move: the host is alive after all, or
   * the run waits for it, because only an operator gives up files that no other host has.
   */
  private async hostStatus(
    { queue, host }: Placement,
    { unsaved }: Workspace,
  ): Promise<PlaceAnswer | { readonly kind: 'there' } | undefined> {
    const { settings } = this.run;
    const lastPollAt = await activities.lastPoll(queue);
    const silenceMs = (settings?.hostSilenceSeconds ?? SILENCE_SECONDS) * 1000;
    if (lastPollAt !== undefined && Date.now() - lastPollAt < silenceMs) return { kind: 'there' };
    const moves = settings?.onHostLoss === 'move' && unsaved === undefined;
    return moves ? undefined : { kind: 'waits', host, ...defined({ lastPollAt }) };
  }

  /**
   * Makes a workspace, and makes it again when an agent that shares it has reported newer files in
   * the meantime.
   */
  private async make(
    owner: string,
    { reported, avoid }: { readonly reported: Workspace; readonly avoid: string | undefined },
  ): Promise<Workspace> {
    const { settings, runId } = this.run;
    if (settings === undefined) throw new TypeError(`the run ${runId} has no workspaces`);
    for (let generation = (this.table.get(owner) ?? reported).place?.generation ?? 0; ;) {
      generation += 1;
      const { place: _left, unsaved: _unsaved, ...files } = this.table.get(owner) ?? reported;
      const request = { runId, workspace: files, settings, generation, ...defined({ avoid }) };
      const order = this.wanted.get(owner);
      const { base = files.base, ...place } = await makeWorkspace(request, order?.to);
      const { snapshot } = this.table.get(owner) ?? files;
      // Or an operator ordered another host.
      if (isNewer(snapshot, files.snapshot) || this.wanted.get(owner) !== order) continue;
      this.wanted.delete(owner);
      const located = { ...files, place, ...defined({ base }) };
      this.table.update(located);
      return located;
    }
  }

  private async answerAsk(ask: PlacementRequest, answer: PlaceAnswer): Promise<void> {
    const turn = lostTurn(ask);
    const stays = answer.kind === 'placed' && answer.workspace.place?.generation === ask.lost?.generation;
    if (turn !== undefined && stays) this.table.removeUnreported(turn);
    const { agentId, askId } = ask;
    await sendPlacement(this.run.runId, { agentId, message: { ...answer, ...defined({ askId }) } });
  }
}

/** The prompt turn that the silent host did not report. */
function lostTurn({ agentId, workspace: { place }, lost }: PlacementRequest): UnreportedTurn | undefined {
  if (place === undefined || lost?.turn === undefined) return undefined;
  return { agentId, host: place.host, turn: lost.turn };
}

function failureOf(error: unknown): Failure {
  if (!(error instanceof ActivityFailure)) return { type: 'Unforeseen', message: messageOf(error) };
  const { cause, activityType } = error;
  if (cause instanceof ApplicationFailure && isFailureType(cause.type))
    return { type: cause.type, message: cause.message };
  const { taskQueue } = workflowInfo();
  const what =
    activityType === 'lastPoll'
      ? 'Temporal does not know when its host last polled'
      : `no worker of ${taskQueue} created the workspace`;
  return { type: 'HostLost', message: `${what}: ${messageOf(cause)}` };
}

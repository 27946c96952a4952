// Where the workspaces of a run are: the run's side. An agent that does not know asks; one place is made for all that share a workspace.
// A host that says nothing is looked for before its agents are moved away: what it has done and not told would be done again.
import { ActivityFailure, ApplicationFailure, condition, workflowInfo } from '@temporalio/workflow';
import { isFailureType, type Failure } from '../../protocol/failure.js';
import { defined, messageOf } from '../../protocol/text.js';
import {
  isNewer,
  SILENCE_SECONDS,
  type Placement,
  type Relocation,
  type Workspace,
  type WorkspaceSettings,
} from '../../protocol/machine/workspace.js';
import { activities, makeWorkspace } from '../activities.js';
import type { LedgerSnapshot, UnreportedTurn } from '../contract.js';
import type { PlaceAnswer, PlacementRequest } from '../messages.js';
import { WorkspaceTable } from './workspace-table.js';
import { inGroups, sendPlacement } from './to-agents.js';

/** Those who share a workspace are asked so often to be quiet, each time for so long: a turn on a host that is gone ends within seconds. */
const [QUIET_TRIES, QUIET_MS] = [4, 10_000];

/** What the placements of a run need of it. */
interface RunOfPlacements {
  readonly runId: string;
  readonly settings: WorkspaceSettings | undefined;
  readonly isLive: (agentId: string) => boolean;
  /** Called when something has come in that `act` shall answer. */
  readonly changed: () => void;
}

/** The workspaces of a run, and who asks for them. */
export class Placements {
  /** What is known of them. */
  readonly table: WorkspaceTable;
  private asks: PlacementRequest[] = [];
  /** Workspaces that shall be on another host; without a name on whichever takes it. */
  private readonly wanted: Map<string, Pick<Relocation, 'to'>>;
  /** Agents that have yet to be notified that their workspace moves, and those that have been. */
  private readonly toNotify = new Set<string>();
  private readonly notified = new Set<string>();
  /** Those who have said so, and have asked nothing since. */
  private readonly quiet = new Set<string>();
  /** Who waits for an answer about a workspace that is being looked for. */
  private readonly waiting = new Map<string, PlacementRequest[]>();

  constructor(
    private readonly run: RunOfPlacements,
    ledger?: Pick<LedgerSnapshot, 'workspaces' | 'abandoned' | 'relocations'>,
  ) {
    this.table = new WorkspaceTable(ledger);
    this.wanted = new Map(Object.entries(ledger?.relocations ?? {}));
    for (const owner of this.wanted.keys()) this.announceMove(owner);
  }

  /** What of them travels with the ledger. */
  snapshot(): Pick<LedgerSnapshot, 'workspaces' | 'abandoned' | 'relocations'> {
    const relocations = this.wanted.size === 0 ? undefined : Object.fromEntries(this.wanted);
    return { ...this.table.snapshot(), ...defined({ relocations }) };
  }

  /** True while a host makes a workspace, or is looked for: its answer would not reach the next history. */
  get isBusy(): boolean {
    return this.waiting.size > 0;
  }

  /** An agent asks where its workspace is. */
  ask(ask: PlacementRequest): void {
    this.asks.push(ask);
    this.run.changed();
  }

  /** An operator wants an agent's workspace on another host; its agents ask before their next turns. */
  relocate({ agentId, to }: Relocation): void {
    // Of an agent that has just ended the order waits until it goes on.
    const owner = this.table.ownerOf(agentId) ?? agentId;
    this.wanted.set(owner, defined({ to }));
    this.announceMove(owner);
    this.run.changed();
  }

  /** All who work in a workspace have to ask for it before their next turns. */
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

  /** A turn has left these files. */
  onSaved(files: { readonly agentId: string; readonly workspace: Workspace }): void {
    const { agentId, workspace } = files;
    this.table.onSaved(files);
    if (!this.wanted.has(workspace.owner) || this.notified.has(agentId)) return;
    this.toNotify.add(agentId);
    this.run.changed();
  }

  /** Nothing is done for an agent in its workspace, and nothing will be until it has asked for it. */
  onQuiet({ agentId, workspace }: { readonly agentId: string; readonly workspace: Workspace }): void {
    this.table.onSaved({ agentId, workspace });
    // Files that could not be saved are only on its host; an operator who moves it gives them up.
    if (workspace.unsaved === undefined || this.wanted.has(workspace.owner)) this.quiet.add(agentId);
  }

  /** An agent has ended. */
  onEnded(agentId: string): void {
    this.quiet.delete(agentId);
    this.toNotify.delete(agentId);
    this.notified.delete(agentId);
    this.table.onEnded(agentId);
  }

  /** Answers what can be answered at once, and begins to look for the rest. */
  async act(): Promise<void> {
    // An agent that has ended is notified when it continues.
    for (const user of this.toNotify) if (!this.run.isLive(user)) this.toNotify.delete(user);
    await this.notifyOfMove([...this.toNotify]);
    for (const ask of this.asks.splice(0)) {
      const { owner } = ask.workspace;
      this.quiet.delete(ask.agentId);
      const workspace = this.table.use(ask.agentId, ask.workspace);
      const turn = lostTurn(ask);
      // Before anything is made: the host may tell what it has cost as soon as it is.
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
      const stays = await this.hostStatus(place);
      if (stays !== undefined) return stays.kind === 'there' ? { kind: 'placed', workspace } : stays;
    }
    const busy = place === undefined ? [] : await this.busyIn(owner);
    if (place !== undefined && busy.length > 0) return { kind: 'waits', host: place.host, busy };
    return { kind: 'placed', workspace: await this.make(owner, reported) };
  }

  /** Who does not become quiet in time of those who share a workspace: what a turn of theirs leaves there would be missing elsewhere. */
  private async busyIn(owner: string): Promise<readonly string[]> {
    const busy = (): readonly string[] => {
      const asking = new Set(this.waiting.get(owner)?.map(({ agentId }) => agentId));
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

  /** What follows from the silence of a place, unless its agents move: it is there after all, or waited for. */
  private async hostStatus({ queue, host }: Placement): Promise<PlaceAnswer | { readonly kind: 'there' } | undefined> {
    const { settings } = this.run;
    const lastPollAt = await activities.lastPoll(queue);
    const silenceMs = (settings?.hostSilenceSeconds ?? SILENCE_SECONDS) * 1000;
    if (lastPollAt !== undefined && Date.now() - lastPollAt < silenceMs) return { kind: 'there' };
    return settings?.onHostLoss === 'move' ? undefined : { kind: 'waits', host, ...defined({ lastPollAt }) };
  }

  /** Makes it, and again when an agent that shares it has reported newer files meanwhile, which would be missing there. */
  private async make(owner: string, reported: Workspace): Promise<Workspace> {
    const { settings, runId } = this.run;
    if (settings === undefined) throw new TypeError(`the run ${runId} has no workspaces`);
    for (let generation = (this.table.get(owner) ?? reported).place?.generation ?? 0; ;) {
      generation += 1;
      const { place: _left, unsaved: _unsaved, ...files } = this.table.get(owner) ?? reported;
      const request = { runId, workspace: files, settings, generation };
      const order = this.wanted.get(owner);
      const { base = files.base, ...place } = await makeWorkspace(request, order?.to);
      const { snapshot } = this.table.get(owner) ?? files;
      // Or it was ordered to yet another host.
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

/** The prompt turn of which nothing was heard. */
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

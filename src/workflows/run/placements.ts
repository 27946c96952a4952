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
import { activities, placeWorkspace } from '../activities.js';
import type { LedgerSnapshot, UnbookedTurn } from '../contract.js';
import type { PlaceAnswer, PlaceAsk } from '../messages.js';
import { PlacementBook } from './placement-book.js';
import { inGroups, tellPlaced } from './to-agents.js';

/** Those who share a workspace are asked so often to be quiet, each time for so long: a turn on a host that is gone ends within seconds. */
const [TRIES, QUIET_MS] = [4, 10_000];

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
  readonly book: PlacementBook;
  private asks: PlaceAsk[] = [];
  /** Workspaces that shall be on another host; without a name on whichever takes it. */
  private readonly wanted: Map<string, Pick<Relocation, 'to'>>;
  /** Agents that have yet to be notified that their workspace moves, and those that have been. */
  private readonly toNotify = new Set<string>();
  private readonly notified = new Set<string>();
  /** Those who have said so, and have asked nothing since. */
  private readonly quiet = new Set<string>();
  /** Who waits for an answer about a workspace that is being looked for. */
  private readonly waiting = new Map<string, PlaceAsk[]>();

  constructor(
    private readonly run: RunOfPlacements,
    ledger?: Pick<LedgerSnapshot, 'workspaces' | 'abandoned' | 'relocations'>,
  ) {
    this.book = new PlacementBook(ledger);
    this.wanted = new Map(Object.entries(ledger?.relocations ?? {}));
    for (const owner of this.wanted.keys()) this.moves(owner);
  }

  /** What of them travels with the ledger. */
  snapshot(): Pick<LedgerSnapshot, 'workspaces' | 'abandoned' | 'relocations'> {
    const relocations = this.wanted.size === 0 ? undefined : Object.fromEntries(this.wanted);
    return { ...this.book.snapshot(), ...defined({ relocations }) };
  }

  /** True while a host makes a workspace, or is looked for: its answer would not reach the next history. */
  get isBusy(): boolean {
    return this.waiting.size > 0;
  }

  /** An agent asks where its workspace is. */
  ask(ask: PlaceAsk): void {
    this.asks.push(ask);
    this.run.changed();
  }

  /** An operator wants an agent's workspace on another host; its agents ask before their next turns. */
  relocate({ agentId, to }: Relocation): void {
    // Of an agent that has just ended the order waits until it goes on.
    const owner = this.book.ownerOf(agentId) ?? agentId;
    this.wanted.set(owner, defined({ to }));
    this.moves(owner);
    this.run.changed();
  }

  /** All who work in a workspace have to ask for it before their next turns. */
  private moves(owner: string): void {
    for (const user of [owner, ...this.book.usersOf(owner)]) {
      this.notified.delete(user);
      this.toNotify.add(user);
    }
  }

  /** An agent is about to be started. */
  entered(agentId: string): void {
    if (this.wanted.has(this.book.ownerOf(agentId) ?? agentId)) this.toNotify.add(agentId);
  }

  /** A turn has left these files. */
  saved(files: { readonly agentId: string; readonly workspace: Workspace }): void {
    const { agentId, workspace } = files;
    this.book.saved(files);
    if (!this.wanted.has(workspace.owner) || this.notified.has(agentId)) return;
    this.toNotify.add(agentId);
    this.run.changed();
  }

  /** Nothing is done for an agent in its workspace, and nothing will be until it has asked for it. */
  isQuiet({ agentId, workspace }: { readonly agentId: string; readonly workspace: Workspace }): void {
    this.book.saved({ agentId, workspace });
    // What could not be kept is on its host alone; who moves it by hand gives that up.
    if (workspace.unsaved === undefined || this.wanted.has(workspace.owner)) this.quiet.add(agentId);
  }

  /** An agent has ended. */
  ended(agentId: string): void {
    this.quiet.delete(agentId);
    this.toNotify.delete(agentId);
    this.notified.delete(agentId);
    this.book.ended(agentId);
  }

  /** Answers what can be answered at once, and begins to look for the rest. */
  async act(): Promise<void> {
    // An agent that has ended is notified when it continues.
    for (const user of this.toNotify) if (!this.run.isLive(user)) this.toNotify.delete(user);
    await this.notifyOfMove([...this.toNotify]);
    for (const ask of this.asks.splice(0)) {
      const { owner } = ask.workspace;
      this.quiet.delete(ask.agentId);
      const workspace = this.book.use(ask.agentId, ask.workspace);
      const turn = silentTurn(ask);
      // Before anything is made: the host may tell what it has cost as soon as it is.
      if (turn !== undefined) this.book.isSilent(turn);
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

  private isKnown({ owner, place }: Workspace, { lost }: PlaceAsk): boolean {
    if (place === undefined || this.wanted.has(owner)) return false;
    return lost === undefined || lost.generation < place.generation;
  }

  private async answer(owner: string, ask: PlaceAsk): Promise<void> {
    const answer = await this.find(owner, ask).catch((error: unknown) => ({
      kind: 'failed' as const,
      failure: failureOf(error),
    }));
    const asks = this.waiting.get(owner) ?? [];
    this.waiting.delete(owner);
    for (const one of asks) await this.answerAsk(one, answer);
    this.run.changed();
  }

  private async find(owner: string, { workspace: reported, lost }: PlaceAsk): Promise<PlaceAnswer> {
    const workspace = this.book.get(owner) ?? reported;
    const { place } = workspace;
    if (place !== undefined && lost?.why === 'silent' && !this.wanted.has(owner)) {
      const stays = await this.answerOf(place);
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
      return this.book.usersOf(owner).filter((user) => !asking.has(user) && !this.quiet.has(user));
    };
    for (let tries = 0; tries < TRIES && busy().length > 0; tries += 1) {
      await this.notifyOfMove(busy());
      await condition(() => busy().length === 0, QUIET_MS);
    }
    return busy();
  }

  private async notifyOfMove(users: readonly string[]): Promise<void> {
    await inGroups(users, async (user) => {
      if (!(await tellPlaced(this.run.runId, { agentId: user, news: { kind: 'moves' } }))) return;
      this.toNotify.delete(user);
      this.notified.add(user);
    });
  }

  /** What follows from the silence of a place, unless its agents move: it is there after all, or waited for. */
  private async answerOf({ queue, host }: Placement): Promise<PlaceAnswer | { readonly kind: 'there' } | undefined> {
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
    for (let generation = (this.book.get(owner) ?? reported).place?.generation ?? 0; ;) {
      generation += 1;
      const { place: _left, unsaved: _unsaved, ...files } = this.book.get(owner) ?? reported;
      const request = { runId, workspace: files, settings, generation };
      const order = this.wanted.get(owner);
      const { base = files.base, ...place } = await placeWorkspace(request, order?.to);
      const { snapshot } = this.book.get(owner) ?? files;
      // Or it was ordered to yet another host.
      if (isNewer(snapshot, files.snapshot) || this.wanted.get(owner) !== order) continue;
      this.wanted.delete(owner);
      const placed = { ...files, place, ...defined({ base }) };
      this.book.place(placed);
      return placed;
    }
  }

  private async answerAsk(ask: PlaceAsk, answer: PlaceAnswer): Promise<void> {
    const turn = silentTurn(ask);
    const stays = answer.kind === 'placed' && answer.workspace.place?.generation === ask.lost?.generation;
    if (turn !== undefined && stays) this.book.goesOn(turn);
    const { agentId, askId } = ask;
    await tellPlaced(this.run.runId, { agentId, news: { ...answer, ...defined({ askId }) } });
  }
}

/** The prompt turn of which nothing was heard. */
function silentTurn({ agentId, workspace: { place }, lost }: PlaceAsk): UnbookedTurn | undefined {
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
      ? 'Temporal does not say when its host last asked for work'
      : `no worker of ${taskQueue} made the workspace`;
  return { type: 'HostLost', message: `${what}: ${messageOf(cause)}` };
}

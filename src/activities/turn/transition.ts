// From the change that an output asks for to a transition: resolves states to files, checks what is allowed, checks
// directories, finds other workflows, stores values and files.
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { resolveWorkflow, type WorkflowAnswer } from '../../packages/locate.js';
import { isDirectory } from '../../host/files.js';
import { hostTrouble } from '../../host/trouble.js';
import { withoutFence } from '../../packages/result-schema.js';
import { PLATFORM, listScope } from '../../packages/state.js';
import { disallowed, type Rules, type Variables } from '../../protocol/language/policy.js';
import { MAX_DEPTH } from '../../protocol/machine/step.js';
import { assertNever } from '../../protocol/failure.js';
import { conflictIn, hostVariables } from '../../protocol/language/attribute-names.js';
import type { Change } from '../../protocol/language/parse.js';
import { parseDuration, clip, defined, MAX_INLINE_BYTES, type ArtifactRef } from '../../protocol/text.js';
import { MAIN_AGENT } from '../../protocol/ids.js';
import { executorOf, resolveChange } from '../../protocol/language/resolve.js';
import type { AskTag, Attributes, SingleTag, StartingTag, WorkflowTag } from '../../protocol/language/tag.js';
import type { Fork, Transition } from '../../protocol/machine/transition.js';
import type { ArtifactStore } from '../../store/store.js';
import { renderTemplate } from '../../protocol/language/variables.js';
import { ProblemError, turnFailure } from '../failure.js';
import { shownFiles } from './files.js';
import type { Environment } from '../environment/environment.js';
import type { Redactor } from '../environment/redact.js';
import { dividedForks, PAGE_BYTES } from './fork-pages.js';
import type { Judged } from './prompt-file.js';
import type { TurnRequest } from '../../contract/turns.js';

/** The allowed change, and its transition. Throws a `ProblemError`. */
export async function transitionOf(
  combined: Change,
  reading: OutcomeContext,
): Promise<{ readonly change: Change; readonly transition: Transition }> {
  const change = fitting(await allowedChange(combined, reading), reading);
  const conflict = conflictIn(change, hostVariables(reading.environment ?? {}, PLATFORM));
  if (conflict) throw new ProblemError(conflict);
  const maker = new TransitionMaker(reading);
  return { change, transition: change.kind === 'fork' ? await maker.fork(change) : await maker.one(change.tag) };
}

/** The change with its names resolved, and allowed by the policy. Throws a `ProblemError`. */
export async function allowedChange(combined: Change, { agent, artifacts, rules }: OutcomeContext): Promise<Change> {
  const resolved = resolveChange(combined, await listScope(agent.scope, artifacts));
  if (resolved.kind === 'problem') throw new ProblemError(resolved.problem);
  const forbidden = rules && disallowed(rules.policy, resolved.change);
  if (forbidden) throw new ProblemError(forbidden);
  return resolved.change;
}

/** A result that fits its schema, without what models put around JSON. Throws a `ProblemError` for any other. */
function fitting(change: Change, { rules }: OutcomeContext): Change {
  if (rules?.result === undefined || change.kind !== 'one' || change.tag.kind !== 'result') return change;
  const payload = withoutFence(change.tag.payload);
  const why = rules.result.problemOf(payload);
  if (why !== undefined) throw new ProblemError({ kind: 'unfit-result', why });
  return { ...change, tag: { ...change.tag, payload } };
}

/**
 * What the run keeps for every agent must be short: longer questions and results of forked agents
 * are artifacts.
 */
export const MAX_KEPT_BYTES = 1024;

type FoundWorkflow = Extract<WorkflowAnswer, { readonly kind: 'workflow' }>;

/** Builds the transitions of one turn. Throws a `ProblemError` that the author of the output can fix. */
class TransitionMaker {
  constructor(private readonly reading: OutcomeContext) {}

  async one(tag: SingleTag): Promise<Transition> {
    switch (tag.kind) {
      case 'goto':
        return { kind: 'goto', target: tag.target, ...(await this.input(tag)), ...delayOf(tag), ...ownOf(tag) };
      case 'reset':
        return { kind: 'reset', target: tag.target, ...(await this.fresh(tag)), ...delayOf(tag), ...ownOf(tag) };
      case 'call':
      case 'function':
        return { kind: tag.kind, target: tag.target, return: tag.return, ...(await this.input(tag)), ...ownOf(tag) };
      case 'result':
        return { kind: 'result', payload: await this.payload(tag.payload) };
      case 'ask':
        return await this.ask(tag);
      case 'await':
        return { kind: 'await', ...waitOf(tag) };
      default:
        return await this.workflow(tag);
    }
  }

  async fork({ forks, next, input, attributes, delay }: Extract<Change, { kind: 'fork' }>): Promise<Transition> {
    // They are sent together: with many forks, each may be less.
    const limit = Math.min(MAX_INLINE_BYTES, PAGE_BYTES / forks.length);
    const started: Fork[] = [];
    for (const tag of forks) {
      if (this.lacksConversation(tag))
        throw new ProblemError({ kind: 'no-conversation', target: clip(tag.target, 100) });
      started.push({
        ...(await this.place(tag)),
        ...(await this.input(this.filled(tag), limit)),
        ...(await this.directory(tag)),
        ...defined({ task: tag.task, context: tag.kind === 'fork' ? tag.context : undefined }),
      });
    }
    const divided = await dividedForks(this.reading.artifacts, started);
    const own = { ...(await this.input({ input })), ...defined({ attributes }), ...delayOf(defined({ delay })) };
    return { kind: 'fork', ...divided, next, ...own };
  }

  /** A prompt has one when its turn has ended; scripts may come before the first prompt. */
  private lacksConversation(tag: StartingTag): boolean {
    const { session, state } = this.reading.agent;
    return tag.kind === 'fork' && tag.context === 'branch' && session === undefined && executorOf(state) !== 'prompt';
  }

  private async place(tag: StartingTag): Promise<Pick<Fork, 'target' | 'workflow' | 'attributes'>> {
    if (tag.kind === 'fork') return { target: tag.target, attributes: tag.attributes };
    const { entry, scope, abbreviation } = await this.find(tag);
    return { target: entry, workflow: { scope, abbreviation }, attributes: {} };
  }

  /** Where a forked agent works: with a workspace, `cd="new"` and `worktree="BRANCH"` give it one of its own. */
  private async directory(tag: StartingTag): Promise<Pick<Fork, 'cd' | 'own'>> {
    if (this.reading.agent.workspace === undefined) return await this.cd(tag);
    const branch = tag.kind === 'fork' ? tag.attributes['worktree'] : undefined;
    return tag.cd === 'new' || branch !== undefined ? { own: defined({ branch }) } : await this.cd(tag);
  }

  private async workflow(tag: WorkflowTag): Promise<Transition> {
    if (tag.kind !== 'reset-workflow' && (this.reading.agent.depth ?? 0) >= MAX_DEPTH) {
      throw new ProblemError({ kind: 'too-deep', tag: tag.kind, limit: MAX_DEPTH });
    }
    const { entry: target, scope } = await this.find(tag);
    const given = await this.fresh(this.filled(tag));
    switch (tag.kind) {
      case 'call-workflow':
      case 'function-workflow':
        return { kind: tag.kind, scope, target, return: tag.return, ...given };
      case 'reset-workflow':
        return { kind: tag.kind, scope, target, ...given };
      default:
        return assertNever(tag);
    }
  }

  /** In another workflow the variables of this state mean nothing: they are filled here. */
  private filled<T extends StartingTag | WorkflowTag>(tag: T): T {
    if (tag.kind === 'fork' || tag.input === undefined) return tag;
    return { ...tag, input: renderTemplate(tag.input, this.reading.variables ?? {}).text };
  }

  private async find({
    kind: tag,
    target,
  }: {
    readonly kind: string;
    readonly target: string;
  }): Promise<FoundWorkflow> {
    const { artifacts, cacheDir } = this.reading;
    const { scope } = this.reading.agent;
    const travelling = { store: artifacts, cacheDir };
    const answer = await resolveWorkflow({ specifier: target, scope, platform: PLATFORM, travelling });
    switch (answer.kind) {
      case 'workflow':
        return answer;
      case 'problem':
        throw new ProblemError(answer.problem);
      case 'unusable': {
        if (hostTrouble(answer.error) !== undefined) throw answer.error;
        const { code, message } = answer.error;
        // A failing disk or network may work again; other errors need the author.
        if (code === 'Unreadable' || code === 'Download') throw turnFailure('StateUnreadable', message);
        throw new ProblemError({ kind: 'unusable-workflow', tag, target: clip(target, 100), why: clip(message, 500) });
      }
      default:
        return assertNever(answer);
    }
  }

  private async ask(tag: AskTag): Promise<Transition> {
    const { upload, shown, choices } = await shownFiles(tag, this.reading);
    const storedFiles = await this.storedFiles({ upload, shown, choices });
    return {
      kind: 'ask',
      prompt: await this.reading.artifacts.value(tag.prompt, MAX_KEPT_BYTES),
      ...waitOf(tag),
      ...defined({ upload, choices }),
      ...(shown.length === 0 ? {} : { shown }),
      ...(storedFiles === undefined ? {} : { storedFiles }),
    };
  }

  /** The run's ledger keeps only a short text for a question. */
  private async storedFiles(files: object): Promise<ArtifactRef | undefined> {
    const json = JSON.stringify(files);
    return Buffer.byteLength(json) <= MAX_KEPT_BYTES ? undefined : await this.reading.artifacts.put(Buffer.from(json));
  }

  private async payload(text: string): Promise<Extract<Transition, { kind: 'result' }>['payload']> {
    const { agent, artifacts } = this.reading;
    return await artifacts.value(text, agent.id === MAIN_AGENT ? MAX_INLINE_BYTES : MAX_KEPT_BYTES);
  }

  private async fresh(tag: {
    readonly kind: string;
    readonly input?: string;
    readonly cd?: string;
    readonly task?: 'new';
  }): Promise<Pick<Fork, 'input' | 'cd'> & { readonly task?: 'new' }> {
    const task = tag.task === undefined ? {} : { task: tag.task };
    return { ...(await this.input(tag)), ...(await this.cd(tag)), ...task };
  }

  private async input(
    { input }: { readonly input?: string | undefined },
    limit = MAX_INLINE_BYTES,
  ): Promise<Pick<Fork, 'input'>> {
    return input === undefined ? {} : { input: await this.reading.artifacts.value(input, limit) };
  }

  private async cd({ kind, cd }: { readonly kind: string; readonly cd?: string }): Promise<Pick<Fork, 'cd'>> {
    if (cd === undefined) return {};
    const path = resolve(this.reading.agent.cwd, cd);
    if (!(await isDirectory(path))) {
      throw new ProblemError({ kind: 'missing-directory', tag: kind, path, host: hostname() });
    }
    return { cd: path };
  }
}

function waitOf({ next, timeout, timeout_next: timeoutNext }: Extract<SingleTag, { kind: 'ask' | 'await' }>): {
  readonly next: string;
  readonly timeoutMs?: number;
  readonly timeoutNext?: string;
} {
  const seconds = timeout === undefined ? undefined : parseDuration(timeout);
  return { next, ...defined({ timeoutMs: seconds === undefined ? undefined : seconds * 1000, timeoutNext }) };
}

function delayOf({ delay }: { readonly delay?: string }): { readonly delayMs?: number } {
  const seconds = delay === undefined ? undefined : parseDuration(delay);
  return seconds === undefined ? {} : { delayMs: seconds * 1000 };
}

function ownOf({ attributes }: { readonly attributes?: Attributes }): { readonly attributes?: Attributes } {
  return defined({ attributes });
}

/** What reading an output needs of its turn; `rules` only for prompts. */
export interface OutcomeContext {
  readonly agent: TurnRequest['agent'];
  readonly artifacts: ArtifactStore;
  /** Where this host keeps the packages that it downloads. */
  readonly cacheDir: string;
  /** The agent's task folder, absolute. */
  readonly taskFolder: string;
  readonly rules?: Rules;
  /** The state that this one decides about, if it is a judge. */
  readonly judged?: Judged;
  /** The result itself, where the backend was asked for it. */
  readonly structured?: unknown;
  /** The variables of the state, for the `input` of tags that lead to another workflow. */
  readonly variables?: Variables;
  /** What scripts inherit here: attributes of a fork do not replace it. */
  readonly environment?: Environment;
  /** For quotes from the output. */
  readonly redactor?: Redactor;
}

// Makes the transition of a change whose names are files: directories checked, other workflows found, values and files kept.
// Must not decide whether the change is allowed (outcome.ts).
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { MAX_DEPTH } from '../protocol/apply.js';
import { assertNever } from '../protocol/assert.js';
import type { Change } from '../protocol/combine.js';
import { parseDuration } from '../protocol/duration.js';
import { MAIN_AGENT } from '../protocol/names.js';
import type { AskTag, SingleTag, StartingTag, WorkflowTag } from '../protocol/tag.js';
import { clip } from '../protocol/text.js';
import type { ForkWorker, Transition } from '../protocol/transition.js';
import { MAX_INLINE_BYTES } from '../protocol/value.js';
import { Mistake, type Reading } from './reading.js';
import { resolveWorkflow, type WorkflowAnswer } from '../packages/locate.js';
import { shownFiles } from './shown-files.js';
import { isDirectory, PLATFORM } from '../packages/state.js';
import { turnFailure } from './failure.js';

/** The most of the inputs of all forks of one output that goes through Temporal by value. */
const MAX_FORK_BYTES = 512 * 1024;

/** What the run keeps of every agent must be short: longer questions and results of forked agents are artifacts. */
const MAX_KEPT_BYTES = 1024;

type Found = Extract<WorkflowAnswer, { readonly kind: 'workflow' }>;

/** Makes transitions for one turn. Throws a `Mistake` that the author of the output can mend. */
export class Maker {
  constructor(private readonly reading: Reading) {}

  async one(tag: SingleTag): Promise<Transition> {
    switch (tag.kind) {
      case 'goto':
        return { kind: 'goto', target: tag.target, ...(await this.input(tag)), ...delayOf(tag) };
      case 'reset':
        return { kind: 'reset', target: tag.target, ...(await this.fresh(tag)), ...delayOf(tag) };
      case 'call':
      case 'function':
        return { kind: tag.kind, target: tag.target, return: tag.return, ...(await this.input(tag)) };
      case 'result':
        return { kind: 'result', payload: await this.payload(tag.payload) };
      case 'ask':
        return await this.ask(tag);
      case 'await':
        return tag;
      default:
        return await this.workflow(tag);
    }
  }

  async fork({ workers, next, input }: Extract<Change, { kind: 'fork' }>): Promise<Transition> {
    // All of them travel in one report: of many, each may be less.
    const limit = Math.min(MAX_INLINE_BYTES, MAX_FORK_BYTES / workers.length);
    const started: ForkWorker[] = [];
    for (const tag of workers) {
      started.push({
        ...(await this.place(tag)),
        ...(await this.input(tag, limit)),
        ...(await this.cd(tag)),
        ...(tag.task === undefined ? {} : { task: tag.task }),
      });
    }
    return { kind: 'fork', workers: started, next, ...(await this.input({ input })) };
  }

  private async place(tag: StartingTag): Promise<Pick<ForkWorker, 'target' | 'elsewhere' | 'attributes'>> {
    if (tag.kind === 'fork') return { target: tag.target, attributes: tag.attributes };
    const { entry, scope, abbreviation } = await this.find(tag);
    return { target: entry, elsewhere: { scope, abbreviation }, attributes: {} };
  }

  private async workflow(tag: WorkflowTag): Promise<Transition> {
    if (tag.kind !== 'reset-workflow' && (this.reading.agent.depth ?? 0) >= MAX_DEPTH) {
      throw new Mistake({ kind: 'too-deep', tag: tag.kind, limit: MAX_DEPTH });
    }
    const { entry: target, scope } = await this.find(tag);
    const given = await this.fresh(tag);
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

  private async find({ kind: tag, target }: { readonly kind: string; readonly target: string }): Promise<Found> {
    const { scope } = this.reading.agent;
    const answer = await resolveWorkflow({ specifier: target, scope, platform: PLATFORM });
    switch (answer.kind) {
      case 'workflow':
        return answer;
      case 'problem':
        throw new Mistake(answer.problem);
      case 'refused': {
        const { code, message } = answer.error;
        // A disk or a network that fails may work again; everything else needs the author.
        if (code === 'Unreadable' || code === 'Download') throw turnFailure('StateUnreadable', message);
        throw new Mistake({ kind: 'unusable-workflow', tag, target: clip(target, 100), why: clip(message, 500) });
      }
      default:
        return assertNever(answer);
    }
  }

  private async ask(tag: AskTag): Promise<Transition> {
    const { upload, shown } = await shownFiles(tag, this.reading);
    const seconds = tag.timeout === undefined ? undefined : parseDuration(tag.timeout);
    return {
      kind: 'ask',
      prompt: await this.reading.artifacts.value(tag.prompt, MAX_KEPT_BYTES),
      next: tag.next,
      ...(seconds === undefined ? {} : { timeoutMs: seconds * 1000 }),
      ...(tag.timeout_next === undefined ? {} : { timeoutNext: tag.timeout_next }),
      ...(upload === undefined ? {} : { upload }),
      ...(shown.length === 0 ? {} : { shown }),
    };
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
  }): Promise<Pick<ForkWorker, 'input' | 'cd'> & { readonly task?: 'new' }> {
    const task = tag.task === undefined ? {} : { task: tag.task };
    return { ...(await this.input(tag)), ...(await this.cd(tag)), ...task };
  }

  private async input(
    { input }: { readonly input?: string | undefined },
    limit = MAX_INLINE_BYTES,
  ): Promise<Pick<ForkWorker, 'input'>> {
    return input === undefined ? {} : { input: await this.reading.artifacts.value(input, limit) };
  }

  private async cd({ kind, cd }: { readonly kind: string; readonly cd?: string }): Promise<Pick<ForkWorker, 'cd'>> {
    if (cd === undefined) return {};
    const path = resolve(this.reading.agent.cwd, cd);
    if (!(await isDirectory(path))) {
      throw new Mistake({ kind: 'missing-directory', tag: kind, path, host: hostname() });
    }
    return { cd: path };
  }
}

function delayOf({ delay }: { readonly delay?: string }): { readonly delayMs?: number } {
  const seconds = delay === undefined ? undefined : parseDuration(delay);
  return seconds === undefined ? {} : { delayMs: seconds * 1000 };
}

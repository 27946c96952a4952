// From a state's output to the turn's outcome: tags parsed, combined, resolved to files, directories checked, values stored.
// Mistakes of the output are values; only the world makes this throw.
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { assertNever } from '../protocol/assert.js';
import type { Combined } from '../protocol/combine.js';
import { combineTags } from '../protocol/combine.js';
import { parseTags } from '../protocol/parse.js';
import type { Problem } from '../protocol/problem.js';
import { resolveState } from '../protocol/resolve.js';
import type { ForkTag, Tag } from '../protocol/tag.js';
import type { ForkWorker, Transition } from '../protocol/transition.js';
import type { ArtifactStore } from './artifacts.js';
import { isDirectory, listScope, PLATFORM } from './state.js';
import type { TurnOutcome, TurnRequest } from './types.js';

/** What reading an output needs to know of its turn. */
export interface Reading {
  readonly agent: TurnRequest['agent'];
  readonly artifacts: ArtifactStore;
}

/** The outcome, and warnings for the author. `text` is what the state said: a script's stdout, or Claude's final message. */
export async function readOutcome(
  text: string,
  reading: Reading,
): Promise<{ readonly outcome: TurnOutcome; readonly warnings: readonly string[] }> {
  const parsed = parseTags(text);
  if (parsed.kind === 'problem') return { outcome: mistaken(parsed.problem, text), warnings: [] };
  const combined = combineTags(parsed.tags);
  const outcome = await resolved(combined, reading).catch((error: unknown) => {
    if (error instanceof Mistake) return mistaken(error.problem, text);
    throw error;
  });
  return { outcome, warnings: parsed.warnings };
}

function mistaken(problem: Problem, text: string): TurnOutcome {
  return { kind: 'problem', problem, text: text.slice(-2000) };
}

/** Carries a problem out of the depth of a resolution; never leaves this file. */
class Mistake extends Error {
  constructor(readonly problem: Problem) {
    super(problem.kind);
  }
}

async function resolved(combined: Combined, reading: Reading): Promise<TurnOutcome> {
  if (combined.kind === 'problem') throw new Mistake(combined.problem);
  const resolver = new Resolver(reading, await listScope(reading.agent.scope));
  const transition = combined.kind === 'fork' ? await resolver.fork(combined) : await resolver.one(combined.tag);
  return { kind: 'transition', transition };
}

class Resolver {
  constructor(
    private readonly reading: Reading,
    private readonly files: readonly string[],
  ) {}

  async one(tag: Exclude<Tag, ForkTag>): Promise<Transition> {
    switch (tag.kind) {
      case 'goto':
        return { kind: 'goto', target: this.state(tag.target), ...(await this.input(tag)) };
      case 'reset':
        return { kind: 'reset', target: this.state(tag.target), ...(await this.input(tag)), ...(await this.cd(tag)) };
      case 'call':
      case 'function':
        return {
          kind: tag.kind,
          target: this.state(tag.target),
          return: this.state(tag.return),
          ...(await this.input(tag)),
        };
      case 'result':
        return { kind: 'result', payload: await this.reading.artifacts.value(tag.payload) };
      default:
        return assertNever(tag);
    }
  }

  async fork({ workers, next, input }: Extract<Combined, { kind: 'fork' }>): Promise<Transition> {
    const started: ForkWorker[] = [];
    for (const tag of workers) {
      const { attributes } = tag;
      started.push({
        target: this.state(tag.target),
        attributes,
        ...(await this.input(tag)),
        ...(await this.cd(tag)),
      });
    }
    return { kind: 'fork', workers: started, next: this.state(next), ...(await this.input({ input })) };
  }

  private state(name: string): string {
    const found = resolveState({ name, files: this.files, platform: PLATFORM });
    if (found.kind === 'problem') throw new Mistake(found.problem);
    return found.file;
  }

  private async input({ input }: { readonly input?: string | undefined }): Promise<Pick<ForkWorker, 'input'>> {
    return input === undefined ? {} : { input: await this.reading.artifacts.value(input) };
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

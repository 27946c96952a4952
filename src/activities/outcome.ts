// From a state's output to the turn's outcome: tags parsed, combined, resolved to files, allowed, directories checked, values stored.
// Mistakes of the output are values; only the world makes this throw.
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { assertNever } from '../protocol/assert.js';
import { disallowed } from '../protocol/allow.js';
import type { Change, Combined } from '../protocol/combine.js';
import { combineTags } from '../protocol/combine.js';
import type { ParseResult } from '../protocol/parse.js';
import { parseTags } from '../protocol/parse.js';
import type { Rules } from '../protocol/policy.js';
import { implicitTag, NO_POLICY } from '../protocol/policy.js';
import type { Problem } from '../protocol/problem.js';
import { resolveChange } from '../protocol/resolve-change.js';
import type { ForkTag, Tag } from '../protocol/tag.js';
import type { ForkWorker, Transition } from '../protocol/transition.js';
import { MAX_INLINE_BYTES } from '../protocol/value.js';
import type { ArtifactStore } from './artifacts.js';
import { isDirectory, listScope } from './state.js';
import type { TurnOutcome, TurnRequest } from './types.js';

/** The most of the inputs of all forks of one output that goes through Temporal by value. */
const MAX_FORK_BYTES = 512 * 1024;

/** What reading an output needs to know of its turn; `rules` only of prompts. */
export interface Reading {
  readonly agent: TurnRequest['agent'];
  readonly artifacts: ArtifactStore;
  readonly rules?: Rules;
}

/** The outcome, and warnings for the author. `text` is what the state said: a script's stdout, or Claude's final message. */
export async function readOutcome(
  text: string,
  reading: Reading,
): Promise<{ readonly outcome: TurnOutcome; readonly warnings: readonly string[] }> {
  const { policy } = reading.rules ?? { policy: NO_POLICY };
  const mistaken = (problem: Problem): TurnOutcome => {
    const remindable = policy.allowed.length > 0 ? ({ remindable: true } as const) : {};
    return { kind: 'problem', problem, text: text.slice(-2000), ...remindable };
  };
  const meant = meantTags(text, reading.rules);
  if (meant.kind === 'problem') return { outcome: mistaken(meant.problem), warnings: [] };
  const outcome = await transitionOf(combineTags(meant.tags), reading).catch((error: unknown) => {
    if (error instanceof Mistake) return mistaken(error.problem);
    throw error;
  });
  return { outcome, warnings: meant.warnings };
}

/** The tags of the text; without any, or when they are not to count, the only one that is allowed. */
function meantTags(text: string, rules: Rules | undefined): ParseResult {
  const implicit = rules && implicitTag(rules.policy, rules.variables);
  if (implicit && rules.policy.forceImplicit) return { kind: 'tags', tags: [implicit], warnings: [] };
  const parsed = parseTags(text);
  const none = parsed.kind === 'tags' && parsed.tags.length === 0;
  return none && implicit ? { ...parsed, tags: [implicit] } : parsed;
}

/** Carries a problem out of the depth of a resolution; never leaves this file. */
class Mistake extends Error {
  constructor(readonly problem: Problem) {
    super(problem.kind);
  }
}

async function transitionOf(combined: Combined, reading: Reading): Promise<TurnOutcome> {
  if (combined.kind === 'problem') throw new Mistake(combined.problem);
  const resolved = resolveChange(combined, await listScope(reading.agent.scope));
  if (resolved.kind === 'problem') throw new Mistake(resolved.problem);
  const { change } = resolved;
  const forbidden = reading.rules && disallowed(reading.rules.policy, change);
  if (forbidden) throw new Mistake(forbidden);
  const maker = new Maker(reading);
  return {
    kind: 'transition',
    transition: change.kind === 'fork' ? await maker.fork(change) : await maker.one(change.tag),
  };
}

/** Makes transitions of tags whose names are files: directories checked, values stored. */
class Maker {
  constructor(private readonly reading: Reading) {}

  async one(tag: Exclude<Tag, ForkTag>): Promise<Transition> {
    switch (tag.kind) {
      case 'goto':
        return { kind: 'goto', target: tag.target, ...(await this.input(tag)) };
      case 'reset':
        return { kind: 'reset', target: tag.target, ...(await this.input(tag)), ...(await this.cd(tag)) };
      case 'call':
      case 'function':
        return {
          kind: tag.kind,
          target: tag.target,
          return: tag.return,
          ...(await this.input(tag)),
        };
      case 'result':
        return { kind: 'result', payload: await this.reading.artifacts.value(tag.payload) };
      default:
        return assertNever(tag);
    }
  }

  async fork({ workers, next, input }: Extract<Change, { kind: 'fork' }>): Promise<Transition> {
    // All of them travel in one report: of many, each may be less.
    const limit = Math.min(MAX_INLINE_BYTES, MAX_FORK_BYTES / workers.length);
    const started: ForkWorker[] = [];
    for (const tag of workers) {
      const { attributes } = tag;
      started.push({
        target: tag.target,
        attributes,
        ...(await this.input(tag, limit)),
        ...(await this.cd(tag)),
      });
    }
    return { kind: 'fork', workers: started, next, ...(await this.input({ input })) };
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

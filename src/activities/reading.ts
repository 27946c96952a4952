// What the reading of one output works with, and how a mistake found deep in it comes out.
// Must not read anything itself.
import type { Rules } from '../protocol/policy.js';
import type { Problem } from '../protocol/problem.js';
import type { ArtifactStore } from '../store/folder.js';
import type { Redactor } from './redact.js';
import type { TurnRequest } from './types.js';

/** What reading an output needs to know of its turn; `rules` only of prompts. */
export interface Reading {
  readonly agent: TurnRequest['agent'];
  readonly artifacts: ArtifactStore;
  /** The agent's task folder, absolute. */
  readonly taskFolder: string;
  readonly rules?: Rules;
  /** For what of the output is quoted. */
  readonly redactor?: Redactor;
}

/** Carries a problem out of the depth of a resolution; readOutcome makes it the turn's outcome. */
export class Mistake extends Error {
  constructor(readonly problem: Problem) {
    super(problem.kind);
  }
}

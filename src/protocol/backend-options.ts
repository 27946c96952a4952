// What a manifest asks of the backend of its prompts. A list of tools is a promise of safety: an option is honoured, or
// the turn fails before it starts.
import type { BackendName } from './language/policy.js';

/** The backend of a package, with its options. */
export interface ChosenBackend {
  readonly name: BackendName;
  readonly options?: PiOptions;
}

/** Options of pi; absent = its default. */
export interface PiOptions {
  readonly provider?: string;
  /** The effort of prompts that have none. */
  readonly thinking?: string;
  /** The only tools that a prompt may use. */
  readonly tools?: readonly string[];
  readonly noBuiltinTools?: boolean;
  readonly noTools?: boolean;
  readonly noExtensions?: boolean;
  readonly noSkills?: boolean;
  readonly extensions?: readonly string[];
  readonly skills?: readonly string[];
  /** The folder in which pi also saves conversations; relative to the agent's directory. */
  readonly sessionDir?: string;
}

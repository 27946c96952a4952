// A tag as a state wrote it: names not resolved to files, payloads as plain text, attributes under their written names.
// transition.ts is the resolved form.
/** Free attributes in the order in which they were written. */
export type Attributes = Readonly<Record<string, string>>;

/** One tag of a state's output. Targets are names as written, trimmed; absent attributes are absent. */
export type Tag =
  | ({
      readonly kind: 'goto';
      readonly target: string;
      readonly input?: string;
      readonly delay?: string;
    } & OwnAttributes)
  | ({ readonly kind: 'reset'; readonly target: string; readonly delay?: string } & NewContextAttributes &
      OwnAttributes)
  | ({ readonly kind: 'call' | 'function'; readonly target: string; readonly return: string } & {
      readonly input?: string;
    } & OwnAttributes)
  | ForkTag
  | { readonly kind: 'result'; readonly payload: string }
  | AskTag
  | AwaitTag
  | WorkflowTag
  | ForkWorkflowTag;

/** Custom attributes, for the next state only; absent = none. */
interface OwnAttributes {
  readonly attributes?: Attributes;
}

/** The settings of a new context: a value, a directory, and a task folder of its own. */
interface NewContextAttributes {
  readonly input?: string;
  readonly cd?: string;
  readonly task?: 'new';
}

/** `<fork>`: `next` may be missing on all but one of several forks. `attributes` excludes next, cd, input, and our own task and context. */
export interface ForkTag {
  readonly kind: 'fork';
  readonly target: string;
  readonly next?: string;
  readonly input?: string;
  readonly cd?: string;
  readonly task?: 'new' | 'inherit';
  /** Whether the new agent begins with the conversation of this one. */
  readonly context?: 'branch';
  readonly attributes: Attributes;
}

/** `<fork-workflow>`: `target` names another workflow. */
interface ForkWorkflowTag extends Omit<ForkTag, 'kind' | 'context' | 'attributes'> {
  readonly kind: 'fork-workflow';
}

/** The tags that move the agent itself into another workflow; `target` names it, `return` is a state of this one. */
export type WorkflowTag =
  | { readonly kind: 'call-workflow'; readonly target: string; readonly return: string; readonly input?: string }
  | ({ readonly kind: 'function-workflow'; readonly target: string; readonly return: string } & Omit<
      NewContextAttributes,
      'task'
    >)
  | ({ readonly kind: 'reset-workflow'; readonly target: string } & NewContextAttributes);

/** `<ask>`: a question to a person. ask-files.ts parses its attributes about files. */
export interface AskTag extends AskFileAttributes, WaitAttributes {
  readonly kind: 'ask';
  readonly prompt: string;
}

/** `<await>`: a wait for the forked agents. */
interface AwaitTag extends WaitAttributes {
  readonly kind: 'await';
}

/** Where a wait leads: in time to `next`, after `timeout` to `timeout_next`. */
interface WaitAttributes {
  readonly next: string;
  readonly timeout?: string;
  readonly timeout_next?: string;
}

/** The attributes of `<ask>` about files and offered answers, as written. */
export interface AskFileAttributes {
  readonly upload_slots?: string;
  readonly upload_bucket?: string;
  readonly upload_max_count?: string;
  readonly upload_max_size?: string;
  readonly upload_max_total_size?: string;
  readonly upload_mime?: string;
  readonly display_files?: string;
  readonly choices?: string;
}

/** A tag that starts another agent. */
export type StartingTag = ForkTag | ForkWorkflowTag;

/** A tag that must be the only one. */
export type SingleTag = Exclude<Tag, StartingTag>;

/** The name of a tag. */
export type TagName = Tag['kind'];

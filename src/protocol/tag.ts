// A tag as a state wrote it: names not yet resolved to files, payloads as plain text.
// Must not know files, sessions or agents; transition.ts is the resolved form.

/** Free attributes in the order in which they were written. */
export type Attributes = Readonly<Record<string, string>>;

/** One tag of a state's output. Targets are names as written, trimmed; absent attributes are absent. */
export type Tag =
  | { readonly kind: 'goto'; readonly target: string; readonly input?: string }
  | { readonly kind: 'reset'; readonly target: string; readonly input?: string; readonly cd?: string }
  | { readonly kind: 'call'; readonly target: string; readonly return: string; readonly input?: string }
  | { readonly kind: 'function'; readonly target: string; readonly return: string; readonly input?: string }
  | ForkTag
  | { readonly kind: 'result'; readonly payload: string };

/** `<fork>`: `next` may be missing on all but one of several forks. `attributes` excludes next, cd, input and our own task. */
export interface ForkTag {
  readonly kind: 'fork';
  readonly target: string;
  readonly next?: string;
  readonly input?: string;
  readonly cd?: string;
  readonly task?: 'new' | 'inherit';
  readonly attributes: Attributes;
}

/** The name of a tag. */
export type TagName = Tag['kind'];

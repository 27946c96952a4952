// Patterns that are matched in linear time (RE2), because a model writes the texts that they are searched in.
import { createRequire } from 'node:module';
import type * as re2js from 're2js';

const load = createRequire(import.meta.url);

/** The search for `pattern` in a text. Throws an `Error` about a pattern that RE2 cannot use. */
export function linearSearch(pattern: string): (text: string) => boolean {
  // Loaded only for a state that has one.
  const { RE2JS } = load('re2js') as typeof re2js;
  const expression = RE2JS.compile(pattern);
  return (text) => expression.matcher(text).find();
}

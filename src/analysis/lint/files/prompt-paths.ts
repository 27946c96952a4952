// Finds the files of the package that a prompt names by paths from the working directory: a helper to run, or a text to read. Pure.
import { literalPattern } from '../../../protocol/text.js';
import { plainText, promptsOf, statesOf } from '../helpers.js';
import type { Analysis, FindingDetails } from '../rule.js';

/** The first of these paths that each prompt names. */
export function* pathsOfPrompts(analysis: Analysis, paths: readonly string[]): Generator<FindingDetails> {
  // The model knows the folder of a skill.
  if (analysis.graph.source.files.has('SKILL.md')) return;
  const names = new Set(statesOf(analysis).map(({ file }) => file));
  const files = paths.filter((path) => !path.endsWith('/') && !names.has(path));
  for (const state of promptsOf(analysis)) {
    const text = plainText(state);
    if (!analysis.reached.has(state.file)) continue;
    if (/\{\{state_dir\}\}|\bfolder\s+of\s+(?:the|this)\s+(?:workflow|package|states?)\b|\bcd\b/.test(text)) continue;
    for (const path of files) {
      const at = text.includes(path) ? useIn(text, path) : undefined;
      if (at === undefined) continue;
      yield {
        at: state.source.prompt.body.at(at),
        state: state.file,
        message: `${path} is in the folder of the states, but the model looks for it in the working directory`,
        fix: `write {{state_dir}}/${path}`,
      };
      break;
    }
  }
}

/** Where a prompt runs or reads a file. */
function useIn(text: string, path: string): number | undefined {
  const name = String.raw`(?:\./)?${literalPattern(path)}(?![\w/-]|\.\w)`;
  const run = String.raw`(?:(?:python3?|node|bash|sh|source)\s+|\b(?:[Rr]un|[Ee]xecute|[Cc]all|[Ss]tart)\s+(?:the\s+(?:script|helper|program|command)\s+)?)["'\`]?`;
  const read = String.raw`\b(?:[Rr]ead|[Ff]ollow|[Ss]ee|[Uu]se|[Oo]pen|[Aa]pply|[Oo]bey|[Cc]onsult|[Ll]ook\s+(?:at|into)|according\s+to|from|in|of|with)\s+(?:the\s+)?(?:[\w-]+\s+){0,3}?["'\`]?`;
  const match = new RegExp(`(?:${run}|${read})(?<![\\w/}.@])(${name})`).exec(text);
  return match === null ? undefined : match.index + match[0].length - (match[1] ?? '').length;
}

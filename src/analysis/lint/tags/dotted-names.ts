// Finds names of states with a dot that a script puts together without the extension: Raymond takes such a name as the complete name of a file.
import { stem } from '../../../protocol/ids.js';
import { executorOf } from '../../../protocol/language/resolve.js';
import type { Edge } from '../../graph.js';
import { COMPUTED } from '../../shell/words.js';
import { plainText, scriptsOf, type ScriptState } from '../helpers.js';
import type { Analysis, FindingDetails } from '../rule.js';

/** The targets that a script computes, and that can only be names without an extension. */
export function* namesWithDot(analysis: Analysis): Generator<FindingDetails> {
  const files = [...analysis.graph.source.files.keys()].filter((file) => stem(file).includes('.') && isState(file));
  if (files.length === 0) return;
  for (const state of scriptsOf(analysis)) {
    const seen = new Set<number>();
    if (state.edges.some(({ to }) => to.kind === 'missing')) continue;
    for (const edge of state.edges) {
      if (edge.to.kind !== 'computed' || seen.has(edge.at.line) || mayAddExtension(state, files)) continue;
      const found = fileMeant(edge.to.text, { analysis, files, state });
      if (found === undefined) continue;
      seen.add(edge.at.line);
      yield finding(edge, found);
    }
  }
}

function finding({ from, at }: Edge, { file, offset }: Meant): FindingDetails {
  return {
    at: offset ?? at,
    state: from,
    severity: 'warning',
    message: `a name with a dot is the complete name of a file: "${stem(file)}" does not lead to ${file}`,
    fix: `write the name with its extension, such as ${file}, or name the file without the dot, such as ${file.replace('.', '_')}`,
  };
}

/** True for a file that runs as a script, or a Markdown file. */
function isState(file: string): boolean {
  return /\.md$/i.test(file) || executorOf(file) !== 'prompt';
}

/** True for a script that may get the extension from a text, or from the names of files. */
function mayAddExtension(state: ScriptState, files: readonly string[]): boolean {
  const extensions = new Set(files.map((file) => file.slice(stem(file).length + 1)));
  const code = plainText(state);
  return (
    /\breaddir|\blistdir\b|\bglob\b|\bscandir\b|\biterdir\b|STATE_DIR/.test(code) ||
    [...extensions].some((extension) =>
      new RegExp(`\\.${extension}(?=["'\`<]|\\b(?!\\.))|["'\`]${extension}["'\`]`).test(code),
    )
  );
}

/** A file that is meant, and where its name is written. */
interface Meant {
  readonly file: string;
  readonly offset?: FindingDetails['at'];
}

function fileMeant(
  text: string,
  {
    analysis,
    files,
    state,
  }: { readonly analysis: Analysis; readonly files: readonly string[]; readonly state: ScriptState },
): Meant | undefined {
  const all = [...analysis.graph.source.files.keys()];
  const prefix = /^([\w-]+)\.\uE000$/.exec(text)?.[1];
  if (prefix !== undefined) {
    const isPlain = all.some((file) => file.startsWith(`${prefix}.`) && !stem(file).includes('.'));
    const file = isPlain ? undefined : files.find((one) => one.startsWith(`${prefix}.`));
    return file === undefined ? undefined : { file };
  }
  if (text !== COMPUTED) return undefined;
  for (const { index, 2: name = '' } of plainText(state).matchAll(/(["'`])([A-Za-z_][\w-]*(?:\.[\w-]+)+)\1/g)) {
    const file = files.find((one) => stem(one) === name);
    if (file !== undefined && !all.includes(name)) return { file, offset: state.source.raw.at(index + 1) };
  }
  return undefined;
}

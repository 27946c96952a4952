// Finds prompts that get the result of a call and refer to what the called state said, though its conversation does not come back. Pure.
import { edgesInto, reachableFrom, type Edge } from '../../graph.js';
import { isOwnTransition } from '../../loops.js';
import { hasUnknownTargets, promptsOf, searchableText, withoutLongLines, type PromptState } from '../helpers.js';
import type { Analysis, FindingDetails } from '../rule.js';
import { namedFiles } from '../files/places.js';

const VERBS =
  '(found|listed|opened|quoted|collected|noted|gathered|named|identified|described|looked\\s+up|searched|researched|explained|counted)';

/** Says that the model has found or listed something, or that something stands above. */
const REFERENCE = new RegExp(
  [
    String.raw`\byou(?:\s+have|\s+had|['’]ve)?\s+(?:just\s+|already\s+)?${VERBS}\b`,
    String.raw`\b${VERBS}\s+(?:in\s+full\s+)?above\b`,
    String.raw`\bthe\s+(list|table|findings|facts|quotes|quotations|paragraphs|notes|results|bugs|problems)\s+above\b`,
  ].join('|'),
  'i',
);

/** A result that says only that the work is done. */
const ONLY_DONE = /^\W*(?:done|finished|ok|okay|ready|complete|completed|written|yes|success)\W*$/i;

/** The references to a conversation that ended with its call. */
export function* referencesToCall(analysis: Analysis): Generator<FindingDetails> {
  const { graph } = analysis;
  if (hasUnknownTargets(analysis)) return;
  for (const state of promptsOf(analysis)) {
    const incoming = edgesInto(graph, state.file);
    const { body } = state.source.prompt;
    const match = REFERENCE.exec(withoutLongLines(body.text).replaceAll('\n', ' '));
    if (match === null || incoming.length === 0 || !incoming.every(({ role }) => role === 'return')) continue;
    const called = incoming.map((edge) => calledPrompt(analysis, edge));
    const word = (match[1] ?? match[2] ?? match[3] ?? '').toLowerCase();
    if (called.some((one) => one === undefined || !saysOnlyDone(one)) || isSaidByCaller(analysis, { state, word }))
      continue;
    if (/\{\{task_folder\}\}\/|\bin\s+the\s+files?\b/.test(body.text.slice(0, match.index + 80))) continue;
    yield {
      at: body.at(match.index),
      state: state.file,
      message: `only the result of ${called[0]?.file ?? 'the call'} gets here, and it says only that the work is done: the model does not see what was said in the call`,
      fix: `let ${called[0]?.file ?? 'the called state'} end with the text as its <result>, and write {{result}} here`,
    };
  }
}

/** The prompt that an edge with a result comes from, if it is the only state of the call. */
function calledPrompt({ graph }: Analysis, { from, mention }: Edge): PromptState | undefined {
  const call = graph.states.get(from)?.edges.find((edge) => edge.mention === mention && edge.role === 'target');
  const file = call?.to.kind === 'state' ? call.to.file : undefined;
  const state = file === undefined ? undefined : graph.states.get(file);
  if (file === undefined || state?.source.kind !== 'prompt') return undefined;
  return reachableFrom(graph, { from: [file], accepts: isOwnTransition }).size === 1
    ? (state as PromptState)
    : undefined;
}

/** True for a prompt whose results are all a word such as "done", and that leaves no file. */
function saysOnlyDone(state: PromptState): boolean {
  const results = state.mentions.filter(({ tag, body }) => tag === 'result' && body !== undefined && body.value !== '');
  const text = searchableText(state);
  const leaves = namedFiles(state).some(({ use }) => use === 'write' || use === 'append') || /task_folder/.test(text);
  return results.length > 0 && results.every(({ body }) => ONLY_DONE.test(body?.value ?? '')) && !leaves;
}

/** True if a prompt of the conversation that comes back may have asked for what is meant. */
function isSaidByCaller(
  { graph }: Analysis,
  { state, word }: { readonly state: PromptState; readonly word: string },
): boolean {
  const stem = word.split(/\s/)[0]?.slice(0, 4) ?? word;
  const callers = promptsOf({ graph }).filter(
    ({ file }) =>
      file !== state.file &&
      reachableFrom(graph, { from: [file], accepts: ({ role, tag }) => role !== 'target' || tag === 'goto' }).has(
        state.file,
      ),
  );
  return callers.some((one) => new RegExp(`\\b${stem}`, 'i').test(searchableText(one)));
}

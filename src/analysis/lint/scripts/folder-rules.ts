// Rules about the files in task folders: uploaded files, which have the names of their slots, and the folder of a forked agent, which is not
// that of the agent that forked it.
import { allEdges, reachableFrom, type Edge, type Graph, type StateNode } from '../../graph.js';
import { isComputed } from '../../mention.js';
import type { PositionedText } from '../../position.js';
import { hasUnknownTargets, matches, searchableText, statesOf, withoutLongLines } from '../helpers.js';
import { edgesWithValue } from '../passed.js';
import type { Analysis, FindingDetails, Rule } from '../rule.js';

function* wrongSlots(analysis: Analysis): Generator<FindingDetails> {
  for (const { file, source } of statesOf(analysis)) {
    const slots = slotsInto(analysis, file);
    if (slots === undefined || (source.kind !== 'prompt' && source.kind !== 'script')) continue;
    const text = source.kind === 'prompt' ? source.prompt.body : source.raw;
    for (const { name, at } of uploadsRead(text))
      if (!slots.includes(name))
        yield {
          at,
          state: file,
          message: `there is no uploaded file ${name}: an uploaded file has the name of its slot, here ${slots.join(' or ')}`,
          fix: `write ${slots.find((slot) => name.startsWith(`${slot}.`)) ?? slots[0] ?? 'the name of the slot'}`,
        };
  }
}

/** The slots of the questions whose answers a state gets; undefined if it may get other files. */
function slotsInto(analysis: Analysis, file: string): readonly string[] | undefined {
  const edges = edgesWithValue(analysis, file);
  if (edges.length === 0 || edges.some(({ tag }) => tag !== 'ask')) return undefined;
  const slots = edges.map(({ mention }) => mention.attributes.get('upload_slots')?.value);
  if (slots.some((list) => list === undefined || isComputed(list))) return undefined;
  return slots.flatMap((list) => (list ?? '').split(',').map((slot) => slot.trim().split(':')[0] ?? ''));
}

interface Read {
  readonly name: string;
  readonly at: FindingDetails['at'];
}

/** The plain names of files in the folder of an answer: by its path, or by a variable that stands for it. */
function* uploadsRead(text: PositionedText): Generator<Read> {
  const plain = withoutLongLines(text.text);
  const id = String.raw`\$?\{*(?:RAYMOND_ASK_ID|ask_id)\}*["']?`;
  const folder = String.raw`\basks/["']?${id}`;
  const variables = [
    ...plain.matchAll(
      /(?<![\w.])(\w+)\s*=(?!=)[^\n]*\basks\b[^\n]*(?:ASK_ID|ask_id|askId)["'\])}]*\)?[ \t]*;?[ \t]*$/gm,
    ),
  ].map(([, name = '']) => name);
  const path =
    variables.length === 0 ? folder : String.raw`(?:${folder}|\$?\{?(?<!\w)(?:${variables.join('|')})\}?["']?)`;
  const name = String.raw`([\w-]+(?:\.\w+)?)(?![\w*?[/.-])`;
  const patterns = [
    `${path}/["']?${name}`,
    ...variables.flatMap((variable) => [
      String.raw`(?<![\w.])${variable}\s*/\s*["']${name}["']`,
      String.raw`\bjoin\(\s*${variable}\s*,\s*["']${name}["']`,
    ]),
  ];
  for (const pattern of patterns)
    for (const match of plain.matchAll(new RegExp(pattern, 'g'))) {
      const [whole, file = ''] = match;
      if (file !== 'shown') yield { name: file, at: text.at(match.index + whole.lastIndexOf(file)) };
    }
}

function* otherFolders(analysis: Analysis): Generator<FindingDetails> {
  const { graph } = analysis;
  for (const fork of allEdges(graph)) {
    const { to, from, mention } = fork;
    if (fork.tag !== 'fork' || fork.role !== 'target' || to.kind !== 'state' || to.file === from) continue;
    if (mention.attributes.get('task')?.value === 'inherit' || mention.malformed !== undefined) continue;
    yield* folderOfParent(graph, fork, to.file);
  }
}

/** A forked state that reads what the forking state has written into its own task folder. */
function* folderOfParent(graph: Graph, { from, mention }: Edge, to: string): Generator<FindingDetails> {
  const [giver, taker] = [graph.states.get(from), graph.states.get(to)];
  if (giver?.source.kind !== 'script' || taker === undefined || mention.attributes.has('cd')) return;
  const isReachedOtherwise = allEdges(graph).some(
    (edge) => edge.to.kind === 'state' && edge.to.file === to && edge.tag !== 'fork',
  );
  if (isReachedOtherwise || (taker.source.kind !== 'prompt' && taker.source.kind !== 'script')) return;
  const written = new Set([...searchableText(giver).matchAll(WRITTEN)].map(([, name = '']) => name));
  const text = taker.source.kind === 'prompt' ? taker.source.prompt.body : taker.source.raw;
  for (const { match, at } of matches(text, IN_FOLDER)) {
    const [, name = ''] = match;
    const before = text.text.slice(Math.max(0, match.index - 60), match.index);
    if (!written.has(name) || WRITES.test(before) || />\s*"?$/.test(before)) continue;
    yield {
      at,
      state: to,
      message: `${name} is not in this task folder: ${from} writes it to its own, and the forked agent has another one`,
      fix: 'write task="inherit" in the <fork>, or keep the file in the working directory',
    };
    return;
  }
}

const WRITTEN = />\s*"?\$\{?RAYMOND_TASK_FOLDER\}?"?\/([\w-]+(?:\.\w+)?)\b/g;
const IN_FOLDER = /(?:\{\{task_folder\}\}|\$\{?RAYMOND_TASK_FOLDER\}?"?)\/([\w-]+(?:\.\w+)?)(?![\w/*?[-])/g;
const WRITES = /\b(?:writ\w*|creat\w*|sav\w*|stor\w*|append\w*|put|into|to)\b[^.\n]*$/i;

const READS =
  /^[^#\n]*(?:\b(?:cat|head|tail|wc|cp|mv|jq|grep|sort|read)\b|<\s*|\bin\b|open\(|read|glob)[^\n]*TASK_FOLDER/m;

/** A task folder that only forked agents write to, each to its own, and that a state of the forking agent reads. */
function* foldersOfForks(analysis: Analysis): Generator<FindingDetails> {
  const { graph, reached } = analysis;
  const forks = allEdges(graph).filter(
    ({ tag, role, from }) => tag === 'fork' && role === 'target' && reached.has(from),
  );
  if (forks.length === 0 || forks.some(({ mention }) => mention.source === 'policy' || mention.attributes.has('task')))
    return;
  if (hasUnknownTargets(analysis)) return;
  const forked = reachableFrom(graph, { from: forks.flatMap(({ to }) => (to.kind === 'state' ? [to.file] : [])) });
  const states = statesOf(analysis).filter(({ file }) => reached.has(file));
  const own = states.filter(({ file }) => !forked.has(file));
  const users = own.filter((state) => /task_folder/i.test(searchableText(state)));
  const [reader] = users;
  const isWritten = states.some((state) => forked.has(state.file) && writesToFolder(state));
  if (users.length !== 1 || reader?.source.kind !== 'script' || !isWritten || writesToFolder(reader)) return;
  const use = READS.exec(withoutLongLines(searchableText(reader)));
  if (use === null || /asks\b|isfile|-f\b|exists/.test(use[0])) return;
  yield {
    at: reader.source.raw.at(use.index + use[0].search(/\S/)),
    state: reader.file,
    message: 'the files of the forked agents are not in this task folder: each of them writes to its own',
    fix: 'write task="inherit" in the <fork>, or keep the files in the working directory',
  };
}

function writesToFolder(state: StateNode): boolean {
  const text = withoutLongLines(searchableText(state));
  if (state.source.kind !== 'prompt')
    return /(?:>\s*|tee\s+|mkdir[^\n]*|write[^\n]*|cp [^\n]+ |mv [^\n]+ )"?\$?\{?[^\n]*TASK_FOLDER/.test(text);
  return /\b(?:writ\w*|creat\w*|sav\w*|stor\w*|put)\b[^.]*\{\{task_folder\}\}/i.test(text);
}

/** Rules about files in task folders. */
export const FOLDER_RULES: readonly Rule[] = [
  {
    id: 'wrong-slot',
    severity: 'warning',
    summary:
      'A state reads a file that a person uploaded with an answer to <ask>, but uses a name other than the name of the upload slot.',
    why: 'An uploaded file is stored as asks/<ask id>/<slot>, without its original name and extension.',
    check: wrongSlots,
  },
  {
    id: 'other-task-folder',
    severity: 'warning',
    summary:
      'A state looks in the task folder of its agent for a file that another agent wrote to another task folder.',
    why: 'Each forked agent has a task folder of its own, which is empty at first. With task="inherit" it shares the folder of the agent that forked it.',
    check: (analysis) => [...otherFolders(analysis), ...foldersOfForks(analysis)],
  },
];

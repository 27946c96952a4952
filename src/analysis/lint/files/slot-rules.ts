// The rule about uploaded files: they are in the folder of their question, under the names of their slots.
import { nearest } from '../../../protocol/text.js';
import type { StateNode } from '../../graph.js';
import { isComputed } from '../../mention.js';
import type { PositionedText } from '../../position.js';
import { COMPUTED } from '../../shell/words.js';
import { plainText, statesOf, wholeName, withoutLongLines } from '../helpers.js';
import { edgesWithValue } from '../passed.js';
import type { PathUse } from '../paths/path.js';
import { functionsIn } from '../numbers/lengths.js';
import { pathUses } from '../paths/path-uses.js';
import { asksShown, misplacedUploads } from '../paths/upload-paths.js';
import type { Analysis, FindingDetails, Rule } from '../rule.js';
import { otherUploadFolder } from './upload-folders.js';

function wrongSlots(analysis: Analysis): readonly FindingDetails[] {
  const found = [...wrongNames(analysis)];
  const reported = new Set(found.map(({ state }) => state));
  const others = [...misplacedUploads(analysis)].filter(({ state }) => !reported.has(state.file));
  return [...found, ...others.flatMap(({ state, use }) => uploadFinding(state, use))];
}

function uploadFinding({ file, source }: StateNode, { at, madeAt = at }: PathUse): readonly FindingDetails[] {
  if (source.kind !== 'prompt' && source.kind !== 'script') return [];
  return [
    {
      at: (source.kind === 'prompt' ? source.prompt.body : source.raw).at(madeAt),
      state: file,
      message: NOT_UPLOADED,
      fix: `look in ${uploadFolder(source.kind)}`,
    },
  ];
}

const NOT_UPLOADED = 'there is no uploaded file at this path: uploaded files are in asks/<ask id>/ of the task folder';

function uploadFolder(kind: 'prompt' | 'script'): string {
  return kind === 'prompt' ? '{{task_folder}}/asks/{{ask_id}}' : '$RAYMOND_TASK_FOLDER/asks/$RAYMOND_ASK_ID';
}

function* wrongNames(analysis: Analysis): Generator<FindingDetails> {
  for (const state of statesOf(analysis)) {
    const { file, source } = state;
    const questions = questionsInto(analysis, file);
    const slots = questions?.flatMap((one) => one.slots);
    if (questions === undefined || slots === undefined || (source.kind !== 'prompt' && source.kind !== 'script'))
      continue;
    const text = source.kind === 'prompt' ? source.prompt.body : source.raw;
    const other = otherUploadFolder(state, slots);
    if (other !== undefined)
      yield {
        at: text.at(other.at),
        state: file,
        message: NOT_UPLOADED,
        fix: `write ${uploadFolder(source.kind)}/${slots[0] ?? 'SLOT'}`,
      };
    const named = [...uploadsRead(text)];
    const others = [...uploadsJoined(state, { text, slots }), ...uploadsListed(text), ...uploadsPassed(text)];
    const reads = [...named, ...others.filter(({ name }) => !named.some((one) => one.name === name))];
    yield* otherSlots(analysis, { file, questions, reads });
    for (const { name, at } of reads)
      if (!slots.includes(name))
        yield {
          at,
          state: file,
          message: `there is no uploaded file ${name}: an uploaded file has the name of its slot, here ${slots.join(' or ')}`,
          fix: `write ${slots.find((slot) => name.startsWith(`${slot}.`)) ?? slots[0] ?? 'the name of the slot'}`,
        };
  }
}

/** A question with its slots. */
interface Question extends Pick<FindingDetails, 'at'> {
  readonly from: string;
  readonly slots: readonly string[];
}

/** A state, the questions whose answers it gets, and the files that it reads. */
interface Asked {
  readonly file: string;
  readonly questions: readonly Question[];
  readonly reads: readonly Read[];
}

/** The questions whose answers a state gets; undefined if it may get other files. */
function questionsInto(analysis: Analysis, file: string): readonly Question[] | undefined {
  const edges = edgesWithValue(analysis, file);
  if (edges.length === 0 || edges.some(({ tag }) => tag !== 'ask')) return undefined;
  const asks = edges.flatMap((edge) => asksShown(analysis, edge).map((ask) => ({ ask, from: edge.from })));
  const questions = asks.flatMap(({ ask: { attributes }, from }): readonly Question[] => {
    const { value = COMPUTED, valueAt: at } = attributes.get('upload_slots') ?? {};
    if (isComputed(value) || at === undefined) return [];
    return [{ from, at, slots: value.split(',').map((slot) => slot.trim().split(':')[0] ?? '') }];
  });
  return questions.length < asks.length ? undefined : questions;
}

/** What may read files whatever their names are. */
const LISTS = /readdir|listdir|scandir|iterdir|glob|walk\(|\bls\b|\bfind\b|\/["']?\*|\bcp -\w*[raR]|ask_id\}\}(?!\/\w)/;

/** The questions that ask for a file which no state names, in the place of one that the state reads after each of them. */
function* otherSlots(analysis: Analysis, { file, questions, reads }: Asked): Generator<FindingDetails> {
  const code = statesOf(analysis).map((state) => plainText(state).replace(/<ask\b[^]*?<\/ask>/g, ' '));
  const isRead = (slot: string): boolean => code.some((text) => LISTS.test(text) || wholeName(slot).test(text));
  for (const { slots, at, from } of questions) {
    const others = questions.filter((one) => one.slots.length === slots.length).flatMap((one) => one.slots);
    const missing = reads.find(({ name }) => others.includes(name) && !slots.includes(name));
    const unread = missing && slots.find((slot) => !isRead(slot));
    if (missing === undefined || unread === undefined) continue;
    yield {
      at,
      state: from,
      message: `${file} reads the uploaded file ${missing.name}, but this question asks for ${unread}, which no state reads`,
      fix: `write ${missing.name} in the place of ${unread}, as in the other question`,
    };
  }
}

interface Read {
  readonly name: string;
  readonly at: FindingDetails['at'];
}

/** `for (const slot of ["front", "label"])`, and the same in bash, as a comprehension or with a constant. */
const EACH =
  /(\[[^[\]\n]*\]|(?<![\w.])\w+)\.(?:filter|map|forEach|flatMap|some|every)\(\s*(?:async\s*)?\(?\s*(\w+)|\bfor\s*\(?\s*(?:const\s+|let\s+)?(\w+)\s+(?:of|in)\s+([[(][^[\]()\n]*[\])]|"?\$\{\w+\[@\]\}"?|\w+(?=\s*[):\]])|[\w-]+(?: +[\w-]+)+(?=;?\s*do\b))/g;

/** The names in a list each of which a script joins with the folder of an answer, without a test for the file. */
function* uploadsListed(text: PositionedText): Generator<Read> {
  const plain = withoutLongLines(text.text);
  const { path, variables } = answerFolder(plain);
  if (/\bexists|\bis_?file|\baccess|\bcatch\b|\bexcept\b|\s-[efrs]\s|\|\||\/dev\/null/i.test(plain)) return;
  const loops = [...plain.matchAll(EACH)].map((match) => {
    const [whole, before = '', each, item = each ?? '', list = before] = match;
    return { item, list, at: match.index + whole.indexOf(list) };
  });
  for (const { item, list, at } of loops) {
    const isOnly = loops.every((one) => one.item !== item || one.list === list);
    const used = [`${path}/["']?\\$?\\{?${item}\\b`];
    for (const name of variables)
      used.push(`(?<![\\w.])${name}\\s*/\\s*${item}\\b`, `\\bjoin\\(\\s*${name}\\s*,\\s*${item}\\b`);
    if (!isOnly || !new RegExp(used.join('|')).test(plain)) continue;
    const [, constant] = /^"?(?:\$\{)?(\w+)(?:\[@\]\}"?)?$/.exec(list) ?? [];
    const made = new RegExp(`(?<![\\w.$])${constant ?? '-'}\\s*=\\s*[[(]([^[\\]()\\n]*)[\\])]`).exec(plain);
    const words = constant === undefined ? list : (made?.[1] ?? '');
    const from = made === null ? at : made.index + made[0].indexOf(words);
    if (/^[\w\s"'`,.()[\]-]+$/.test(words))
      for (const { index, 0: name } of words.matchAll(/[\w-]+(?:\.\w+)?/g)) yield { name, at: text.at(from + index) };
  }
}

/** The names that calls pass to a function which joins them with the folder of an answer: `read("staff.csv")`. */
function* uploadsPassed(text: PositionedText): Generator<Read> {
  const plain = withoutLongLines(text.text);
  const { variables } = answerFolder(plain);
  for (const { name, params, at, end } of variables.length === 0 ? [] : functionsIn(plain)) {
    const body = plain.slice(at, end);
    const param = params.find((one) =>
      new RegExp(`(?<![\\w.])(?:${variables.join('|')})\\s*(?:/|,)\\s*${one || '-'}(?!\\w)`).test(body),
    );
    if (param === undefined || params.indexOf(param) > 0 || /\bexists|\bis_file|\bisfile/.test(body)) continue;
    for (const { index, 0: whole, 1: file = '' } of plain.matchAll(
      new RegExp(`(?<![\\w.])${name}\\(\\s*["']([\\w-]+(?:\\.\\w+)?)["']`, 'g'),
    ))
      yield { name: file, at: text.at(index + whole.lastIndexOf(file)) };
  }
}

/** How a state names the folder of an answer: a pattern for it, and the variables that stand for it. */
function answerFolder(plain: string): { readonly path: string; readonly variables: readonly string[] } {
  const id = String.raw`\$?\{*(?:RAYMOND_ASK_ID|ask_id)\}*["']?`;
  const folder = String.raw`\basks/["']?${id}`;
  const variables = [
    ...plain.matchAll(
      /(?<![\w.])(\w+)\s*=(?!=)[^\n]*\basks\b[^\n]*(?:ASK_ID|ask_id|askId)["'\])}]*\)?[ \t]*;?[ \t]*$/gm,
    ),
  ].map(([, name = '']) => name);
  const path =
    variables.length === 0 ? folder : String.raw`(?:${folder}|\$?\{?(?<!\w)(?:${variables.join('|')})\}?["']?)`;
  return { path, variables };
}

/** The same names where a program joins the parts of the path. */
function* uploadsJoined(
  state: StateNode,
  { text, slots }: { readonly text: PositionedText; readonly slots: readonly string[] },
): Generator<Read> {
  if (state.source.kind !== 'script') return;
  const uses = pathUses(state);
  for (const { path, kind, at, madeAt = at } of uses) {
    const [, name] = /\/asks\/\{RAYMOND_ASK_ID\}\/([\w-]+(?:\.\w+)?)$/.exec(path) ?? [];
    const isMade = uses.some((use) => use.path === path && use.kind === 'write');
    // What another function gets may be a new file, unless its name is nearly that of a slot.
    const isRead = kind === 'read' || (kind === 'unknown' && name !== undefined && nearest(name, slots) !== undefined);
    if (name !== undefined && name !== 'shown' && isRead && !isMade) yield { name, at: text.at(madeAt) };
  }
}

/** The plain names of files in the folder of an answer: by its path, or by a variable that stands for it. */
function* uploadsRead(text: PositionedText): Generator<Read> {
  const plain = withoutLongLines(text.text);
  const { path, variables } = answerFolder(plain);
  const name = String.raw`([\w-]+(?:\.\w+)?)(?![\w*?[/-]|\.[\w*?[{$-])`;
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

/** The rule about uploaded files. */
export const SLOT_RULES: readonly Rule[] = [
  {
    id: 'wrong-slot',
    severity: 'warning',
    summary:
      'A person uploads a file with the answer to an <ask>, but a state looks for the file at a wrong path. The file is in asks/<ask id>/ of the task folder and has the name of its slot or, with upload_bucket, its own name.',
    why: 'An uploaded file is stored as asks/<ask id>/<slot>, without its original name and extension.',
    check: wrongSlots,
  },
];

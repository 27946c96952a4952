// The rule about uploaded files: they are in the folder of their question, under the names of their slots.
import type { StateNode } from '../../graph.js';
import { isComputed } from '../../mention.js';
import type { PositionedText } from '../../position.js';
import { statesOf, withoutLongLines } from '../helpers.js';
import { edgesWithValue } from '../passed.js';
import type { PathUse } from '../paths/path.js';
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
    const slots = slotsInto(analysis, file);
    if (slots === undefined || (source.kind !== 'prompt' && source.kind !== 'script')) continue;
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
    const joined = [...uploadsJoined(state, text)].filter(({ name }) => !named.some((one) => one.name === name));
    for (const { name, at } of [...named, ...joined])
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
  const asks = edges.flatMap((edge) => asksShown(analysis, edge));
  const slots = asks.map(({ attributes }) => attributes.get('upload_slots')?.value);
  if (slots.some((list) => list === undefined || isComputed(list))) return undefined;
  return slots.flatMap((list) => (list ?? '').split(',').map((slot) => slot.trim().split(':')[0] ?? ''));
}

interface Read {
  readonly name: string;
  readonly at: FindingDetails['at'];
}

/** The same names where a program joins the parts of the path. */
function* uploadsJoined(state: StateNode, text: PositionedText): Generator<Read> {
  if (state.source.kind !== 'script') return;
  const uses = pathUses(state);
  for (const { path, kind, at, madeAt = at } of uses) {
    const [, name] = /\/asks\/\{RAYMOND_ASK_ID\}\/([\w-]+(?:\.\w+)?)$/.exec(path) ?? [];
    const isMade = uses.some((use) => use.path === path && use.kind === 'write');
    if (name !== undefined && name !== 'shown' && kind === 'read' && !isMade) yield { name, at: text.at(madeAt) };
  }
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

/** The rule about uploaded files. */
export const SLOT_RULES: readonly Rule[] = [
  {
    id: 'wrong-slot',
    severity: 'warning',
    summary:
      'A person uploads a file with the answer to an <ask>, but a state looks for the file at a wrong path. The file is in asks/<ask id>/ of the task folder, under the name that the attribute upload_slots gives.',
    why: 'An uploaded file is stored as asks/<ask id>/<slot>, without its original name and extension.',
    check: wrongSlots,
  },
];

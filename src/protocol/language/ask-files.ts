// The files of an `<ask>`: which ones a person may send with the answer, and which ones the person sees; and the answers
// that it offers. Pure: activities and clients bring names, sizes and types.
import type { AskFileAttributes } from './tag.js';
import { clip, defined, utf8Length } from '../text.js';

/** A file that the answer must bring. `types` are MIME types, `image/*` matches a family; none = any. */
interface UploadSlot {
  readonly name: string;
  readonly types: readonly string[];
}

/** What an answer may bring: one file per slot, or any files within limits (bytes). */
export type Upload =
  | { readonly kind: 'slots'; readonly slots: readonly UploadSlot[] }
  | {
      readonly kind: 'bucket';
      readonly types: readonly string[];
      readonly maxCount: number;
      readonly maxBytes: number;
      readonly maxTotalBytes: number;
    };

/** A file to show with the question: its path as written, and its label. */
export interface ShownFile {
  readonly path: string;
  readonly label: string;
}

/** The files of a question, and the answers that it offers; any other text is an answer as well. */
export interface AskFiles {
  readonly upload?: Upload;
  readonly choices?: readonly string[];
  readonly shown: readonly ShownFile[];
}

/** An attribute that cannot be parsed, and the expected form. */
export interface AttributeProblem {
  readonly attribute: string;
  readonly expected: string;
}

/** A file that came with an answer: `name` is its slot, or its own name. */
export interface SentFile {
  readonly name: string;
  readonly bytes: number;
  readonly type: string;
}

const MIB = 1024 ** 2;
const LIMITS = { maxCount: 10, maxBytes: 10 * MIB, maxTotalBytes: 100 * MIB };
const NAME_FORM = 'file names without separators and without a dot at the beginning';

/** Understands the attributes about files and offered answers. */
export function readAskFiles(attributes: AskFileAttributes): AskFiles | AttributeProblem {
  const shown = shownFiles(attributes.display_files);
  if ('expected' in shown) return shown;
  const choices = readChoices(attributes.choices);
  if (choices !== undefined && 'expected' in choices) return choices;
  const upload = readUpload(attributes);
  if (upload !== undefined && 'expected' in upload) return upload;
  return { shown, ...defined({ upload, choices }) };
}

const MOST_CHOICES = 12;
const LONGEST_CHOICE = 80;

function readChoices(written: string | undefined): readonly string[] | AttributeProblem | undefined {
  if (written === undefined) return undefined;
  const choices = listOf(written);
  const isBad =
    choices.length === 0 ||
    choices.length > MOST_CHOICES ||
    new Set(choices).size < choices.length ||
    choices.some((choice) => choice.length > LONGEST_CHOICE);
  return isBad
    ? {
        attribute: 'choices',
        expected: `up to ${MOST_CHOICES} different short answers such as "merge,wait,reject"`,
      }
    : choices;
}

function readUpload(attributes: AskFileAttributes): Upload | AttributeProblem | undefined {
  const { upload_slots: slots, upload_bucket: bucket } = attributes;
  if (bucket !== undefined && !/^(true|false)$/.test(bucket)) {
    return { attribute: 'upload_bucket', expected: 'true or false' };
  }
  if (bucket === 'true') {
    if (slots !== undefined) return { attribute: 'upload_slots', expected: 'upload or upload_bucket, not both' };
    return bucketOf(attributes);
  }
  const lonely = (['upload_max_count', 'upload_max_size', 'upload_max_total_size', 'upload_mime'] as const).find(
    (name) => attributes[name] !== undefined,
  );
  if (lonely !== undefined) return { attribute: lonely, expected: 'upload_bucket="true" beside it' };
  return slots === undefined ? undefined : slotsOf(slots);
}

function bucketOf(attributes: AskFileAttributes): Upload | AttributeProblem {
  const limits = { ...LIMITS };
  for (const [attribute, limit] of [
    ['upload_max_count', 'maxCount'],
    ['upload_max_size', 'maxBytes'],
    ['upload_max_total_size', 'maxTotalBytes'],
  ] as const) {
    const written = attributes[attribute];
    if (written === undefined) continue;
    const number = Number(written);
    if (!Number.isSafeInteger(number) || number < 1) return { attribute, expected: 'a whole number from 1 on' };
    limits[limit] = number;
  }
  const types = listOf(attributes.upload_mime ?? '').map((type) => type.toLowerCase());
  if (!types.every(isType)) return { attribute: 'upload_mime', expected: 'types such as application/pdf, image/*' };
  return { kind: 'bucket', types, ...limits };
}

function slotsOf(written: string): Upload | AttributeProblem {
  const slots = listOf(written).map((part): UploadSlot => {
    const [name, types = ''] = splitAt(part);
    return { name, types: listOf(types, '|').map((type) => type.toLowerCase()) };
  });
  const names = new Set(slots.map(({ name }) => name));
  const bad =
    slots.length === 0 ||
    names.size < slots.length ||
    slots.some(({ name, types }) => sentNameProblem(name) !== undefined || !types.every(isType));
  return bad
    ? {
        attribute: 'upload_slots',
        expected: `different names such as "report:application/pdf,photo:image/*"; ${NAME_FORM}`,
      }
    : { kind: 'slots', slots };
}

function shownFiles(written: string | undefined): readonly ShownFile[] | AttributeProblem {
  if (written === undefined) return [];
  const files = listOf(written).map((part): ShownFile => {
    const [path, label] = splitAt(part);
    return { path, label: label ?? path.replace(/^.*[/\\]/, '') };
  });
  const labels = new Set(files.map(({ label }) => label));
  const bad = labels.size < files.length || files.some(({ path, label }) => !isInside(path) || !isFileName(label));
  if (!bad) return files;
  return {
    attribute: 'display_files',
    expected: `paths below the working directory with different labels, such as "out/plan.md:The plan"`,
  };
}

/** The problem of an answer's files; undefined when the question accepts them. */
export function uploadProblem(upload: Upload | undefined, files: readonly SentFile[]): string | undefined {
  // On some systems names that differ only in case are the same file.
  const names = new Set(files.map(({ name }) => name.toLowerCase()));
  if (names.size < files.length) return 'two files have the same name';
  for (const { name } of files) {
    const problem = sentNameProblem(name);
    if (problem !== undefined) return problem;
  }
  if (upload === undefined) return files.length === 0 ? undefined : 'this question takes no files';
  return upload.kind === 'slots' ? slotProblem(upload.slots, files) : bucketProblem(upload, files);
}

function slotProblem(slots: readonly UploadSlot[], files: readonly SentFile[]): string | undefined {
  const known = slots.map(({ name }) => name);
  const stranger = files.find(({ name }) => !known.includes(name));
  if (stranger !== undefined) return `there is no slot "${stranger.name}"; the slots are ${known.join(', ')}`;
  for (const { name, types } of slots) {
    const file = files.find((sent) => sent.name === name);
    if (file === undefined) return `the slot "${name}" is empty; add --file ${name}=PATH`;
    const problem = typeProblem(file, types) ?? sizeProblem(file, LIMITS.maxBytes);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function bucketProblem(limits: Extract<Upload, { kind: 'bucket' }>, files: readonly SentFile[]): string | undefined {
  if (files.length > limits.maxCount)
    return `got ${files.length} files, but the question takes at most ${limits.maxCount}`;
  for (const file of files) {
    const problem = typeProblem(file, limits.types) ?? sizeProblem(file, limits.maxBytes);
    if (problem !== undefined) return problem;
  }
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0);
  return total <= limits.maxTotalBytes
    ? undefined
    : `the files have ${total} bytes together, but the question takes at most ${limits.maxTotalBytes}`;
}

/** No file has a type such as `pdf`: the question could not be answered. */
function isType(type: string): boolean {
  return /^[^/\s]+\/[^/\s]+$/.test(type);
}

function typeProblem({ name, type }: SentFile, types: readonly string[]): string | undefined {
  const fits = types.some(
    (wanted) => wanted === type || (wanted.endsWith('/*') && type.startsWith(wanted.slice(0, -1))),
  );
  return types.length === 0 || fits
    ? undefined
    : `"${name}" has the type ${type}; the question takes ${types.join(', ')}`;
}

function sizeProblem({ name, bytes }: SentFile, max: number): string | undefined {
  return bytes <= max ? undefined : `"${name}" has ${bytes} bytes, but the question takes at most ${max}`;
}

function listOf(written: string, separator = ','): readonly string[] {
  return written
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

function splitAt(part: string): readonly [string, string?] {
  const at = part.indexOf(':');
  return at < 0 ? [part] : [part.slice(0, at).trim(), part.slice(at + 1).trim()];
}

/** The folder with the files that a question shows, beside the files of its answer. */
export const SHOWN_FOLDER = 'shown';

/** Why a file of an answer cannot have this name; undefined when it can. */
export function sentNameProblem(name: string): string | undefined {
  if (!isFileName(name)) return `"${clip(name, 60)}" is not a valid file name; allowed are ${NAME_FORM}`;
  // Windows drops dots and spaces at the end.
  const taken = name.toLowerCase().replace(/[. ]+$/, '') === SHOWN_FOLDER;
  return taken ? `"${name}" is reserved for the files that a question shows; rename the file` : undefined;
}

/** File systems allow no more bytes; a temporary name beside it needs some of them. */
const MAX_NAME_BYTES = 200;

/** Names that mean the same file everywhere, and nothing special to a shell or browser. */
function isFileName(name: string): boolean {
  const reserved = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;
  return /^[^./\\\p{Cc}][^/\\\p{Cc}]*$/u.test(name) && utf8Length(name) <= MAX_NAME_BYTES && !reserved.test(name);
}

function isInside(path: string): boolean {
  const parts = path.split(/[/\\]/);
  return path !== '' && !/^([/\\]|[A-Za-z]:)/.test(path) && !parts.includes('..') && !/\p{Cc}/u.test(path);
}

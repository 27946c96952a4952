// Converts the files of a folder or zip to one YAML file with the same meaning. Reports what YAML cannot hold, with
// file and line. The result is read back, and every file that does not come out byte by byte is reported, too.
import { splitPrompt } from '../../protocol/language/state-file.js';
import { ScopeError, decodeText } from '../error.js';
import { parseFrontmatter } from '../frontmatter.js';
import { MANIFEST_FILE, parseManifest } from '../manifest.js';
import { BODY_KEYS, nameProblem } from '../yaml.js';
import { YamlText } from '../yaml-document.js';
import { MERGE } from '../yaml-parse.js';
import { foldedName } from '../zip.js';
import { filesOfYaml } from './from-yaml.js';
import { firstDifference, type Converted, type PackageFile, type PackageFiles } from './files.js';
import { STATE_FILE, yamlText, type Bodies, type StatesOfFiles } from './yaml-text.js';

/** How messages call a line of a file. */
type FilePosition = (name: string, line?: number) => string;

/** Converts the files of a folder or zip. */
export function yamlOfFiles(written: PackageFiles, position: FilePosition): Converted<string> {
  const files = withLastLineEnd(written);
  const { states, problems } = statesOf(files, position);
  if (problems.length > 0) return { kind: 'problems', problems };
  const text = yamlText({ files, states });
  const wrong = differenceOf(text, { files, position });
  if (wrong === undefined) return { kind: 'converted', value: text };
  const found = culprits(files, position);
  return { kind: 'problems', problems: found.length === 0 ? [wrong] : found };
}

/** A YAML file ends each of its lines; a manifest means the same with or without the last line end. */
function withLastLineEnd(files: PackageFiles): PackageFiles {
  const manifest = files.get(MANIFEST_FILE);
  if (manifest === undefined || manifest.content.length === 0 || manifest.content.at(-1) === 0x0a) return files;
  const content = Buffer.concat([manifest.content, Buffer.from('\n')]);
  return new Map([...files, [MANIFEST_FILE, { ...manifest, content }]]);
}

function statesOf(
  files: PackageFiles,
  position: FilePosition,
): { readonly states: StatesOfFiles['states']; readonly problems: readonly string[] } {
  const states = new Map<string, Bodies>();
  const problems: string[] = [];
  for (const [name, file] of files) {
    const found = fileProblems(name, { file, position });
    problems.push(...found);
    const [, stem, extension = ''] = STATE_FILE.exec(name) ?? [];
    if (stem === undefined || found.length > 0) continue;
    const body = [extension === 'md' ? 'prompt' : extension, { name, text: file.content.toString() }] as const;
    states.set(stem, new Map([...(states.get(stem) ?? []), body]));
  }
  const problem = `${position('.')}: there is no prompt and no script`;
  if (states.size === 0 && problems.length === 0) problems.push(problem);
  return { states, problems: [...problems, ...caseProblems(states, position)] };
}

const BYTE_ORDER_MARK = Buffer.from('\uFEFF');

/** What a YAML file cannot hold of one file. */
function fileProblems(
  name: string,
  { file: { content }, position }: { readonly file: PackageFile; readonly position: FilePosition },
): readonly string[] {
  const [, stem, extension] = STATE_FILE.exec(name) ?? [];
  if (stem === undefined && name !== MANIFEST_FILE) {
    const way = `move it out, or leave it behind with --without ${name}`;
    return [`${position(name)}: a YAML file holds prompts and scripts only; ${way}`];
  }
  if (content.subarray(0, 3).equals(BYTE_ORDER_MARK))
    return [
      `${position(name, 1)}: the file begins with a byte order mark, which a YAML file cannot keep; save it without`,
    ];
  try {
    const text = decodeText(position(name), content);
    if (stem === undefined) return manifestProblems(text, position);
    const wrong = stem === MERGE ? 'merges keys in YAML' : nameProblem(stem);
    if (wrong !== undefined) return [`${position(name)}: the name ${JSON.stringify(stem)} ${wrong}; rename the state`];
    if (extension === 'md') return promptProblems(text, (line) => position(name, line));
    return text.trim() === ''
      ? [`${position(name)}: the file is empty, and a YAML state cannot be empty; remove it`]
      : [];
  } catch (error) {
    if (error instanceof ScopeError) return [error.message];
    throw error;
  }
}

function manifestProblems(text: string, position: FilePosition): readonly string[] {
  const file = position(MANIFEST_FILE);
  if (parseManifest(text, file) !== undefined) return [];
  return [`${file}: this is a workflow with its own states, not a manifest; move it out, or convert it separately`];
}

/** Keys that have no effect in a frontmatter, but have one beside a prompt in YAML. */
const MEANT_OTHERWISE: readonly string[] = [...BODY_KEYS, 'retries'];

function promptProblems(text: string, position: (line: number) => string): readonly string[] {
  const read = parseFrontmatter(text, position);
  if (read.kind === 'invalid') return read.problems;
  if (read.body.trim() === '')
    return [`${position(1)}: the prompt is empty, and a YAML state cannot be empty; remove it`];
  const { frontmatter = '' } = splitPrompt(text);
  const yaml = new YamlText(frontmatter, { positionText: position, firstLine: 2 });
  const keys = yaml.isEmpty ? [] : yaml.top();
  return keys
    .filter(({ key }) => MEANT_OTHERWISE.includes(key))
    .map(({ key, line }) => `${position(line)}: ${key} has another meaning beside a YAML prompt; remove it`);
}

function caseProblems(states: StatesOfFiles['states'], position: FilePosition): readonly string[] {
  const seen = new Map<string, string>();
  return [...states].flatMap(([stem, bodies]) => {
    const clash = seen.get(foldedName(stem));
    seen.set(foldedName(stem), stem);
    const prompt = bodies.get('prompt');
    const script = [...bodies.values()].find(({ name }) => name !== prompt?.name);
    const at = position([...bodies.values()][0]?.name ?? stem);
    const both = `a YAML state is a prompt or a script, and ${script?.name ?? ''} has the same name; rename one`;
    return [
      ...(clash === undefined ? [] : [`${at}: its name differs from ${clash} only in case; rename it`]),
      ...(prompt === undefined || script === undefined ? [] : [`${position(prompt.name)}: ${both}`]),
    ];
  });
}

interface Compared {
  readonly files: PackageFiles;
  readonly position: FilePosition;
}

/** The differences between the files and the text that is read back. */
function differenceOf(text: string, { files, position }: Compared): string | undefined {
  try {
    const back = filesOfYaml(text, 'the YAML file');
    if (back.kind === 'problems') return back.problems.join('\n');
    const found = firstDifference(files, back.value);
    return found === undefined ? undefined : unlike(position(found.name, found.line));
  } catch (error) {
    if (error instanceof ScopeError) return error.message;
    throw error;
  }
}

function unlike(position: string): string {
  return `${position}: a YAML file cannot keep this formatting; write one plain key per line`;
}

/** The problems of one file, in terms of that file. */
function explained(
  wrong: string,
  { name, file, position }: { readonly name: string; readonly file: PackageFile; readonly position: FilePosition },
): string {
  const text = file.content.toString();
  const [, reason] = FORMATTING.find(([pattern]) => pattern.test(text)) ?? [];
  if (reason !== undefined) return `${position(name, 1)}: ${reason.join('; ')}`;
  const [, said] = /^the YAML file:\d+: ([^\n]*)/.exec(wrong) ?? [];
  if (said !== undefined) return `${position(name, 1)}: ${said}`;
  return wrong.startsWith(position(name)) ? wrong : unlike(position(name, 1));
}

/** Beginnings of files that a YAML file cannot reproduce, and what to do about each. */
const FORMATTING: readonly (readonly [RegExp, readonly [what: string, fix: string]])[] = [
  [/^(?:---[ \t]*\r?\n)?\s*\{/, ['a YAML file cannot keep keys in braces', 'write one key per line, without braces']],
  [/^---[ \t]*\r?\n---[ \t]*\r?\n/, ['a YAML file cannot keep an empty frontmatter', 'remove its two lines "---"']],
  [
    /^---[ \t]+\r?\n|^---\r?\n(?:.*\n)*?---[ \t]+\r?\n/,
    ['a YAML file cannot keep blanks after "---"', 'remove the blanks'],
  ],
  [/^---(?=[^]*\r\n)(?=[^]*[^\r]\n)/, ['a YAML file cannot keep mixed line ends', 'save the file with LF line ends']],
  [
    /^(?!---)[^]*\n---\r?\n(?:[\w-]+:.*\r?\n)+---/,
    ['the frontmatter is not at the top, so it has no effect', 'put its "---" into line 1, or remove it'],
  ],
  [
    /^#!(?!.*sh\b)/,
    [
      'the first line names another program, but scripts run in bash',
      'name the state .py or .js, or let a bash script call the program',
    ],
  ],
  [
    /^\s*(?:#|::|rem)\s*raymond:/im,
    ['the line "raymond:" is not a valid header', 'correct it; raymond lint says what is wrong'],
  ],
];

/** A state that lets a manifest be tried alone. */
const ANY_STATE: PackageFile = { content: Buffer.from('true\n'), executable: true };

/** The files that YAML cannot hold as they are; each is tried alone. */
function culprits(files: PackageFiles, position: FilePosition): readonly string[] {
  return [...files].flatMap(([name, file]) => {
    const alone: PackageFiles = new Map([
      [name, file],
      ...(name === MANIFEST_FILE ? [['A.sh', ANY_STATE] as const] : []),
    ]);
    const text = yamlText({ files: alone, states: statesOf(alone, position).states });
    const wrong = differenceOf(text, { files: alone, position });
    if (wrong === undefined) return [];
    return [explained(wrong, { name, file, position })];
  });
}

// From the files of a folder or zip to one YAML file that means the same. What YAML cannot hold is told, all of it, with file and line; and
// the text is taken apart again: what does not come out byte by byte as it went in is told as well.
import { splitPrompt } from '../../protocol/language/state-file.js';
import { ScopeError, decodeText } from '../error.js';
import { parseFrontmatter } from '../frontmatter.js';
import { MANIFEST_FILE, parseManifest } from '../manifest.js';
import { BODY_KEYS, nameProblem } from '../yaml.js';
import { YamlText } from '../yaml-document.js';
import { foldedName } from '../zip.js';
import { filesOfYaml } from './from-yaml.js';
import { firstDifference, type Converted, type PackageFile, type PackageFiles } from './files.js';
import { STATE_FILE, yamlText, type Bodies, type StatesOfFiles } from './yaml-text.js';

/** How messages call a line of a file. */
export type FilePlace = (name: string, line?: number) => string;

/** Converts the files of a folder or zip. */
export function yamlOfFiles(files: PackageFiles, place: FilePlace): Converted<string> {
  const { states, problems } = statesOf(files, place);
  if (problems.length > 0) return { kind: 'problems', problems };
  const text = yamlText({ files, states });
  const wrong = differenceOf(text, { files, place });
  if (wrong === undefined) return { kind: 'converted', value: text };
  const found = culprits(files, place);
  return { kind: 'problems', problems: found.length === 0 ? [wrong] : found };
}

function statesOf(
  files: PackageFiles,
  place: FilePlace,
): { readonly states: StatesOfFiles['states']; readonly problems: readonly string[] } {
  const states = new Map<string, Bodies>();
  const problems: string[] = [];
  for (const [name, file] of files) {
    const found = fileProblems(name, { file, place });
    problems.push(...found);
    const [, stem, extension = ''] = STATE_FILE.exec(name) ?? [];
    if (stem === undefined || found.length > 0) continue;
    const body = [extension === 'md' ? 'prompt' : extension, { name, text: file.content.toString() }] as const;
    states.set(stem, new Map([...(states.get(stem) ?? []), body]));
  }
  const problem = `${place('.')}: it holds no prompt and no script`;
  if (states.size === 0 && problems.length === 0) problems.push(problem);
  return { states, problems: [...problems, ...twinProblems(states, place)] };
}

/** What a YAML file cannot hold of one file. */
function fileProblems(
  name: string,
  { file: { content }, place }: { readonly file: PackageFile; readonly place: FilePlace },
): readonly string[] {
  const [, stem, extension] = STATE_FILE.exec(name) ?? [];
  if (stem === undefined && name !== MANIFEST_FILE) {
    const way = `move it out, or leave it behind with --without ${name}`;
    return [`${place(name)}: a YAML file holds prompts and scripts only; ${way}`];
  }
  try {
    const text = decodeText(place(name), content);
    if (stem === undefined) return manifestProblems(text, place);
    const wrong = nameProblem(stem);
    if (wrong !== undefined) return [`${place(name)}: the name ${JSON.stringify(stem)} ${wrong}; rename the state`];
    if (extension === 'md') return promptProblems(text, (line) => place(name, line));
    return text.trim() === '' ? [`${place(name)}: it is empty, and a YAML state cannot be; remove it`] : [];
  } catch (error) {
    if (error instanceof ScopeError) return [error.message];
    throw error;
  }
}

function manifestProblems(text: string, place: FilePlace): readonly string[] {
  const file = place(MANIFEST_FILE);
  if (parseManifest(text, file) !== undefined) return [];
  return [`${file}: it has states of its own and is no manifest; move it out, or convert it by itself`];
}

/** Keys that mean nothing in a frontmatter, but much beside a prompt in YAML. */
const MEANT_OTHERWISE: readonly string[] = [...BODY_KEYS, 'retries'];

function promptProblems(text: string, place: (line: number) => string): readonly string[] {
  const read = parseFrontmatter(text, place);
  if (read.kind === 'invalid') return read.problems;
  if (read.body.trim() === '') return [`${place(1)}: the prompt is empty, and a YAML state cannot be; remove it`];
  const { frontmatter = '' } = splitPrompt(text);
  const yaml = new YamlText(frontmatter, { place, firstLine: 2 });
  const keys = yaml.isEmpty ? [] : yaml.top();
  return keys
    .filter(({ key }) => MEANT_OTHERWISE.includes(key))
    .map(({ key, line }) => `${place(line)}: ${key} means something else beside a YAML prompt; remove it`);
}

function twinProblems(states: StatesOfFiles['states'], place: FilePlace): readonly string[] {
  const seen = new Map<string, string>();
  return [...states].flatMap(([stem, bodies]) => {
    const twin = seen.get(foldedName(stem));
    seen.set(foldedName(stem), stem);
    const prompt = bodies.get('prompt');
    const script = [...bodies.values()].find(({ name }) => name !== prompt?.name);
    const at = place([...bodies.values()][0]?.name ?? stem);
    const both = `a YAML state is a prompt or a script, and there is ${script?.name ?? ''} as well; rename one`;
    return [
      ...(twin === undefined ? [] : [`${at}: its name differs from ${twin} only in case; rename it`]),
      ...(prompt === undefined || script === undefined ? [] : [`${place(prompt.name)}: ${both}`]),
    ];
  });
}

interface Compared {
  readonly files: PackageFiles;
  readonly place: FilePlace;
}

/** What the text does not give back as it was in the files. */
function differenceOf(text: string, { files, place }: Compared): string | undefined {
  try {
    const back = filesOfYaml(text, 'the YAML file');
    if (back.kind === 'problems') return back.problems.join('\n');
    const found = firstDifference(files, back.value);
    return found === undefined ? undefined : unlike(place(found.name, found.line));
  } catch (error) {
    if (error instanceof ScopeError) return error.message;
    throw error;
  }
}

function unlike(place: string): string {
  return `${place}: a YAML file cannot keep how this is written; write a key per line, as plainly as it goes`;
}

/** A state for a manifest that is tried by itself. */
const ANY_STATE: PackageFile = { content: Buffer.from('true\n'), executable: true };

/** The files that YAML cannot hold as they are, each tried by itself. */
function culprits(files: PackageFiles, place: FilePlace): readonly string[] {
  return [...files].flatMap(([name, file]) => {
    const alone: PackageFiles = new Map([
      [name, file],
      ...(name === MANIFEST_FILE ? [['A.sh', ANY_STATE] as const] : []),
    ]);
    const text = yamlText({ files: alone, states: statesOf(alone, place).states });
    const wrong = differenceOf(text, { files: alone, place });
    if (wrong === undefined) return [];
    return [wrong.startsWith(place(name)) ? wrong : unlike(place(name, 1))];
  });
}

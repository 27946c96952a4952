// Reads a workflow package that is one YAML file: `states` by name, the manifest's keys next to them. Each state becomes
// the files that it represents: a prompt with its frontmatter, or a script for each platform.
import { basename } from 'node:path';
import { z } from 'zod';
import { FRONTMATTER_KEYS, type LineProblem } from '../protocol/language/state-file.js';
import { sha256Of } from '../host/sha256.js';
import { ScopeError, decodeText, readWhole } from './error.js';
import { readPolicy } from './frontmatter.js';
import { MANIFEST_FILE, MANIFEST_KEYS, manifestSchema, readManifest } from './manifest.js';
import { MAX_ENTRIES, MAX_YAML_BYTES } from './limits.js';
import type { StateSettings } from './package.js';
import type { Packed, PackedFile } from './packed.js';
import { policySchema } from './policy-fields.js';
import { sandboxField } from './sandbox-field.js';
import { YamlText } from './yaml-document.js';
import { countField, durationField, keysField, textField, unknownKeys } from './yaml-fields.js';
import type { YamlEntry } from './yaml-parse.js';
import { foldedName } from './zip.js';
import { defined, nearest } from '../protocol/text.js';

/** Reads the YAML file at `path`. Throws a `ScopeError` that lists its problems with their lines. */
export async function readYaml(path: string): Promise<Packed> {
  const bytes = await readWhole(path, MAX_YAML_BYTES);
  return { ...parseYaml(decodeText(path, bytes), path), sha256: sha256Of(bytes) };
}

const SHOWN_PROBLEMS = 20;
const MAX_NAME_BYTES = 200;

/** Reads the text of a YAML package; messages call it `file`. */
export function parseYaml(text: string, file: string): Omit<Packed, 'sha256'> {
  const yaml = new YamlText(text, { positionText: (line) => `${file}:${line}` });
  const top = yaml.top();
  const states = statesOf(yaml, { top, file });
  const problems = nameProblems(states);
  const read = states.map((entry) => readState(yaml, entry));
  const all = [...problems, ...read.flatMap((state) => state.problems)];
  if (all.length > 0) {
    const shownProblems = all.slice(0, SHOWN_PROBLEMS);
    throw new ScopeError('InvalidYaml', yaml.described(shownProblems).join('\n'), { problems: shownProblems });
  }
  const files = new Map<string, PackedFile>(read.flatMap((state) => state.files));
  const unknown = unknownKeys(top, { yaml, known: ['states', ...MANIFEST_KEYS] });
  const warnings = [...yaml.described(yaml.warnings), ...unknown, ...read.flatMap((state) => state.warnings)];
  const size = [...files.values()].reduce((sum, { content }) => sum + content.length, 0);
  return { size, files, warnings, manifest: readManifest(yaml, top) };
}

interface TopOfFile {
  readonly top: readonly YamlEntry[];
  readonly file: string;
}

function statesOf(yaml: YamlText, { top, file }: TopOfFile): readonly YamlEntry[] {
  const states = top.find(({ key }) => key === 'states');
  if (states === undefined) throw yaml.positions.error(1, `there is no key states${outsider(yaml, { top, file })}`);
  const entries = yaml.entriesOf(states.value) ?? [];
  if (entries.length === 0)
    throw yaml.positions.error(states.line, 'states: expected states by name, such as "1_START:"');
  if (entries.length <= MAX_ENTRIES) return entries;
  throw yaml.positions.error(states.line, `states: more than ${MAX_ENTRIES} states; split the workflow`, 'TooLarge');
}

/** The advice for a file without states. */
function outsider(yaml: YamlText, { top, file }: TopOfFile): string {
  const state = top.find(({ value }) => yaml.entriesOf(value)?.some(({ key }) => BODY_KEYS.includes(key)));
  if (state === undefined && basename(file) === MANIFEST_FILE) {
    return '; this is the manifest of a folder: start the folder';
  }
  if (state === undefined) return '; put the states of the workflow under it';
  return `; "${state.key}" on line ${state.line} looks like a state: put it under "states:", indented`;
}

function nameProblems(states: readonly YamlEntry[]): readonly LineProblem[] {
  const seen = new Map<string, string>();
  return states.flatMap(({ key, line }) => {
    const clash = seen.get(foldedName(key));
    seen.set(foldedName(key), key);
    const wrong = clash === undefined ? nameProblem(key) : `differs from "${clash}" only in case`;
    return wrong === undefined ? [] : [{ line, text: `the name ${JSON.stringify(key)} ${wrong}; rename the state` }];
  });
}

/** The problem of a state's name, as the end of a sentence. */
export function nameProblem(name: string): string | undefined {
  if (name.trim() === '') return 'is empty';
  if (/[/\\]/.test(name)) return 'contains a / or \\';
  // A target with a dot is the name of a file, and a YAML package has no files.
  if (name.includes('.')) return 'contains a dot (a state has no extension here: its key prompt or sh sets its kind)';
  if (/\p{Cc}/u.test(name) || name.trim() !== name)
    return 'begins or ends with a space, or contains a control character';
  return Buffer.byteLength(name) > MAX_NAME_BYTES ? 'is too long' : undefined;
}

/** The files of a state by name, or its problems; with warnings in both cases. */
interface StateFiles {
  readonly files: readonly (readonly [string, PackedFile])[];
  readonly problems: readonly LineProblem[];
  readonly warnings: readonly string[];
}

const SCRIPTS = ['sh', 'ps1', 'bat', 'py', 'js', 'ts'] as const;

const fields = {
  prompt: textField('prompt').describe('the prompt for the model'),
  sh: textField('sh').describe('a script for bash'),
  ps1: textField('ps1').describe('the same for PowerShell, on Windows'),
  bat: textField('bat').describe('the same for cmd, on Windows'),
  py: textField('py').describe('a script for Python'),
  js: textField('js').describe('a script for Node'),
  ts: textField('ts').describe('the same in TypeScript'),
  timeout: durationField('timeout').describe('longest time without output; 0 = no limit'),
  retries: countField('retries', 'a number of retries, such as 2').describe('number of retries'),
  limit: keysField('limit').describe('limits of the config that apply to its turns'),
  sandbox: sandboxField,
};

const schema = z.object(fields).partial();
type Fields = z.infer<typeof schema>;

/** The keys that only a prompt can have. */
const POLICY_KEYS: readonly string[] = FRONTMATTER_KEYS.filter((key) => !Object.hasOwn(fields, key));
/** The keys of a state. */
export const YAML_STATE_KEYS: readonly string[] = [...Object.keys(fields), ...POLICY_KEYS];

/** The keys that mark a mapping as a state. */
export const BODY_KEYS: readonly string[] = ['prompt', ...SCRIPTS];

/** A whole package for editors; the reader checks states one by one, with their own messages. */
export const yamlPackageSchema = manifestSchema.extend({
  states: z
    .record(
      z.string().regex(/^[^./\\]+$/),
      z
        .object({ ...policySchema.shape, ...schema.shape })
        .partial()
        .meta({
          description: 'a prompt, or a script',
          anyOf: BODY_KEYS.map((key) => ({ required: [key] })),
          dependencies: {
            prompt: { not: { anyOf: SCRIPTS.map((key) => ({ required: [key] })) } },
            ...Object.fromEntries(POLICY_KEYS.map((key) => [key, ['prompt']])),
          },
        }),
    )
    .meta({ description: 'its states by name; a run begins with 1_START or START', minProperties: 1 }),
});

/** Reads the state in `entry` of `states`. */
function readState(yaml: YamlText, entry: YamlEntry): StateFiles {
  const entries = yaml.entriesOf(entry.value);
  if (entries === undefined) return invalid([{ line: entry.line, text: `${quoted(entry)} needs a key prompt or sh` }]);
  const read = yaml.read(
    schema,
    entries.filter(({ key }) => Object.hasOwn(fields, key)),
  );
  if (read.kind === 'invalid') return invalid(read.problems);
  const state: State = { yaml, entry, entries, fields: read.data };
  const problems = bodyProblems(state);
  if (problems.length > 0) return invalid(problems);
  const warnings = unknownKeys(entries, { yaml, known: YAML_STATE_KEYS });
  return { files: isText(read.data.prompt) ? [promptOf(state)] : scriptsOf(state), problems, warnings };
}

interface State {
  readonly yaml: YamlText;
  readonly entry: YamlEntry;
  readonly entries: readonly YamlEntry[];
  readonly fields: Fields;
}

function bodyProblems({ yaml, entry, entries, fields }: State): readonly LineProblem[] {
  const scripts = SCRIPTS.filter((key) => isText(fields[key]));
  if (isText(fields.prompt)) {
    const [script] = scripts;
    if (script === undefined) return [];
    const { line } = entries.find(({ key }) => key === script) ?? entry;
    return [{ line, text: `${quoted(entry)} has both prompt and ${script}; make two states of it` }];
  }
  if (scripts.length === 0) {
    for (const { key, line } of entries) {
      const meant = nearest(key, BODY_KEYS);
      if (meant !== undefined && meant !== key) return [{ line, text: `unknown key ${key}, did you mean ${meant}?` }];
    }
    const text = `${quoted(entry)} has nothing to run; give it a prompt, or a script as sh, ps1, bat, py, js or ts`;
    return [{ line: entry.line, text }];
  }
  return entries
    .filter(({ key, value }) => POLICY_KEYS.includes(key) && !yaml.isNothing(value))
    .map(({ key, line }) => ({
      line,
      text: `${quoted(entry)} is a script, and ${key} is for prompts only; remove it`,
    }));
}

/** A prompt has no frontmatter here, whatever its text begins with: its keys are next to it. */
function promptOf({ yaml, entry, entries, fields: { prompt = '', retries } }: State): readonly [string, PackedFile] {
  const keys = entries.filter(({ key }) => (FRONTMATTER_KEYS as readonly string[]).includes(key));
  const file: PackedFile = {
    content: Buffer.from(prompt),
    executable: false,
    policy: readPolicy(yaml, keys),
    lineOf: (line) => line ?? entry.line,
    ...(retries === undefined ? {} : { settings: { retries } }),
  };
  return [`${entry.key}.md`, file];
}

function scriptsOf({ yaml, entry, entries, fields }: State): readonly (readonly [string, PackedFile])[] {
  const { timeout, retries, limit: limits, sandbox } = fields;
  const settings: StateSettings = defined({ timeout, retries, limits, sandbox });
  return SCRIPTS.filter((key) => isText(fields[key])).map((key) => {
    const { line, inOrder } = yaml.positionOf(valueOf(entries, key));
    const lineOf = (own = 1): number => (inOrder ? line + own - 1 : line);
    const content = Buffer.from(fields[key] ?? '');
    return [`${entry.key}.${key}`, { content, executable: key === 'sh', settings, lineOf }];
  });
}

function valueOf(entries: readonly YamlEntry[], key: string): unknown {
  return entries.find((entry) => entry.key === key)?.value;
}

function isText(text: string | undefined): boolean {
  return text !== undefined && text.trim() !== '';
}

function quoted({ key }: YamlEntry): string {
  return `the state ${JSON.stringify(key)}`;
}

function invalid(problems: readonly LineProblem[]): StateFiles {
  return { files: [], problems, warnings: [] };
}

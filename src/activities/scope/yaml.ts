// Reads a workflow package that is one YAML file: `states` by name, the manifest's keys beside them.
// Must not know how a package is served or cached.
import { basename } from 'node:path';
import type { Packed, PackedFile } from './packed.js';
import { decodeText, readWhole, ScopeError, sha256Of } from './error.js';
import { MAX_ENTRIES, MAX_YAML_BYTES } from './limits.js';
import { MANIFEST_FILE, MANIFEST_KEYS, readManifest } from './manifest.js';
import { unknownKeys } from './yamlFields.js';
import { BODY_KEYS, readState } from './yamlState.js';
import type { YamlEntry } from './yamlParse.js';
import { YamlText } from './yamlText.js';
import { foldedName } from './zipNames.js';

/** Reads the YAML file at `path`. Throws a `ScopeError` that names the lines of its mistakes. */
export async function readYaml(path: string): Promise<Packed> {
  const bytes = await readWhole(path, MAX_YAML_BYTES);
  return { ...parseYaml(decodeText(path, bytes), path), sha256: sha256Of(bytes) };
}

const SHOWN_MISTAKES = 20;
const MAX_NAME_BYTES = 200;

/** Reads the text of a YAML package; `file` is how messages call it. */
export function parseYaml(text: string, file: string): Omit<Packed, 'sha256'> {
  const yaml = new YamlText(text, file);
  const top = yaml.top();
  const states = statesOf(yaml, top);
  const mistakes = nameMistakes(yaml, states);
  const read = states.map((entry) => readState(yaml, entry));
  const all = [...mistakes, ...read.flatMap((state) => state.mistakes)];
  if (all.length > 0) throw new ScopeError('InvalidYaml', all.slice(0, SHOWN_MISTAKES).join('\n'));
  const files = new Map<string, PackedFile>(read.flatMap((state) => state.files));
  const strange = unknownKeys(top, { yaml, known: ['states', ...MANIFEST_KEYS] });
  const warnings = [...yaml.warnings, ...strange, ...read.flatMap((state) => state.warnings)];
  const size = [...files.values()].reduce((sum, { content }) => sum + content.length, 0);
  return { size, files, warnings, manifest: readManifest(yaml, top) };
}

function statesOf(yaml: YamlText, top: readonly YamlEntry[]): readonly YamlEntry[] {
  const states = top.find(({ key }) => key === 'states');
  if (states === undefined) throw yaml.places.mistake(1, `there is no key states${outsider(yaml, top)}`);
  const entries = yaml.entriesOf(states.value) ?? [];
  if (entries.length === 0)
    throw yaml.places.mistake(states.line, 'states: expected states by name, such as "1_START:"');
  if (entries.length <= MAX_ENTRIES) return entries;
  throw yaml.places.mistake(states.line, `states: more than ${MAX_ENTRIES} states; split the workflow`, 'TooLarge');
}

/** What to do about a file without states. */
function outsider(yaml: YamlText, top: readonly YamlEntry[]): string {
  const state = top.find(({ value }) => yaml.entriesOf(value)?.some(({ key }) => BODY_KEYS.includes(key)));
  if (state === undefined && basename(yaml.places.file) === MANIFEST_FILE) {
    return '; this is the manifest of a folder: start the folder';
  }
  if (state === undefined) return '; put the states of the workflow under it';
  return `; "${state.key}" on line ${state.line} looks like a state: put it under "states:", indented`;
}

function nameMistakes(yaml: YamlText, states: readonly YamlEntry[]): readonly string[] {
  const seen = new Map<string, string>();
  return states.flatMap(({ key, line }) => {
    const twin = seen.get(foldedName(key));
    seen.set(foldedName(key), key);
    const wrong = twin === undefined ? nameMistake(key) : `differs from "${twin}" only in case`;
    return wrong === undefined
      ? []
      : [yaml.places.note(line, `the name ${JSON.stringify(key)} ${wrong}; rename the state`)];
  });
}

function nameMistake(name: string): string | undefined {
  if (name.trim() === '') return 'is empty';
  if (/[/\\]/.test(name)) return 'holds a / or \\';
  // A target with a dot is the name of a file, and here there are none.
  if (name.includes('.')) return 'holds a dot (a state has no extension here: prompt or sh tells its kind)';
  if (/\p{Cc}/u.test(name) || name.trim() !== name) return 'begins or ends with a blank, or holds a control character';
  return Buffer.byteLength(name) > MAX_NAME_BYTES ? 'is too long' : undefined;
}

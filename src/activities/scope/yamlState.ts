// One state of a YAML scope as the files that it stands for: a prompt with its frontmatter, or a script for each platform.
// Must not judge the frontmatter: whoever reads prompts does that, for all kinds of packages alike.
import { z } from 'zod';
import { FRONTMATTER_KEYS } from '../../protocol/frontmatter.js';
import type { PackedFile, StateSettings } from './packed.js';
import { promptFile } from './yamlPrompt.js';
import { countField, durationField, textField, unknownKeys } from './yamlFields.js';
import type { YamlEntry } from './yamlParse.js';
import type { YamlText } from './yamlText.js';

/** The files of a state by name, or its mistakes; warnings either way. */
export interface StateFiles {
  readonly files: readonly (readonly [string, PackedFile])[];
  readonly mistakes: readonly string[];
  readonly warnings: readonly string[];
}

const SCRIPTS = ['sh', 'ps1', 'bat'] as const;

const fields = {
  prompt: textField('prompt'),
  sh: textField('sh'),
  ps1: textField('ps1'),
  bat: textField('bat'),
  timeout: durationField('timeout'),
  retries: countField('retries', 'a number of tries, such as 2'),
};

const schema = z.object(fields).partial();
type Fields = z.infer<typeof schema>;

/** What only a prompt can have. */
const POLICY_KEYS: readonly string[] = FRONTMATTER_KEYS.filter((key) => !Object.hasOwn(fields, key));
const KEYS = [...Object.keys(fields), ...POLICY_KEYS];

/** The keys that tell that a mapping is a state. */
export const BODY_KEYS: readonly string[] = ['prompt', ...SCRIPTS];

/** Reads the state that stands at `entry` of `states`. */
export function readState(yaml: YamlText, entry: YamlEntry): StateFiles {
  const entries = yaml.entriesOf(entry.value);
  if (entries === undefined)
    return mistaken([yaml.places.note(entry.line, `${quoted(entry)} needs a key prompt or sh`)]);
  const read = yaml.read(
    schema,
    entries.filter(({ key }) => Object.hasOwn(fields, key)),
  );
  if (read.kind === 'mistaken') return mistaken(read.notes);
  const state: State = { yaml, entry, entries, fields: read.data };
  const mistakes = bodyMistakes(state);
  if (mistakes.length > 0) return mistaken(mistakes);
  const warnings = unknownKeys(entries, { yaml, known: KEYS });
  return { files: isText(read.data.prompt) ? [promptOf(state)] : scriptsOf(state), mistakes, warnings };
}

interface State {
  readonly yaml: YamlText;
  readonly entry: YamlEntry;
  readonly entries: readonly YamlEntry[];
  readonly fields: Fields;
}

function bodyMistakes({ yaml, entry, entries, fields }: State): readonly string[] {
  const scripts = SCRIPTS.filter((key) => isText(fields[key]));
  if (isText(fields.prompt)) {
    const [script] = scripts;
    if (script === undefined) return [];
    return [yaml.places.note(entry.line, `${quoted(entry)} has both prompt and ${script}; make two states of it`)];
  }
  if (scripts.length === 0) {
    return [
      yaml.places.note(
        entry.line,
        `${quoted(entry)} has nothing to run; give it a prompt, or a script as sh, ps1 or bat`,
      ),
    ];
  }
  return entries
    .filter(({ key, value }) => POLICY_KEYS.includes(key) && !yaml.isNothing(value))
    .map(({ key, line }) =>
      yaml.places.note(line, `${quoted(entry)} is a script, and ${key} is for prompts only; remove it`),
    );
}

function promptOf({ yaml, entry, entries, fields }: State): readonly [string, PackedFile] {
  const policy = entries.filter(({ key }) => (FRONTMATTER_KEYS as readonly string[]).includes(key));
  const body = { text: fields.prompt ?? '', ...yaml.placeOf(valueOf(entries, 'prompt')) };
  const { retries } = fields;
  const file = promptFile(yaml, { entry, policy: policy.filter(({ value }) => !yaml.isNothing(value)), body });
  return [`${entry.key}.md`, retries === undefined ? file : { ...file, settings: { retries } }];
}

function scriptsOf({ yaml, entry, entries, fields }: State): readonly (readonly [string, PackedFile])[] {
  const { timeout, retries } = fields;
  const settings: StateSettings = {
    ...(timeout === undefined ? {} : { timeout }),
    ...(retries === undefined ? {} : { retries }),
  };
  return SCRIPTS.filter((key) => isText(fields[key])).map((key) => {
    const { line, inOrder } = yaml.placeOf(valueOf(entries, key));
    const lineOf = (own: number): number => (inOrder ? line + own - 1 : line);
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

function mistaken(mistakes: readonly string[]): StateFiles {
  return { files: [], mistakes, warnings: [] };
}

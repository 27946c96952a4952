// The manifest of a package, `workflow.yaml` or the top of a YAML scope: what the package is called and how it wants to be started, and
// what its directory and its environment mean on a given machine. Looks at no file and at no environment of its own.
import { resolve } from 'node:path';
import { z } from 'zod';
import type { Scope } from '../protocol/machine/agent.js';
import { folderOf } from '../protocol/scope.js';
import { ScopeError } from './error.js';
import { YamlText } from './yaml-document.js';
import { choiceField, keysField, mapField, numberField, refuse, textField, unknownKeys } from './yaml-fields.js';
import type { YamlEntry } from './yaml-parse.js';
import { defined } from '../protocol/text.js';

/** The name of a manifest in a directory or a zip. */
export const MANIFEST_FILE = 'workflow.yaml';

/** What a manifest may ask of whoever starts the workflow. */
interface ManifestInput {
  readonly mode: 'optional' | 'required' | 'none';
  readonly label?: string;
  readonly description?: string;
}

/** A manifest that was understood; `environment` and `workingDirectory` are as written. */
export interface Manifest {
  readonly id?: string;
  readonly name?: string;
  readonly description?: string;
  readonly input: ManifestInput;
  readonly defaultBudgetUsd?: number;
  readonly workingDirectory?: string;
  readonly environment: Readonly<Record<string, string>>;
  /** The limits that all its turns count under. */
  readonly limits?: readonly string[];
  readonly requiresHumanInput: 'auto' | 'true' | 'false';
}

/** A manifest, and what is unusual in it, as `file:line: …`. */
export interface ParsedManifest {
  readonly manifest: Manifest;
  readonly warnings: readonly string[];
}

const VARIABLE = /^[A-Za-z_]\w*$/;

const environment = mapField('environment').transform((variables, context) => {
  for (const name of Object.keys(variables)) {
    if (!VARIABLE.test(name)) return refuse(context, `environment: "${name}" is no name of a variable`);
    if (/^RAYMOND_/i.test(name)) return refuse(context, `environment: ${name} is set by Raymond itself; rename it`);
  }
  return variables;
});

const EMPTY_ID = 'id: it is empty; write one, such as "id: my-flow", or remove the key';
const MODES = ['optional', 'required', 'none'] as const;

const inputFields = {
  mode: choiceField('mode', MODES).describe('whether a run begins with an input; without it optional'),
  label: textField('label').describe('what the input is called, in one word'),
  description: textField('description').describe('what the input is'),
};

const fields = {
  id: textField('id')
    .refine((id) => id.trim() !== '', EMPTY_ID)
    .meta({ description: 'what runs of the workflow are called', pattern: '\\S' }),
  name: textField('name').describe('its name for people'),
  description: textField('description').describe('what it is for, in one sentence'),
  input: z
    .object(inputFields, { error: 'input: expected the keys mode, label and description' })
    .partial()
    .describe('what a run begins with'),
  default_budget: numberField('default_budget', 'an amount in USD, such as 2.50').describe(
    'what a run may cost in USD where nobody says',
  ),
  working_directory: textField('working_directory').describe('where its agents work, from the folder of the package'),
  environment: environment.meta({
    description: 'variables of its scripts and prompts; ${NAME} is one of the environment',
    propertyNames: { pattern: VARIABLE.source, not: { pattern: '^[Rr][Aa][Yy][Mm][Oo][Nn][Dd]_' } },
  }),
  limit: keysField('limit').describe('limits of the config that all its turns count under'),
  requires_human_input: choiceField('requires_human_input', ['auto', 'true', 'false']).describe(
    'whether a run needs somebody who answers; auto looks for <ask> in its states',
  ),
};

/** What a manifest may say. */
export const manifestSchema = z.object(fields).partial();

/** The keys of a manifest. */
export const MANIFEST_KEYS: readonly string[] = Object.keys(fields);

/** Those of its `input`. */
export const MANIFEST_INPUT_KEYS: readonly string[] = Object.keys(inputFields);

/** Keys that make a file a workflow of its own, and no manifest. */
const SCOPE_KEYS = ['states', 'initial_state'];

/** Reads a `workflow.yaml`; undefined when it is a YAML scope. Throws a `ScopeError` naming the lines of all problems. */
export function parseManifest(text: string, file: string): ParsedManifest | undefined {
  const yaml = new YamlText(text, { place: (line) => `${file}:${line}` });
  const top = yaml.top();
  if (top.some(({ key }) => SCOPE_KEYS.includes(key))) return undefined;
  const { manifest, warnings } = readManifest(yaml, top);
  if (manifest.id === undefined)
    throw yaml.places.error(1, 'id: missing; add one, such as "id: my-flow"', 'InvalidManifest');
  return {
    manifest,
    warnings: [...yaml.told(yaml.warnings), ...unknownKeys(top, { yaml, known: MANIFEST_KEYS }), ...warnings],
  };
}

/** Reads the keys of a manifest at the top of a file, whatever stands beside them. */
export function readManifest(yaml: YamlText, top: readonly YamlEntry[]): ParsedManifest {
  const own = top.filter(({ key }) => MANIFEST_KEYS.includes(key));
  const empty = own.find(({ key, value }) => key === 'id' && yaml.isNothing(value));
  if (empty !== undefined) throw yaml.places.error(empty.line, EMPTY_ID, 'InvalidManifest');
  const read = yaml.read(manifestSchema, own);
  if (read.kind === 'invalid') {
    const { problems } = read;
    throw new ScopeError('InvalidManifest', yaml.told(problems).join('\n'), { problems });
  }
  const input = own.find(({ key }) => key === 'input');
  const inner = input === undefined ? [] : (yaml.entriesOf(input.value) ?? []);
  return { manifest: manifestOf(read.data), warnings: unknownKeys(inner, { yaml, known: MANIFEST_INPUT_KEYS }) };
}

function manifestOf(read: z.infer<typeof manifestSchema>): Manifest {
  const { id, name, description, default_budget: budget, working_directory: directory, limit: limits } = read;
  const { mode = 'optional', label, description: purpose } = read.input ?? {};
  return {
    ...(id === undefined ? {} : { id: id.trim() }),
    ...defined({ name, description }),
    input: {
      mode,
      ...defined({ label, description: purpose }),
    },
    ...defined({ defaultBudgetUsd: budget, workingDirectory: directory, limits }),
    environment: read.environment ?? {},
    requiresHumanInput: read.requires_human_input ?? 'auto',
  };
}

/**
 * The directory where a run of the package starts, undefined when the manifest names none. It is relative to the folder that the
 * package is or, in one file, stands for; for a package that was downloaded, to `home`, where the run was started.
 */
export function workingDirectoryOf(
  { workingDirectory }: Manifest,
  { scope, home }: { readonly scope: Scope; readonly home: string },
): string | undefined {
  if (workingDirectory === undefined) return undefined;
  const downloaded = scope.kind === 'zip' && scope.url !== undefined;
  return resolve(downloaded ? home : folderOf(scope), workingDirectory);
}

/** Values with every `${NAME}` filled in, and a warning for each name that is not set: it becomes nothing. */
export function filledEnvironment(
  { environment }: Manifest,
  variables: Readonly<Record<string, string | undefined>>,
): { readonly environment: Readonly<Record<string, string>>; readonly warnings: readonly string[] } {
  const missing = new Set<string>();
  const filled = Object.entries(environment).map(([name, value]) => {
    const text = value.replace(/\$\{([A-Za-z_]\w*)\}/g, (_all, wanted: string) => {
      const found = Object.hasOwn(variables, wanted) ? variables[wanted] : undefined;
      if (found === undefined)
        missing.add(`environment: ${name} uses \${${wanted}}, which is not set; it is left empty`);
      return found ?? '';
    });
    return [name, text] as const;
  });
  return { environment: Object.fromEntries(filled), warnings: [...missing] };
}

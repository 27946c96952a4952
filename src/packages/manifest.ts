// The manifest of a package, `workflow.yaml` or the top of a YAML scope: the package's name, how to start it, its
// directory and its environment. Reads neither files nor the environment itself.
import { resolve } from 'node:path';
import { z } from 'zod';
import type { ChosenBackend } from '../protocol/backend-options.js';
import { labelsProblem } from '../protocol/labels.js';
import { type Scope, folderOf } from '../protocol/scope.js';
import type { SandboxRequest } from '../protocol/sandbox.js';
import { backendField } from './backend-field.js';
import { ScopeError } from './error.js';
import { sandboxField } from './sandbox-field.js';
import { YamlText } from './yaml-document.js';
import { choiceField, keysField, mapField, numberField, refuse, textField, unknownKeys } from './yaml-fields.js';
import type { YamlEntry } from './yaml-parse.js';
import { defined } from '../protocol/text.js';

/** The name of a manifest in a directory or a zip. */
export const MANIFEST_FILE = 'workflow.yaml';

/** The input that a manifest may require from the user who starts the workflow. */
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
  /** The limits that apply to all its turns. */
  readonly limits?: readonly string[];
  /** The labels that its states read as variables. */
  readonly labels?: readonly string[];
  readonly requiresHumanInput: 'auto' | 'true' | 'false';
  /** The backend of prompts without one of their own. */
  readonly backend?: ChosenBackend;
  /** What its turns are kept in, at least. */
  readonly sandbox?: SandboxRequest;
}

/** A manifest and its warnings, as `file:line: …`. */
export interface ParsedManifest {
  readonly manifest: Manifest;
  readonly warnings: readonly string[];
}

const VARIABLE = /^[A-Za-z_]\w*$/;

const environment = mapField('environment').transform((variables, context) => {
  for (const name of Object.keys(variables)) {
    if (!VARIABLE.test(name)) return refuse(context, `environment: "${name}" is not a valid variable name`);
    if (/^RAYMOND_/i.test(name)) return refuse(context, `environment: ${name} is set by Raymond itself; rename it`);
  }
  return variables;
});

const labels = keysField('labels').transform((keys, context) => {
  const problem = labelsProblem(Object.fromEntries(keys.map((key) => [key, ''])));
  return problem === undefined ? keys : refuse(context, `labels: ${problem}`);
});

const EMPTY_ID = 'id: the value is empty; write one, such as "id: my-flow", or remove the key';
const MODES = ['optional', 'required', 'none'] as const;

const inputFields = {
  mode: choiceField('mode', MODES).describe('whether a run needs an input; default: optional'),
  label: textField('label').describe('name of the input, one word'),
  description: textField('description').describe('description of the input'),
};

const fields = {
  id: textField('id')
    .refine((id) => id.trim() !== '', EMPTY_ID)
    .meta({ description: 'id of the workflow; its runs are named after it', pattern: '\\S' }),
  name: textField('name').describe('display name'),
  description: textField('description').describe('purpose, in one sentence'),
  input: z
    .object(inputFields, { error: 'input: expected the keys mode, label and description' })
    .partial()
    .describe('input of a run'),
  default_budget: numberField('default_budget', 'an amount in USD, such as 2.50').describe(
    'default budget of a run in USD',
  ),
  working_directory: textField('working_directory').describe(
    'working directory of its agents, relative to the package',
  ),
  environment: environment.meta({
    description: 'variables of its scripts and prompts; ${NAME} is replaced from the environment',
    propertyNames: { pattern: VARIABLE.source, not: { pattern: '^[Rr][Aa][Yy][Mm][Oo][Nn][Dd]_' } },
  }),
  limit: keysField('limit').describe('limits of the config that apply to all its turns'),
  labels: labels.describe('labels of a run that its states read as variables; set by start --label'),
  backend: backendField,
  sandbox: sandboxField,
  requires_human_input: choiceField('requires_human_input', ['auto', 'true', 'false']).describe(
    'whether a run needs a person who answers; auto looks for <ask> in its states',
  ),
};

/** The schema of a manifest. */
export const manifestSchema = z.object(fields).partial();

/** The keys of a manifest. */
export const MANIFEST_KEYS: readonly string[] = Object.keys(fields);

/** Those of its `input`. */
export const MANIFEST_INPUT_KEYS: readonly string[] = Object.keys(inputFields);

/** Keys that make a file a workflow with states, not a manifest. */
const SCOPE_KEYS = ['states', 'initial_state'];

/**
 * Reads a `workflow.yaml`; undefined when it is a YAML scope. Throws a `ScopeError` that lists all problems with their
 * lines.
 */
export function parseManifest(text: string, file: string): ParsedManifest | undefined {
  const yaml = new YamlText(text, { positionText: (line) => `${file}:${line}` });
  const top = yaml.top();
  if (top.some(({ key }) => SCOPE_KEYS.includes(key))) return undefined;
  const { manifest, warnings } = readManifest(yaml, top);
  if (manifest.id === undefined)
    throw yaml.positions.error(1, 'id: missing; add one, such as "id: my-flow"', 'InvalidManifest');
  return {
    manifest,
    warnings: [...yaml.described(yaml.warnings), ...unknownKeys(top, { yaml, known: MANIFEST_KEYS }), ...warnings],
  };
}

/** Reads the keys of a manifest at the top of a file, and ignores others. */
export function readManifest(yaml: YamlText, top: readonly YamlEntry[]): ParsedManifest {
  const own = top.filter(({ key }) => MANIFEST_KEYS.includes(key));
  const empty = own.find(({ key, value }) => key === 'id' && yaml.isNothing(value));
  if (empty !== undefined) throw yaml.positions.error(empty.line, EMPTY_ID, 'InvalidManifest');
  const read = yaml.read(manifestSchema, own);
  if (read.kind === 'invalid') {
    const { problems } = read;
    throw new ScopeError('InvalidManifest', yaml.described(problems).join('\n'), { problems });
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
    ...defined({
      defaultBudgetUsd: budget,
      workingDirectory: directory,
      limits,
      labels: read.labels,
      backend: read.backend,
      sandbox: read.sandbox,
    }),
    environment: read.environment ?? {},
    requiresHumanInput: read.requires_human_input ?? 'auto',
  };
}

/**
 * The directory where a run of the package starts, undefined when the manifest names none. It is relative to the
 * package's folder (for a package in one file, the folder that it represents); for a downloaded package, relative to
 * `home`, where the run was started.
 */
export function workingDirectoryOf(
  { workingDirectory }: Manifest,
  { scope, home }: { readonly scope: Scope; readonly home: string },
): string | undefined {
  if (workingDirectory === undefined) return undefined;
  const downloaded = scope.kind === 'zip' && scope.url !== undefined;
  return resolve(downloaded ? home : folderOf(scope), workingDirectory);
}

/** Values with every `${NAME}` replaced, and a warning for each name that is not set and becomes empty. */
export function filledEnvironment(
  { environment }: Manifest,
  variables: Readonly<Record<string, string | undefined>>,
): { readonly environment: Readonly<Record<string, string>>; readonly warnings: readonly string[] } {
  const missing = new Set<string>();
  const filled = Object.entries(environment).map(([name, value]) => {
    const text = value.replace(/\$\{([A-Za-z_]\w*)\}/g, (_all, wanted: string) => {
      const found = Object.hasOwn(variables, wanted) ? variables[wanted] : undefined;
      if (found === undefined)
        missing.add(`environment: ${name} uses \${${wanted}}, which is not set; it becomes empty`);
      return found ?? '';
    });
    return [name, text] as const;
  });
  return { environment: Object.fromEntries(filled), warnings: [...missing] };
}

// `backend` in a manifest: a name, or a name with options for pi. An option that is unknown, contradicts another or is
// not for this backend is an error, because an option may be all that keeps a prompt from a tool.
import { z } from 'zod';
import type { ChosenBackend, PiOptions } from '../protocol/backend-options.js';
import { BACKENDS, PI_EFFORTS } from '../protocol/language/policy.js';
import { clip, defined, nearest } from '../protocol/text.js';
import { choiceField, refuse, textField } from './yaml-fields.js';

/** One text that is not empty. */
function wordField(key: string): z.ZodType<string> {
  return textField(key).refine(
    (text) => text.trim() !== '',
    `${key}: the value is empty; write one, or remove the key`,
  );
}

function flagField(key: string): z.ZodType<boolean> {
  return choiceField(key, ['true', 'false']).transform((word) => word === 'true');
}

function listField(key: string): z.ZodType<readonly string[]> {
  return z.array(wordField(key), `${key}: expected a list, such as [a, b]`);
}

/** pi takes the tools in one argument, separated by commas. */
const TOOL = /^[^\s,]+$/;

const tools = listField('tools').transform((names, context) => {
  if (names.length === 0) return refuse(context, 'tools: the list is empty; write "no_tools: true" for no tools');
  const wrong = names.find((name) => !TOOL.test(name));
  if (wrong === undefined) return names;
  return refuse(context, `tools: "${clip(wrong, 60)}" cannot be the name of a tool; write one name per entry`);
});

const options = {
  provider: wordField('provider').describe('provider of the model'),
  thinking: choiceField('thinking', PI_EFFORTS).describe('effort of prompts that set none'),
  tools: tools.meta({ description: 'the only tools that prompts may use' }),
  no_builtin_tools: flagField('no_builtin_tools').describe('only the tools of extensions and of MCP servers'),
  no_tools: flagField('no_tools').describe('no tools at all'),
  no_extensions: flagField('no_extensions').describe('only the listed extensions'),
  no_skills: flagField('no_skills').describe('only the listed skills'),
  extensions: listField('extensions').describe('extensions: packages, addresses, or paths'),
  skills: listField('skills').describe('paths of skills'),
  session_dir: wordField('session_dir').describe('folder for conversations'),
};

function unknownKey(known: readonly string[]): z.core.$ZodErrorMap {
  return (issue) => {
    if (issue.code !== 'unrecognized_keys') return `backend: expected a name, or the keys ${known.join(', ')}`;
    const [key = ''] = (issue as z.core.$ZodIssueUnrecognizedKeys).keys;
    const near = nearest(key, known);
    const hint = near === undefined ? '' : `, did you mean ${near}?`;
    return `backend: there is no key "${clip(key, 60)}"${hint} (the keys are ${known.join(', ')})`;
  };
}

const structured = z.strictObject(
  {
    name: choiceField('name', BACKENDS).describe('its name'),
    options: z
      .strictObject(options, { error: unknownKey(Object.keys(options)) })
      .partial()
      .optional()
      .describe('options of pi'),
  },
  { error: unknownKey(['name', 'options']) },
);

const name = choiceField('backend', BACKENDS);

type Written = z.infer<typeof structured>;

/** The field of a manifest. */
export const backendField = z
  .union([name, structured], {
    error: (issue) => {
      const [ofName = [], ofMapping = []] = (issue as z.core.$ZodIssueInvalidUnion).errors;
      return (typeof issue.input === 'string' ? ofName : ofMapping)[0]?.message;
    },
  })
  .transform((written, context): ChosenBackend => {
    const { name, options = {} } = typeof written === 'string' ? { name: written } : written;
    const given = Object.keys(options);
    if (given.length === 0) return { name };
    if (name !== 'pi') return refuse(context, `backend: ${given.join(', ')} are options of pi; ${name} has none`);
    const exclusive = (['tools', 'no_builtin_tools', 'no_tools'] as const).filter((key) => isOn(options[key]));
    const [last = ''] = exclusive.toReversed();
    if (exclusive.length > 1)
      return refuse(context, `backend: ${exclusive.join(' and ')} exclude each other; keep one`, ['options', last]);
    return { name, options: piOptions(options) };
  })
  .meta({ description: 'backend of its prompts: a name, or {name, options}' });

function isOn(value: boolean | readonly string[] | undefined): boolean {
  return value !== undefined && value !== false;
}

function piOptions(written: NonNullable<Written['options']>): PiOptions {
  const { provider, thinking, tools, extensions, skills } = written;
  return defined({
    provider,
    thinking,
    tools,
    noBuiltinTools: written.no_builtin_tools,
    noTools: written.no_tools,
    noExtensions: written.no_extensions,
    noSkills: written.no_skills,
    extensions,
    skills,
    sessionDir: written.session_dir,
  });
}

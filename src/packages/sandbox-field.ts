// The key `sandbox` of states, manifests and the config, and the profiles of the config: a word such as `process` or
// `process:web`, or a mapping.
import { z } from 'zod';
import {
  HOST_PATTERN,
  parseSandbox,
  parseSize,
  SANDBOX_FORM,
  SANDBOX_KINDS,
  SIZE_FORM,
  type SandboxRequest,
} from '../protocol/sandbox.js';
import { clip, defined, nearest } from '../protocol/text.js';
import { refuse } from './yaml-fields.js';

const wordOf = (value: unknown): string => (typeof value === 'string' ? clip(value, 60) : String(value));

function textOf(key: string): z.ZodType<string> {
  return z.string({ error: () => `sandbox: ${key}: expected a text` }).min(1, `sandbox: ${key}: the value is empty`);
}

function listOf(key: string, { form, pattern }: { form: string; pattern: RegExp }): z.ZodType<readonly string[]> {
  const entry = z.string().regex(pattern, {
    error: ({ input }) => `sandbox: ${key}: expected ${form}, got "${wordOf(input)}"`,
  });
  return z.array(entry, { error: () => `sandbox: ${key}: expected a list of ${form}` });
}

function countOf(key: string, what: string): z.ZodType<number> {
  return z.union([z.string(), z.number()]).transform((given, context) => {
    const number = Number(given);
    if (Number.isSafeInteger(number) && number > 0) return number;
    return refuse(context, `sandbox: ${key}: expected ${what}, got "${wordOf(given)}"`);
  });
}

function sizeOf(key: string): z.ZodType<number> {
  return z.union([z.string(), z.number()]).transform((given, context) => {
    return (
      parseSize(String(given)) ?? refuse(context, `sandbox: ${key}: expected ${SIZE_FORM}, got "${wordOf(given)}"`)
    );
  });
}

const PATHS = { form: 'paths: absolute, below ~, or relative to the working directory', pattern: /^[^\0]+$/ };

const fields = {
  kind: z
    .enum(SANDBOX_KINDS, `sandbox: kind: expected ${SANDBOX_KINDS.join(', ')}`)
    .describe('none, process or container; the strictest setting wins'),
  profile: textOf('profile').describe('a profile of the config'),
  read: listOf('read', PATHS).describe('paths to read beyond the system and the working directory'),
  write: listOf('write', PATHS).describe('paths to write beyond the working directory and the task folder'),
  network: listOf('network', {
    form: 'hosts such as registry.npmjs.org or *.example.com',
    pattern: HOST_PATTERN,
  }).describe('hosts to reach by HTTP and HTTPS'),
  env: listOf('env', { form: 'names of variables, such as NPM_CONFIG_*', pattern: /^[A-Za-z_*][\w*]*$/ }).describe(
    'environment variables to pass',
  ),
  image: textOf('image').describe('image of a container; a digest is recommended'),
  memory: sizeOf('memory').describe('most memory'),
  processes: countOf('processes', 'a number of processes').describe('maximum number of processes and threads'),
  cpu: countOf('cpu', 'seconds of CPU time').describe('maximum CPU time, in seconds'),
  files: sizeOf('files').describe('largest size of a file that it writes'),
  disk: sizeOf('disk').describe('most that it writes to the disk'),
};

const KEYS = Object.keys(fields);

const mapping = z
  .strictObject(fields, {
    error: (issue) => {
      if (issue.code !== 'unrecognized_keys')
        return `sandbox: expected ${SANDBOX_FORM}, or the keys ${KEYS.join(', ')}`;
      const [key = ''] = (issue as z.core.$ZodIssueUnrecognizedKeys).keys;
      const near = nearest(key, KEYS);
      const hint = near === undefined ? '' : `, did you mean ${near}?`;
      return `sandbox: there is no key "${clip(key, 60)}"${hint} (the keys are ${KEYS.join(', ')})`;
    },
  })
  .partial();

const word = z.string().transform((text, context): SandboxRequest => {
  return parseSandbox(text) ?? refuse(context, `sandbox: expected ${SANDBOX_FORM}, got "${clip(text, 60)}"`);
});

/** The key `sandbox`. */
export const sandboxField: z.ZodType<SandboxRequest> = z
  .union([word, mapping], {
    error: (issue) => {
      const [ofWord = [], ofMapping = []] = (issue as z.core.$ZodIssueInvalidUnion).errors;
      return (typeof issue.input === 'string' ? ofWord : ofMapping)[0]?.message;
    },
  })
  .transform((request): SandboxRequest => defined({ ...request }))
  .meta({ description: 'sandbox of its turns: none, process or container, or a table of permissions' });

/** The profiles of a config: mappings without a profile of their own. */
export const sandboxProfiles = z.record(
  z.string().regex(/^[A-Za-z][\w-]*$/, 'expected names of letters, digits, - and _'),
  mapping.omit({ profile: true }).transform((request): SandboxRequest => defined({ ...request })),
);

// Every key of `.raymond/config.toml`: what it accepts, what counts without it, and what it is for. The one table behind
// the check of a config, `raymond config` and the file that `raymond init` writes. Must not read files.
import { z } from 'zod';
import { EFFORTS, isEffort, isModelName, reservedClaudeArg } from './activities/claude/args.js';

const text = z.string().min(1);
const names = z.array(z.string());

/** The keys in the order in which people read them. `byDefault` absent = nothing is set. */
export const CONFIG_KEYS = {
  budget: { schema: z.number().nonnegative(), byDefault: 10, says: 'what a run may cost in USD; 0 = no limit' },
  model: {
    schema: z.string().refine(isModelName, 'expected opus, sonnet, haiku or a full model name such as claude-…'),
    example: 'sonnet',
    says: "the model of prompts that name none; without it Claude Code's own",
  },
  effort: {
    schema: z.string().refine(isEffort, `expected one of ${EFFORTS.join(', ')}`),
    example: 'medium',
    says: `how hard Claude thinks: ${EFFORTS.join(', ')}`,
  },
  timeout: {
    schema: z.number().nonnegative(),
    example: 600,
    says: 'end a turn after so many seconds of silence; 0 = never. Without it 600 for prompts, never for scripts',
  },
  dangerously_skip_permissions: {
    schema: z.boolean(),
    byDefault: false,
    says: 'let Claude do anything without asking; else it may edit files and use allowed_tools',
  },
  fail_fast: { schema: z.boolean(), byDefault: false, says: 'stop all agents of a run when one fails' },
  no_debug: { schema: z.boolean(), byDefault: false, says: 'keep no debug files of runs in .raymond/debug' },
  allowed_tools: {
    schema: names,
    byDefault: [],
    says: 'tools that Claude may use unasked, such as "Bash(npm test *)"',
  },
  claude_args: {
    schema: names.refine((args) => reservedClaudeArg(args) === undefined, {
      error: ({ input }) => `Raymond itself sets ${reservedClaudeArg(input as readonly string[])}; remove it`,
    }),
    byDefault: [],
    says: 'more arguments for Claude Code, passed on as they are',
  },
  env_pass: { schema: names, byDefault: [], says: 'environment variables that prompts get, too; globs, ["*"] = all' },
  max_prompts: { schema: z.number().int().positive(), byDefault: 8, says: 'prompt turns at once per worker' },
  max_scripts: { schema: z.number().int().positive(), byDefault: 64, says: 'script turns at once per worker' },
  artifact_dir: {
    schema: text,
    example: '/srv/raymond/artifacts',
    says: 'where large values and conversations are kept; shared by all hosts of a fleet. Without it .raymond/artifacts',
  },
  address: {
    schema: text,
    example: 'temporal.example:7233',
    says: 'a Temporal cluster instead of the embedded server',
  },
  namespace: { schema: text, byDefault: 'default', says: 'its namespace' },
  task_queue: { schema: text, byDefault: 'raymond', says: "the fleet's task queue" },
  temporal_cli: { schema: text, example: '/usr/local/bin/temporal', says: 'the Temporal CLI of the embedded server' },
} as const satisfies Record<string, ConfigKey>;

interface ConfigKey {
  readonly schema: z.ZodType;
  readonly says: string;
  readonly byDefault?: string | number | boolean | readonly string[];
  readonly example?: string | number;
}

/** A key's name. */
export type ConfigName = keyof typeof CONFIG_KEYS;

/** The table `[raymond]` of a config file; every key is optional. */
export type Config = { readonly [K in ConfigName]?: z.infer<(typeof CONFIG_KEYS)[K]['schema']> | undefined };

/** All keys with what is common to them. */
export function configKeys(): readonly (ConfigKey & { readonly name: ConfigName })[] {
  return (Object.keys(CONFIG_KEYS) as ConfigName[]).map((name) => ({ name, ...(CONFIG_KEYS[name] as ConfigKey) }));
}

// The config of a project, `.raymond/config.toml`: every key that it knows, and how it is read. Invalid or unknown keys are errors with file
// and line.
import { TomlError, parse } from 'smol-toml';
import { z } from 'zod';
import { SCRIPT_ENVIRONMENTS } from './activities/environment.js';
import { CLAUDE_PROFILES, reservedClaudeArg } from './backends/claude/command.js';
import { EFFORTS, isEffort, isModelName } from './protocol/policy.js';
import { DEFAULT_PRIORITY, isPriority, PRIORITY_FORM } from './protocol/priority.js';
import { nearest } from './protocol/text.js';
import { HOST_PORT, parseHostPort } from './telemetry/address.js';
import { ClientError } from './client/error.js';
import { ON_ASK } from './workflows/contract.js';

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
  max_time: {
    schema: z.number().nonnegative(),
    example: 3600,
    says: 'end a turn that takes longer than so many seconds, silent or not; 0 = never. Without it never',
  },
  dangerously_skip_permissions: {
    schema: z.boolean(),
    byDefault: false,
    says: 'let Claude do anything without asking; else it may edit files and use allowed_tools',
  },
  priority: {
    schema: z.number().refine(isPriority, `expected ${PRIORITY_FORM}`),
    byDefault: DEFAULT_PRIORITY,
    says: 'which turns get a free slot of a worker first: 1 those of the most urgent runs, 5 the last',
  },
  fail_fast: { schema: z.boolean(), byDefault: false, says: 'stop all agents of a run when one fails' },
  on_ask: {
    schema: z.enum(ON_ASK),
    example: 'exit',
    says: `what to do while a person's answer is missing: ${ON_ASK.join(', ')}`,
  },
  hook_ask: {
    schema: text,
    example: 'notify-send question',
    says: 'a shell command for each question to a person; it gets the event as JSON on stdin, like all hooks',
  },
  hook_fail: {
    schema: text,
    example: 'notify-send failed',
    says: 'the same when an agent fails, and when the run ends failed',
  },
  hook_done: { schema: text, example: 'notify-send ended', says: 'the same when the run has ended, however it did' },
  hook_budget: {
    schema: text,
    example: 'notify-send budget',
    says: 'the same when the run went over its budget',
  },
  hook_limit: {
    schema: text,
    example: 'notify-send limit',
    says: 'the same when an agent waits for a usage limit to pass',
  },
  hook_timeout: {
    schema: z.number().positive(),
    byDefault: 30,
    says: 'seconds that a hook may take; what takes longer is ended and tried again',
  },
  drain: {
    schema: z.number().nonnegative(),
    example: 30,
    says: 'seconds that running turns may go on after SIGTERM. Without it 30 for a run without a terminal, 600 for a worker',
  },
  no_wait: { schema: z.boolean(), byDefault: false, says: 'do not wait for a usage limit to pass: pause instead' },
  pin: { schema: z.boolean(), byDefault: false, says: 'run a frozen copy: later edits of a workflow do not count' },
  quiet: { schema: z.boolean(), byDefault: false, says: 'show nothing but the result and errors' },
  verbose: { schema: z.boolean(), byDefault: false, says: 'also show what states say' },
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
  claude_profile: {
    schema: z.enum(CLAUDE_PROFILES),
    byDefault: 'user',
    says: "Claude Code as the user's own, or isolated: without their home, settings, MCP servers and slash commands",
  },
  script_env: {
    schema: z.enum(SCRIPT_ENVIRONMENTS),
    byDefault: 'inherit',
    says: "the worker's whole environment for scripts, or clean: what prompts get, without Claude's credentials",
  },
  env_pass: {
    schema: names,
    byDefault: [],
    says: 'environment variables that prompts and clean scripts get, too; globs, ["*"] = all',
  },
  max_prompts: { schema: z.number().int().positive(), byDefault: 8, says: 'prompt turns at once per worker' },
  max_scripts: { schema: z.number().int().positive(), byDefault: 64, says: 'script turns at once per worker' },
  script_output: { schema: z.number().positive(), byDefault: 1024, says: 'MiB that a script may print in one turn' },
  metrics: {
    schema: z.string().refine((address) => parseHostPort(address) !== undefined, HOST_PORT),
    example: '127.0.0.1:9464',
    says: 'where a worker, or the process that serves a run, serves metrics for Prometheus. Without it nowhere',
  },
  traces: {
    schema: z.boolean(),
    byDefault: false,
    says: 'send a span per turn to where OTEL_EXPORTER_OTLP_ENDPOINT says',
  },
  artifact_dir: {
    schema: text,
    example: '/srv/raymond/artifacts',
    says: 'where large values and conversations are kept; shared by all hosts of a fleet. Without it .raymond/artifacts',
  },
  encryption_keys: {
    schema: text,
    example: '.raymond/keys',
    says: 'a file of keys, from the project root: what goes into Temporal is encrypted with the first of them',
  },
  task_folder: {
    schema: text,
    example: '.raymond/tasks/{{workflow_id}}/{{agent_id}}',
    says: "where an agent's own files are kept",
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
type ConfigName = keyof typeof CONFIG_KEYS;

/** The table `[raymond]` of a config file; every key is optional. */
export type Config = { readonly [K in ConfigName]?: z.infer<(typeof CONFIG_KEYS)[K]['schema']> | undefined };

/** All keys with what is common to them. */
export function configKeys(): readonly (ConfigKey & { readonly name: ConfigName })[] {
  return (Object.keys(CONFIG_KEYS) as ConfigName[]).map((name) => ({ name, ...(CONFIG_KEYS[name] as ConfigKey) }));
}

const schema = z.strictObject(
  Object.fromEntries(configKeys().map(({ name, schema: accepted }) => [name, accepted.optional()])),
);

/** Reads a config text. Throws `InvalidUsage` naming file and line. */
export function parseConfig(text: string, file: string): Config {
  const table = toml(text, file);
  const stranger = Object.keys(table).find((key) => key !== 'raymond');
  if (stranger !== undefined) {
    const what = unknown('table or key', { name: stranger, known: ['raymond'] });
    throw invalid(`${file}:${lineOf(text, stranger)}: ${what}; all keys belong under [raymond]`);
  }
  const checked = schema.safeParse(table['raymond'] ?? {});
  if (checked.success) return checked.data;
  const [issue] = checked.error.issues;
  if (issue === undefined) throw invalid(`${file}: invalid`);
  if (issue.code === 'unrecognized_keys') {
    const key = issue.keys[0] ?? '';
    const known = Object.keys(schema.shape);
    const what = unknown('key', { name: key, known });
    throw invalid(`${file}:${lineOf(text, key)}: ${what}; the keys are ${known.join(', ')}`);
  }
  const key = String(issue.path[0] ?? 'raymond');
  throw invalid(`${file}:${lineOf(text, key)}: ${key}: ${issue.message}`);
}

function unknown(what: string, { name, known }: { readonly name: string; readonly known: readonly string[] }): string {
  const near = nearest(name, known);
  return `unknown ${what} "${name}"${near === undefined ? '' : ` (did you mean ${near}?)`}`;
}

function toml(text: string, file: string): Record<string, unknown> {
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof TomlError) throw invalid(`${file}:${error.line}: ${error.message.split('\n')[0]}`);
    throw error;
  }
}

function lineOf(text: string, key: string): number {
  const found = text.split('\n').findIndex((line) => keyOf(line) === key);
  return found < 0 ? 1 : found + 1;
}

/** The key that a line sets, or the table that it opens, without brackets and quotes and relative to [raymond]. */
function keyOf(line: string): string | undefined {
  return /^\s*\[*\s*(?:raymond\s*\.\s*)?["']?([^\s"'=.\]]+)/.exec(line)?.[1];
}

function invalid(message: string): ClientError {
  return new ClientError('InvalidUsage', message);
}

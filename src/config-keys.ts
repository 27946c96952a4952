// The keys of the config: what each takes, what it is without one, and what it says, in the order in which people read them.
import { isAbsolute } from 'node:path';
import { z } from 'zod';
import { SCRIPT_ENVIRONMENTS } from './activities/environment/environment.js';
import { CLAUDE_PROFILES, reservedClaudeArg } from './backends/claude/command.js';
import { reservedPiArg } from './backends/pi/backend.js';
import { DURATION_FORM, parseDuration } from './protocol/machine/wait.js';
import { KEY, KEY_FORM } from './protocol/leases.js';
import { BACKENDS, EFFORTS, MODEL_NAME } from './protocol/language/policy.js';
import { DEFAULT_PRIORITY, PRIORITIES, PRIORITY_FORM } from './protocol/priority.js';
import { parseBucket } from './store/open.js';
import { HOST_PORT, parseHostPort } from './telemetry/address.js';
import { ON_ASK } from './workflows/contract.js';

const text = z.string().min(1);
const names = z.array(z.string());
const hostPort = z.string().refine((address) => parseHostPort(address) !== undefined, HOST_PORT);

const account = z.strictObject({
  name: z.string().regex(KEY, `name: expected ${KEY_FORM}`),
  env: z.record(z.string(), z.string()).optional(),
  command: text.optional(),
  weight: z.number().positive().optional(),
});
const accounts = z
  .array(account)
  .refine((list) => list.every(({ env, command }) => (env ?? command) !== undefined), 'each needs env or command')
  .refine((list) => new Set(list.map(({ name }) => name)).size === list.length, 'two of them have the same name');

/** The keys in the order in which people read them. `byDefault` absent = nothing is set. */
export const CONFIG_KEYS = {
  budget: { schema: z.number().nonnegative(), byDefault: 10, says: 'what a run may cost in USD; 0 = no limit' },
  model: {
    schema: z.string().regex(MODEL_NAME, 'expected opus, sonnet, haiku or a full model name such as claude-…'),
    example: 'sonnet',
    says: "the model of prompts that name none; without it Claude Code's own",
  },
  effort: {
    schema: z.enum(EFFORTS, `expected one of ${EFFORTS.join(', ')}`),
    example: 'medium',
    says: `how hard Claude thinks: ${EFFORTS.join(', ')}`,
  },
  backend: {
    schema: z.enum(BACKENDS),
    byDefault: 'claude',
    says: `what answers prompts that name nothing: ${BACKENDS.join(', ')}`,
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
    schema: z.literal(PRIORITIES, `expected ${PRIORITY_FORM}`),
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
  idle: {
    schema: z
      .string()
      .refine((value) => value === '0' || parseDuration(value) !== undefined, `expected ${DURATION_FORM}, or 0`),
    byDefault: '15m',
    says: 'how long an engine in the background without open runs waits until it ends; 0 = it never does',
  },
  no_wait: { schema: z.boolean(), byDefault: false, says: 'do not wait for a usage limit to pass: pause instead' },
  no_chain: {
    schema: z.boolean(),
    byDefault: false,
    says: 'let every script turn be an activity of its own; else one may do several quick ones, one after the other',
  },
  pin: { schema: z.boolean(), byDefault: false, says: 'run a frozen copy: later edits of a workflow do not count' },
  live: { schema: z.boolean(), byDefault: false, says: 'with a bucket: workflows stay where workers see them' },
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
  pi_args: {
    schema: names.refine((args) => reservedPiArg(args) === undefined, {
      error: ({ input }) => `Raymond itself sets ${reservedPiArg(input as readonly string[])}; remove it`,
    }),
    byDefault: [],
    says: 'more arguments for pi, passed on as they are, such as --provider',
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
  accounts: {
    schema: accounts,
    example: [{ name: 'team', command: 'cat /run/secrets/claude.env', weight: 2 }],
    says: 'accounts of Claude for prompts: env, or a command that prints variables; weight = its part of the agents',
  },
  limits: {
    schema: z.record(z.string().regex(KEY, `expected ${KEY_FORM}`), z.number().int().positive()),
    example: { opus: 4, 'repo:payments': 1 },
    says: 'turns at once on all workers together, by model or by what states name as their limit',
  },
  script_output: { schema: z.number().positive(), byDefault: 1024, says: 'MiB that a script may print in one turn' },
  lint_ignore: { schema: names, byDefault: [], says: 'rules of raymond lint that count nowhere' },
  workflow_folders: { schema: names, byDefault: [], says: 'more folders where raymond serve finds workflows' },
  health: { schema: hostPort, example: '0.0.0.0:9465', says: 'where a worker answers at /healthz and /readyz' },
  metrics: {
    schema: hostPort,
    example: '127.0.0.1:9464',
    says: 'where a worker, or the process that serves a run, serves metrics for Prometheus. Without it nowhere',
  },
  traces: {
    schema: z.boolean(),
    byDefault: false,
    says: 'send a span per turn to where OTEL_EXPORTER_OTLP_ENDPOINT says',
  },
  workspace: {
    schema: z.enum(['shared', 'git']),
    byDefault: 'shared',
    says: 'where agents work: in folders that every host sees, or in workspaces that git brings from host to host',
  },
  workspace_root: {
    schema: text.refine(isAbsolute, 'expected an absolute path: it is the same on every host'),
    example: '/srv/raymond/workspaces',
    says: 'the folder of the workspaces, the same on every host. Without it, on the embedded server, .raymond/workspaces',
  },
  workspace_limit: {
    schema: z.number().positive(),
    byDefault: 256,
    says: 'MiB that may be new or changed in a workspace after a turn',
  },
  on_host_loss: {
    schema: z.enum(['wait', 'move']),
    byDefault: 'wait',
    says: 'what becomes of agents whose host is gone: they wait for it, or go on on another one',
  },
  prepare: {
    schema: text,
    example: 'npm ci',
    says: 'a shell command that a host runs once in every new workspace: dependencies are not in git',
  },
  artifact_dir: {
    schema: text,
    example: '/srv/raymond/artifacts',
    says: 'where large values and conversations are kept; shared by all hosts of a fleet. Without it .raymond/artifacts',
  },
  artifact_store: {
    schema: text.refine((address) => parseBucket(address) !== undefined, 'expected s3://bucket or s3://bucket/prefix'),
    example: 's3://bucket/prefix',
    says: 'a bucket that keeps them instead; artifact_dir is then the cache of this host',
  },
  artifact_cache: { schema: z.number().positive(), byDefault: 5, says: 'GiB that the cache of a bucket may take' },
  s3_endpoint: {
    schema: z.url({ protocol: /^https?$/ }),
    example: 'http://minio:9000',
    says: "the bucket's service. Without it AWS",
  },
  s3_region: { schema: text, example: 'eu-central-1', says: 'its region. Without it AWS_REGION, else us-east-1' },
  s3_path_style: {
    schema: z.boolean(),
    example: true,
    says: 'ENDPOINT/BUCKET as its address. Without it where s3_endpoint is set',
  },
  s3_credentials: {
    schema: text,
    example: 'vault read -format=json …',
    says: 'a shell command that prints its keys as JSON (as an AWS credential_process does). Without it AWS_ACCESS_KEY_ID, …',
  },
  encryption_keys: {
    schema: text,
    example: '.raymond/keys',
    says: 'a file of keys, from the project root: what goes into Temporal is encrypted with the first of them',
  },
  task_folder: { schema: text, example: 'tasks/{{workflow_id}}/{{agent_id}}', says: "where an agent's own files are" },
  address: {
    schema: text,
    example: 'temporal.example:7233',
    says: 'a Temporal cluster instead of the embedded server',
  },
  namespace: { schema: text, byDefault: 'default', says: 'its namespace' },
  task_queue: { schema: text, byDefault: 'raymond', says: "the fleet's task queue" },
  temporal_cli: { schema: text, example: '/usr/local/bin/temporal', says: 'the Temporal CLI of the embedded server' },
} as const satisfies Record<string, ConfigKey>;

/** What is known of a key. */
export interface ConfigKey {
  readonly schema: z.ZodType;
  readonly says: string;
  readonly byDefault?: string | number | boolean | readonly string[];
  readonly example?: string | number | boolean | Readonly<Record<string, number>> | readonly object[];
}

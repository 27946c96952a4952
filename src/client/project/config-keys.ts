// The keys of the config: the type, default and description of each, in the order in which people read them.
import { isAbsolute } from 'node:path';
import { z } from 'zod';
import { SCRIPT_ENVIRONMENTS } from '../../activities/environment/environment.js';
import { CLAUDE_PROFILES, reservedClaudeArg } from '../../backends/claude/command.js';
import { reservedPiArg } from '../../backends/pi/backend.js';
import { DURATION_FORM, parseDuration } from '../../protocol/text.js';
import { KEY, KEY_FORM } from '../../protocol/leases.js';
import { BACKENDS, EFFORTS, MODEL_FORM, MODEL_NAME } from '../../protocol/language/policy.js';
import { sandboxField, sandboxProfiles } from '../../packages/sandbox-field.js';
import { DEFAULT_PRIORITY, PRIORITIES, PRIORITY_FORM } from '../../protocol/priority.js';
import { parseBucket } from '../../store/open.js';
import { HOST_PORT, parseHostPort } from '../../telemetry/address.js';
import { ON_ASK } from '../../contract/runs.js';

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
  .refine(
    (list) => list.every(({ env, command }) => (env ?? command) !== undefined),
    'each account needs env or command',
  )
  .refine((list) => new Set(list.map(({ name }) => name)).size === list.length, 'two accounts have the same name');

/** The keys in the order in which people read them. `byDefault` absent = nothing is set. */
export const CONFIG_KEYS = {
  budget: {
    schema: z.number().nonnegative(),
    byDefault: 10,
    says: 'budget of a run in USD, at which it ends; 0 = no limit',
  },
  model: {
    schema: z.string().regex(MODEL_NAME, MODEL_FORM),
    example: 'sonnet',
    says: "model for prompts that set none. Default: Claude Code's own",
  },
  effort: {
    schema: z.enum(EFFORTS, `expected one of ${EFFORTS.join(', ')}`),
    example: 'medium',
    says: `effort for prompts that set none: ${EFFORTS.join(', ')}`,
  },
  backend: {
    schema: z.enum(BACKENDS),
    byDefault: 'claude',
    says: `backend for prompts that set none: ${BACKENDS.join(', ')}`,
  },
  timeout: {
    schema: z.number().nonnegative(),
    example: 600,
    says: 'end a turn that prints nothing for this many seconds; 0 = never. Default: 600 for prompts, 0 for scripts',
  },
  max_time: {
    schema: z.number().nonnegative(),
    example: 3600,
    says: 'end a turn that takes longer than this many seconds in total; 0 = never. Default: never',
  },
  dangerously_skip_permissions: {
    schema: z.boolean(),
    byDefault: false,
    says: 'let Claude use all tools without asking for permission; else it may read and edit files, and use allowed_tools',
  },
  sandbox: {
    schema: sandboxField,
    example: { kind: 'process', network: ['registry.npmjs.org'] },
    says: 'minimum sandbox for turns: none, process, container or KIND:PROFILE; a table can also set its permissions. A run, package or state may ask for a stricter sandbox. Default: none',
  },
  sandbox_profiles: {
    schema: sandboxProfiles,
    example: { web: { network: ['*.example.com'] } },
    says: 'named sandbox permissions; a state or --sandbox uses one with, for example, process:web',
  },
  priority: {
    schema: z.literal(PRIORITIES, `expected ${PRIORITY_FORM}`),
    byDefault: DEFAULT_PRIORITY,
    says: 'priority of the turns of a run, from 1 (first) to 5, when turns wait for a free worker',
  },
  fail_fast: { schema: z.boolean(), byDefault: false, says: 'cancel all agents of a run when one fails' },
  on_ask: {
    schema: z.enum(ON_ASK),
    example: 'exit',
    says: `what to do when only a person's answer is missing: ${ON_ASK.join(', ')}; exit ends the command with code 2, reject fails the agent that asks. Default: wait on a terminal or cluster, else exit`,
  },
  hook_ask: {
    schema: text,
    example: 'notify-send question',
    says: 'a shell command for each question to a person; it gets the event as JSON on stdin, like all hooks',
  },
  hook_fail: {
    schema: text,
    example: 'notify-send failed',
    says: 'a shell command for each failed agent, and for a failed run',
  },
  hook_done: {
    schema: text,
    example: 'notify-send ended',
    says: 'a shell command for the end of a run, whatever its status',
  },
  hook_budget: {
    schema: text,
    example: 'notify-send budget',
    says: 'a shell command for a run that reached its budget',
  },
  hook_limit: {
    schema: text,
    example: 'notify-send limit',
    says: 'a shell command for an agent that waits for a usage limit to end',
  },
  hook_timeout: {
    schema: z.number().positive(),
    byDefault: 30,
    says: 'time limit of a hook in seconds; a hook that takes longer is stopped and retried',
  },
  drain: {
    schema: z.number().nonnegative(),
    example: 30,
    says: 'seconds that running turns may take after SIGTERM before they are interrupted. Default: 30 for the engine, and for a command that executes a run itself without a terminal; 600 for a worker of a fleet',
  },
  idle: {
    schema: z
      .string()
      .refine((value) => value === '0' || parseDuration(value) !== undefined, `expected ${DURATION_FORM}, or 0`),
    byDefault: '15m',
    says: 'how long an idle background engine waits before it ends; 0 = it never ends',
  },
  no_wait: {
    schema: z.boolean(),
    byDefault: false,
    says: 'pause the agent at a usage limit instead of waiting until the limit ends',
  },
  no_chain: {
    schema: z.boolean(),
    byDefault: false,
    says: 'run every script turn as its own activity; else one activity may run several quick turns',
  },
  pin: {
    schema: z.boolean(),
    byDefault: false,
    says: 'run a copy of the workflow, so that later edits do not change the run',
  },
  live: {
    schema: z.boolean(),
    byDefault: false,
    says: 'with artifact_store: workers read the workflow in its folder, not its copy in the bucket',
  },
  quiet: { schema: z.boolean(), byDefault: false, says: 'show nothing but the result and errors' },
  verbose: { schema: z.boolean(), byDefault: false, says: 'also show the output of turns' },
  no_debug: { schema: z.boolean(), byDefault: false, says: 'do not keep debug files of runs in .raymond/debug' },
  allowed_tools: {
    schema: names,
    byDefault: [],
    says: 'tools that Claude may use without asking for permission, such as "Bash(npm test *)"',
  },
  claude_args: {
    schema: names.refine((args) => reservedClaudeArg(args) === undefined, {
      error: ({ input }) => `Raymond itself sets ${reservedClaudeArg(input as readonly string[])}; remove it`,
    }),
    byDefault: [],
    says: 'more arguments for Claude Code, passed unchanged',
  },
  pi_args: {
    schema: names.refine((args) => reservedPiArg(args) === undefined, {
      error: ({ input }) => `Raymond itself sets ${reservedPiArg(input as readonly string[])}; remove it`,
    }),
    byDefault: [],
    says: 'more arguments for pi, passed unchanged, such as --provider',
  },
  claude_profile: {
    schema: z.enum(CLAUDE_PROFILES),
    byDefault: 'user',
    says: "Claude Code with the user's setup, or isolated: without the user's home, settings, MCP servers and slash commands",
  },
  script_env: {
    schema: z.enum(SCRIPT_ENVIRONMENTS),
    byDefault: 'inherit',
    says: "environment variables of scripts: inherit = all; clean = only those that prompts get, without Claude's credentials",
  },
  env_pass: {
    schema: names,
    byDefault: [],
    says: 'environment variables that prompts and clean scripts get besides well-known ones such as PATH; globs, ["*"] = all',
  },
  max_prompts: {
    schema: z.number().int().positive(),
    byDefault: 8,
    says: 'maximum number of concurrent prompt turns per worker',
  },
  max_scripts: {
    schema: z.number().int().positive(),
    byDefault: 64,
    says: 'maximum number of concurrent script turns per worker',
  },
  accounts: {
    schema: accounts,
    example: [{ name: 'team', command: 'cat /run/secrets/claude.env', weight: 2 }],
    says: 'Claude accounts for prompts; each has a name, env (a table of variables) or command (a shell command that prints them), and weight (its share of the agents, by default 1)',
  },
  limits: {
    schema: z.record(z.string().regex(KEY, `expected ${KEY_FORM}`), z.number().int().positive()),
    example: { opus: 4, 'repo:payments': 1 },
    says: 'maximum number of concurrent turns on all workers. Each key is the name of a model, or the name of a limit; states and manifests name that limit, as in limit: repo:payments',
  },
  script_output: {
    schema: z.number().positive(),
    byDefault: 1024,
    says: 'largest output of a script in one turn, in MiB',
  },
  lint_ignore: { schema: names, byDefault: [], says: 'rules of raymond lint to ignore everywhere' },
  workflow_folders: {
    schema: names,
    byDefault: [],
    says: 'folders where raymond serve and mcp find workflows, besides the project root',
  },
  serve_port: {
    schema: z.number().int().min(1).max(65_535),
    example: 8080,
    says: 'port of raymond serve. Default: 8234, or the next free one',
  },
  serve_cwd: {
    schema: z.string().min(1),
    example: 'work',
    says: 'working directory of runs that the API starts without one',
  },
  upload_file_size: {
    schema: z.number().int().positive(),
    example: 10_485_760,
    says: 'largest file of an answer that the API accepts, in bytes. Default: what the question allows',
  },
  upload_total_size: {
    schema: z.number().int().positive(),
    example: 104_857_600,
    says: 'largest total size of the files of an answer, in bytes. Default: what the question allows',
  },
  upload_file_count: {
    schema: z.number().int().positive(),
    example: 20,
    says: 'largest number of files of an answer. Default: what the question allows',
  },
  health: { schema: hostPort, example: '0.0.0.0:9465', says: 'address on which a worker serves /healthz and /readyz' },
  metrics: {
    schema: hostPort,
    example: '127.0.0.1:9464',
    says: 'address on which a worker, or the process that executes a run, serves metrics for Prometheus. Default: none',
  },
  traces: {
    schema: z.boolean(),
    byDefault: false,
    says: 'send a span per turn to OTEL_EXPORTER_OTLP_ENDPOINT',
  },
  workspace: {
    schema: z.enum(['shared', 'git']),
    byDefault: 'shared',
    says: 'where agents work: in folders that every host sees, or in git workspaces that move between hosts',
  },
  workspace_root: {
    schema: text.refine(isAbsolute, 'expected an absolute path: it is the same on every host'),
    example: '/srv/raymond/workspaces',
    says: 'folder of git workspaces: the same absolute path on every host, not a shared folder. Default: .raymond/workspaces; required on a cluster',
  },
  workspace_limit: {
    schema: z.number().positive(),
    byDefault: 256,
    says: 'largest size of new and changed files in a workspace after a turn, in MiB',
  },
  on_host_loss: {
    schema: z.enum(['wait', 'move']),
    byDefault: 'wait',
    says: 'what agents with a workspace do when their host is lost or has no room for a turn: wait for it, or move',
  },
  prepare: {
    schema: text,
    example: 'npm ci',
    says: 'a shell command that a host runs once in every new workspace, for example to install dependencies',
  },
  artifact_dir: {
    schema: text,
    example: '/srv/raymond/artifacts',
    says: 'folder of artifacts (large values and conversations), which all hosts of a fleet share if artifact_store is not set. Default: .raymond/artifacts',
  },
  artifact_store: {
    schema: text.refine((address) => parseBucket(address) !== undefined, 'expected s3://bucket or s3://bucket/prefix'),
    example: 's3://bucket/prefix',
    says: 'bucket for artifacts; artifact_dir is then the cache of this host',
  },
  artifact_cache: { schema: z.number().positive(), byDefault: 5, says: 'size limit of the bucket cache, in GiB' },
  s3_endpoint: {
    schema: z.url({ protocol: /^https?$/ }),
    example: 'http://minio:9000',
    says: "endpoint of the bucket's service. Default: AWS",
  },
  s3_region: {
    schema: text,
    example: 'eu-central-1',
    says: 'region of the bucket. Default: AWS_REGION, else us-east-1',
  },
  s3_path_style: {
    schema: z.boolean(),
    example: true,
    says: 'use the address ENDPOINT/BUCKET for the bucket. Default: true when s3_endpoint is set',
  },
  s3_credentials: {
    schema: text,
    example: 'vault read -format=json …',
    says: 'a shell command that prints the keys of the bucket as JSON (like an AWS credential_process). Default: AWS_ACCESS_KEY_ID, then the profiles and roles of AWS',
  },
  encryption_keys: {
    schema: text,
    example: '.raymond/keys',
    says: 'file of keys, relative to the project root: values in Temporal are encrypted with the first one',
  },
  task_folder: {
    schema: text,
    example: 'tasks/{{workflow_id}}/{{agent_id}}',
    says: 'path of the task folder, which each agent has for files of its own work; {{workflow_id}} is the id of the run. Default: .raymond/tasks/RUN/AGENT',
  },
  address: {
    schema: text,
    example: 'temporal.example:7233',
    says: 'a Temporal cluster instead of the embedded server',
  },
  namespace: { schema: text, byDefault: 'default', says: 'namespace of the cluster' },
  task_queue: {
    schema: text,
    byDefault: 'raymond',
    says: 'task queue of the fleet; without a cluster it has no effect',
  },
  temporal_cli: { schema: text, example: '/usr/local/bin/temporal', says: 'the Temporal CLI of the embedded server' },
} as const satisfies Record<string, ConfigKey>;

/** The definition of a key. */
export interface ConfigKey {
  readonly schema: z.ZodType;
  readonly says: string;
  readonly byDefault?: string | number | boolean | readonly string[];
  readonly example?: string | number | boolean | object | readonly object[];
}

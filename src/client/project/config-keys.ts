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

function hook(
  event: string,
  when: string,
): { readonly schema: typeof text; readonly example: string; readonly says: string } {
  return { schema: text, example: `notify-send ${event}`, says: `shell command that runs ${when}` };
}

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
    says: 'budget of a run in USD: a run that has spent this much ends; 0 = no limit. Default: default_budget in the manifest of the package, else 10',
  },
  model: {
    schema: z.string().regex(MODEL_NAME, MODEL_FORM),
    example: 'sonnet',
    says: 'model for prompts that set none. Default: the default model of Claude Code or pi',
  },
  effort: {
    schema: z.enum(EFFORTS, `expected one of ${EFFORTS.join(', ')}`),
    example: 'medium',
    says: `effort for prompts that set none: ${EFFORTS.join(', ')}`,
  },
  backend: {
    schema: z.enum(BACKENDS),
    byDefault: 'claude',
    says: `backend (the program that runs a prompt) for prompts that set none: ${BACKENDS.join(', ')}`,
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
    says: 'let Claude use all tools without asking for permission; if false, Claude may read and edit files, and use the tools in allowed_tools',
  },
  sandbox: {
    schema: sandboxField,
    example: { kind: 'process', network: ['registry.npmjs.org'] },
    says: 'sandbox in which turns run: none, process, container, or KIND:PROFILE with the name of a profile in sandbox_profiles. A table also sets the permissions of the sandbox. A run, package or state can only ask for a stricter sandbox. Default: none',
  },
  sandbox_profiles: {
    schema: sandboxProfiles,
    example: { web: { network: ['*.example.com'] } },
    says: 'named lists of permissions for sandboxes (profiles). A state or --sandbox uses, for example, the profile web as process:web',
  },
  priority: {
    schema: z.literal(PRIORITIES, `expected ${PRIORITY_FORM}`),
    byDefault: DEFAULT_PRIORITY,
    says: 'priority of the turns of a run when turns wait for a free slot of a worker, from 1 (first) to 5 (last)',
  },
  fail_fast: { schema: z.boolean(), byDefault: false, says: 'cancel all agents of a run when one fails' },
  on_ask: {
    schema: z.enum(ON_ASK),
    example: 'exit',
    says: 'what to do about questions to a person: wait = a command that follows the run waits for the answer; exit = the command ends with exit code 2 when the run can continue only with an answer; reject = the agent that asks fails. Default: wait on a terminal or with a cluster, else exit',
  },
  hook_ask: hook(
    'question',
    'for each question to a person. Like every hook, the command gets the event as JSON on stdin',
  ),
  hook_fail: hook('failed', 'for each agent that fails, and for a run that fails'),
  hook_done: hook('ended', 'when a run ends, whatever the status of the run'),
  hook_budget: hook('budget', 'when a run ends because it has spent its budget'),
  hook_limit: hook('limit', 'when an agent waits until a usage limit ends'),
  hook_timeout: {
    schema: z.number().positive(),
    byDefault: 30,
    says: 'time limit of a hook in seconds. A hook that takes longer is stopped. A hook that was stopped or failed is started again, at most two more times (three starts in total)',
  },
  drain: {
    schema: z.number().nonnegative(),
    example: 30,
    says: 'seconds that running turns have to end after SIGTERM or raymond down before they are interrupted. Default: 600 for a worker of a fleet, and for a command with --foreground on a terminal; no limit for another command that follows a run on a terminal; else 30',
  },
  idle: {
    schema: z
      .string()
      .refine((value) => value === '0' || parseDuration(value) !== undefined, `expected ${DURATION_FORM}, or 0`),
    byDefault: '15m',
    says: 'the background engine ends when there was no open run, open web page or active schedule for this long; 0 = the engine never ends',
  },
  no_wait: {
    schema: z.boolean(),
    byDefault: false,
    says: 'at a usage limit of an account, the agent pauses; if false, the agent waits until the limit ends',
  },
  no_chain: {
    schema: z.boolean(),
    byDefault: false,
    says: 'run every script turn as its own Temporal activity; if false, one activity can run several quick script turns',
  },
  pin: {
    schema: z.boolean(),
    byDefault: false,
    says: 'copy the workflow and run the copy, so that later edits do not change the run',
  },
  live: {
    schema: z.boolean(),
    byDefault: false,
    says: 'if artifact_store is set: workers read the workflow from its folder, not from the copy that is otherwise uploaded to the bucket',
  },
  quiet: { schema: z.boolean(), byDefault: false, says: 'show only the result and errors' },
  verbose: { schema: z.boolean(), byDefault: false, says: 'also show the output of turns' },
  no_debug: { schema: z.boolean(), byDefault: false, says: 'keep no debug files of runs in .raymond/debug' },
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
    says: "the Claude Code setup of prompts: user = that of the user; isolated = prompts run without the user's home, settings, MCP servers and slash commands",
  },
  script_env: {
    schema: z.enum(SCRIPT_ENVIRONMENTS),
    byDefault: 'inherit',
    says: "environment variables that scripts get: inherit = all; clean = only those that prompts get, without Claude's credentials",
  },
  env_pass: {
    schema: names,
    byDefault: [],
    says: 'names of environment variables that prompts get, and scripts with script_env = "clean", in addition to well-known ones such as PATH. A name can be a glob; ["*"] = all variables',
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
    says: 'Claude accounts for prompts. Each account has a name, a weight (its share of the agents; default: 1), and credentials: env is a table of variables, command is a shell command that prints variables',
  },
  limits: {
    schema: z.record(z.string().regex(KEY, `expected ${KEY_FORM}`), z.number().int().positive()),
    example: { opus: 4, 'repo:payments': 1 },
    says: 'names of limits, each with the number of turns that may run at the same time on all workers together. A limit with the name of a model applies to the prompts of this model. Any other limit applies to states and packages that name it, as in limit: repo:payments',
  },
  script_output: {
    schema: z.number().positive(),
    byDefault: 1024,
    says: 'largest output of a script in one turn, in MiB; a turn that prints more fails',
  },
  lint_ignore: { schema: names, byDefault: [], says: 'ids of rules that raymond lint ignores in all workflows' },
  workflow_folders: {
    schema: names,
    byDefault: [],
    says: 'folders in which the web page, the API and raymond mcp look for workflows, in addition to the project root',
  },
  serve_port: {
    schema: z.number().int().min(1).max(65_535),
    example: 8080,
    says: 'port of raymond serve. Default: 8234, or the next free one',
  },
  serve_cwd: {
    schema: z.string().min(1),
    example: 'work',
    says: 'working directory of a run that is started through the API or the web page, if the request names none. Default: working_directory in the manifest of the package, else the project root',
  },
  upload_file_size: {
    schema: z.number().int().positive(),
    example: 10_485_760,
    says: 'largest file, in bytes, in an answer through the API or the web page. Default: the limit of the question',
  },
  upload_total_size: {
    schema: z.number().int().positive(),
    example: 104_857_600,
    says: 'largest total size of the files, in bytes, in an answer through the API or the web page. Default: the limit of the question',
  },
  upload_file_count: {
    schema: z.number().int().positive(),
    example: 20,
    says: 'largest number of files in an answer through the API or the web page. Default: the limit of the question',
  },
  health: {
    schema: hostPort,
    example: '0.0.0.0:9465',
    says: 'address on which a worker serves health checks at /healthz and /readyz. Default: none',
  },
  metrics: {
    schema: hostPort,
    example: '127.0.0.1:9464',
    says: 'address on which a worker, or the process that executes a run, serves metrics for Prometheus. Default: none',
  },
  traces: {
    schema: z.boolean(),
    byDefault: false,
    says: 'send a trace span for each turn to the address in the environment variable OTEL_EXPORTER_OTLP_ENDPOINT',
  },
  workspace: {
    schema: z.enum(['shared', 'git']),
    byDefault: 'shared',
    says: 'where agents work: shared = in folders that every host sees; git = in git checkouts (workspaces) that can move between hosts',
  },
  workspace_root: {
    schema: text.refine(isAbsolute, 'expected an absolute path: it is the same on every host'),
    example: '/srv/raymond/workspaces',
    says: 'folder of git workspaces: an absolute path, the same on every host. Each host needs its own folder there, not one on a shared disk. Default without a cluster: .raymond/workspaces. With a cluster, the key is required',
  },
  workspace_limit: {
    schema: z.number().positive(),
    byDefault: 256,
    says: 'largest total size of the files that a turn creates or changes in a workspace, in MiB; if they are larger, the agent pauses',
  },
  on_host_loss: {
    schema: z.enum(['wait', 'move']),
    byDefault: 'wait',
    says: 'what an agent with a workspace does when its host is lost, or has too little disk or memory for a turn: wait = wait for the host; move = move to another host',
  },
  prepare: {
    schema: text,
    example: 'npm ci',
    says: 'shell command that a host runs once in every new workspace, for example to install dependencies',
  },
  artifact_dir: {
    schema: text,
    example: '/srv/raymond/artifacts',
    says: 'folder of artifacts (large values and conversations). For a fleet without artifact_store, name a folder that all hosts share. Default: .raymond/artifacts',
  },
  artifact_store: {
    schema: text.refine((address) => parseBucket(address) !== undefined, 'expected s3://bucket or s3://bucket/prefix'),
    example: 's3://bucket/prefix',
    says: 'S3 bucket in which artifacts are stored; artifact_dir is then only a cache of this host. Default: none',
  },
  artifact_cache: {
    schema: z.number().positive(),
    byDefault: 5,
    says: 'if artifact_store is set: size limit of the cache in artifact_dir, in GiB',
  },
  s3_endpoint: {
    schema: z.url({ protocol: /^https?$/ }),
    example: 'http://minio:9000',
    says: 'URL of the S3 service that has the bucket. Default: AWS',
  },
  s3_region: {
    schema: text,
    example: 'eu-central-1',
    says: 'region of the bucket. Default: AWS_REGION, else us-east-1',
  },
  s3_path_style: {
    schema: z.boolean(),
    example: true,
    says: 'address the objects of the bucket as ENDPOINT/BUCKET/KEY, not as BUCKET.ENDPOINT/KEY. Default: true if s3_endpoint is set',
  },
  s3_credentials: {
    schema: text,
    example: 'vault read -format=json …',
    says: 'shell command that prints the credentials for the bucket as JSON, in the format of an AWS credential_process. Default: the variable AWS_ACCESS_KEY_ID, then the profiles and roles of AWS',
  },
  encryption_keys: {
    schema: text,
    example: '.raymond/keys',
    says: 'file with encryption keys; a relative path begins at the project root. Values in Temporal are encrypted with the first key of the file. Default: none, values are not encrypted',
  },
  task_folder: {
    schema: text,
    example: 'tasks/{{workflow_id}}/{{agent_id}}',
    says: 'path of the task folder, a folder of one agent for the files of its work. {{workflow_id}} stands for the id of the run, {{agent_id}} for the id of the agent. Default: .raymond/tasks/RUN/AGENT',
  },
  address: {
    schema: text,
    example: 'temporal.example:7233',
    says: 'use this Temporal cluster instead of the embedded server',
  },
  namespace: { schema: text, byDefault: 'default', says: 'namespace of the cluster' },
  task_queue: {
    schema: text,
    byDefault: 'raymond',
    says: 'task queue that the workers of the fleet poll; has no effect without a cluster',
  },
  temporal_cli: {
    schema: text,
    example: '/usr/local/bin/temporal',
    says: 'path of the Temporal CLI that runs the embedded server. Default: temporal on PATH, else a downloaded one',
  },
} as const satisfies Record<string, ConfigKey>;

/** The definition of a key. */
export interface ConfigKey {
  readonly schema: z.ZodType;
  readonly says: string;
  readonly byDefault?: string | number | boolean | readonly string[];
  readonly example?: string | number | boolean | object | readonly object[];
}

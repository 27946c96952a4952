// Checks what prompts need from a host: the program that runs them, a login of Claude Code, and the environment
// variables that are withheld from it.
import { homedir } from 'node:os';
import { join } from 'node:path';
import { ask } from '../../host/ask.js';
import { exists } from '../../host/files.js';
import type { Project } from '../../client/project/project.js';
import { findProgram, PROGRAMS } from '../../client/start/programs.js';
import type { BackendName } from '../../protocol/language/policy.js';
import { TESTED, testedWith } from '../../host/tested-versions.js';
import { settingsOf, withheldLine, withheldNames } from '../context.js';
import type { Io } from '../io.js';
import { failed, ok, warning, type Check, type DoctorCheck } from './check.js';

const VERSION_MS = 10_000;

/** The check of the login of Claude Code. */
export const LOGIN = 'login';

interface PromptContext {
  readonly project: Project;
  readonly onWorkers: boolean;
  /** Whether the withheld variables are listed. */
  readonly verbose: boolean;
}

/** The checks; where a fleet runs the turns, this host may do without. */
export function promptChecks(io: Io, context: PromptContext): readonly DoctorCheck[] {
  const { backend = 'claude' } = context.project.config;
  const backends: readonly BackendName[] = backend === 'claude' ? [backend] : [backend, 'claude'];
  const programs = backends.map((name): DoctorCheck => ({
    name: PROGRAMS[name].title,
    checks: async () => [await program(io, { name, context })],
  }));
  const login: DoctorCheck = { name: LOGIN, checks: async () => [await loginOf(io, context.project)] };
  // Where another backend is the default, a missing login does not matter.
  const wanted = backend === 'claude' || findProgram('claude', io) !== undefined ? [login] : [];
  const withheld: DoctorCheck = {
    name: 'environment',
    checks: () => Promise.resolve([environment(io, context)]),
  };
  return [...programs, ...wanted, withheld];
}

async function program(
  io: Io,
  { name, context }: { readonly name: BackendName; readonly context: PromptContext },
): Promise<Check> {
  const { command, title, install } = PROGRAMS[name];
  const isConfigured = (context.project.config.backend ?? 'claude') === name;
  const worse = context.onWorkers || !isConfigured ? warning : failed;
  const path = findProgram(name, io);
  if (path === undefined) {
    const who = isConfigured ? whoNeedsIt(context) : `only prompts that name "backend: ${name}" need it`;
    const todo = `install it with "${install}", and log in by running "${command}" once`;
    return worse(title, `there is no "${command}" on PATH; ${who}`, todo);
  }
  const answer = await versionOf(path, io);
  if ('version' in answer) {
    const note = name === 'claude' ? testedWith(answer.version, TESTED.claudeCode) : '';
    return ok(title, `${answer.version}${note}, ${path}`);
  }
  return worse(title, `${path} ${answer.failure}`, `run "${path} --version" to see the error, or reinstall ${title}`);
}

function whoNeedsIt({ onWorkers }: PromptContext): string {
  return onWorkers ? 'only a worker on this host needs it' : 'only workflows without prompts can run';
}

async function versionOf(
  path: string,
  { cwd, env }: Io,
): Promise<{ readonly version: string } | { readonly failure: string }> {
  const { error, stdout, stderr } = await ask(path, ['--version'], { cwd, env, timeoutMs: VERSION_MS });
  const [line = ''] = stdout.trim().split('\n');
  if (error === undefined) return line === '' ? { failure: 'prints no version' } : { version: line };
  if (error.killed === true) return { failure: `did not answer within ${VERSION_MS / 1000} s` };
  return { failure: `does not run: ${stderr.trim().split('\n')[0] || error.message}` };
}

const CREDENTIALS = ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'];
const CLOUD = /^CLAUDE_CODE_USE_/;

/** Only looks for signs of a login: whether it is still valid, only the service knows. */
async function loginOf({ env }: Io, { config }: Project): Promise<Check> {
  const named = Object.keys(env).find((name) => Boolean(env[name]) && (CREDENTIALS.includes(name) || CLOUD.test(name)));
  if (named !== undefined) return ok(LOGIN, `by ${named}`);
  if (config.claude_profile === 'isolated') {
    const detail = 'no credential in the environment, and isolated prompts can use no other login';
    return warning(LOGIN, detail, `set ${CREDENTIALS.join(' or ')}`);
  }
  const file = join(env['CLAUDE_CONFIG_DIR'] || join(env['HOME'] || homedir(), '.claude'), '.credentials.json');
  if (await exists(file)) return ok(LOGIN, `by ${file}`);
  const keychain = process.platform === 'darwin' ? '; a login in the macOS keychain cannot be checked' : '';
  const todo = 'run "claude" once and log in, or set ANTHROPIC_API_KEY or CLAUDE_CODE_OAUTH_TOKEN';
  return warning(LOGIN, `no credential in the environment, and no ${file}${keychain}`, todo);
}

function environment({ env }: Io, { project, verbose }: PromptContext): Check {
  const settings = settingsOf(project);
  const { length } = withheldNames(env, settings);
  const some = length === 1 ? '1 variable is' : `${length} variables are`;
  const brief = `${some} withheld from prompts; to list them, run: raymond doctor --verbose`;
  const line = verbose ? withheldLine(env, settings) : brief;
  return ok('environment', length === 0 || line === undefined ? 'nothing is withheld from prompts' : line);
}

// The programs that run scripts, chosen by the extension. The command lines of Windows are tested, but not run here.
import { ask } from '../../host/ask.js';
import { findOnPath } from '../../host/files.js';
import { assertNever } from '../../protocol/failure.js';
import { executorOf } from '../../protocol/language/resolve.js';

/** The command line for a script. */
interface Interpreter {
  readonly command: string;
  readonly args: readonly string[];
}

/** The interpreter of a script at an absolute path. */
export function interpreterOf(path: string): Interpreter {
  const executor = executorOf(path);
  switch (executor) {
    case 'bash':
      return { command: 'bash', args: [path] };
    case 'cmd':
      return { command: 'cmd.exe', args: ['/d', '/c', path] };
    case 'powershell':
      return { command: 'powershell.exe', args: ['-NoProfile', '-ExecutionPolicy', 'Bypass', '-File', path] };
    case 'python':
      // Unbuffered, so that its output is seen while it runs.
      return { command: 'python3', args: ['-u', path] };
    case 'node':
      return { command: 'node', args: isTypeScript(path) ? ['--experimental-strip-types', path] : [path] };
    case 'prompt':
      throw new TypeError(`${path} is a prompt, not a script`);
    default:
      return assertNever(executor);
  }
}

/** Why this host cannot run the script; undefined when it can, or when starting it will show. */
export async function whyUnrunnable(path: string): Promise<string | undefined> {
  if (!isTypeScript(path)) return undefined;
  const node = findOnPath('node');
  const version = node === undefined ? undefined : await knownVersionOf(node);
  if (version === undefined || stripsTypes(version)) return undefined;
  return `${node} is ${version}, which cannot run TypeScript; install Node 22.6 or newer, or write the state as .js`;
}

/** True for a version of Node, such as `v22.6.0`, that runs TypeScript by removing its types. */
export function stripsTypes(version: string): boolean {
  const [major = 0, minor = 0] = version.replace(/^v/, '').split('.').map(Number);
  return major > 22 || (major === 22 && minor >= 6);
}

function isTypeScript(path: string): boolean {
  return /\.ts$/i.test(path);
}

/** The versions that this worker has asked for, by the path that PATH leads to. */
const versions = new Map<string, string>();

async function knownVersionOf(node: string): Promise<string | undefined> {
  const version = versions.get(node) ?? (await versionOf(node));
  if (version !== undefined) versions.set(node, version);
  return version;
}

const ANSWER_MS = 20_000;

async function versionOf(node: string): Promise<string | undefined> {
  const { error, stdout } = await ask(node, ['--version'], { timeoutMs: ANSWER_MS });
  return error === undefined ? stdout.trim() : undefined;
}

/** Where this worker has found programs, by name: its own PATH does not change. */
const programs = new Map<string, string>();

/** The path of a program on the worker's own PATH, searched once; its name where it is not found. */
export function programPath(name: string): string {
  const path = programs.get(name) ?? findOnPath(name);
  if (path !== undefined) programs.set(name, path);
  return path ?? name;
}

/** Programs are searched again: one of them could not be started. */
export function forgetPrograms(): void {
  programs.clear();
}

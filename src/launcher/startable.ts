// Whether a command can be started at all, found out before it is: setpriv would hide the reason behind an exit code.
// Reads the file system only; starts nothing.
import { accessSync, closeSync, constants, openSync, readSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ProcessSpec, Unstartable } from './messages.js';

const DEFAULT_PATH = '/usr/bin:/bin';
const SHEBANG_BYTES = 256;

/** What keeps the process from being started (folder or command missing, not executable …), or undefined when nothing is seen. */
export function whyUnstartable(spec: Pick<ProcessSpec, 'command' | 'cwd' | 'env'>): Unstartable | undefined {
  const folderProblem = codeOf(() => checkFolder(spec.cwd));
  if (folderProblem !== undefined) {
    return unstartable('cwd', folderProblem, `the working directory ${spec.cwd} cannot be used (${folderProblem})`);
  }
  // Windows finds commands by PATHEXT and runs them without setpriv: there the start itself tells.
  if (process.platform === 'win32') return undefined;
  const commandProblem = commandProblemOf(spec);
  if (commandProblem === undefined) return undefined;
  return unstartable('command', commandProblem, `the command ${spec.command} cannot be started (${commandProblem})`);
}

/** The value that reports a failed start. */
export function unstartable(what: Unstartable['what'], code: string, message: string): Unstartable {
  return { kind: 'unstartable', what, code, message };
}

/** The operating system's code of a thrown error, "UNKNOWN" when it has none. */
export function errorCode(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? 'UNKNOWN';
}

function commandProblemOf({ command, cwd, env }: Pick<ProcessSpec, 'command' | 'cwd' | 'env'>): string | undefined {
  const folders = command.includes('/') ? ['.'] : (env['PATH'] ?? DEFAULT_PATH).split(':');
  let problem = 'ENOENT';
  for (const folder of folders) {
    const code = codeOf(() => checkExecutable(resolve(cwd, folder === '' ? '.' : folder, command), cwd));
    if (code === undefined) return undefined;
    // As a shell does: a file that may not be executed is reported only when no later folder has a better one.
    if (code !== 'ENOENT' && code !== 'ENOTDIR') problem = code;
  }
  return problem;
}

function checkFolder(path: string): void {
  if (!statSync(path).isDirectory()) throw withCode('ENOTDIR');
  accessSync(path, constants.X_OK);
}

function checkExecutable(path: string, cwd: string): void {
  if (!statSync(path).isFile()) throw withCode('EACCES');
  accessSync(path, constants.X_OK);
  const interpreter = interpreterOf(path);
  if (interpreter !== undefined) accessSync(resolve(cwd, interpreter), constants.X_OK);
}

function interpreterOf(path: string): string | undefined {
  const head = readHead(path);
  return head === undefined ? undefined : /^#![ \t]*([^ \t\n]+)/.exec(head)?.[1];
}

function readHead(path: string): string | undefined {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch {
    return undefined; // executable but not readable is allowed; the start itself will tell
  }
  try {
    const head = Buffer.alloc(SHEBANG_BYTES);
    return head.toString('utf8', 0, readSync(file, head, 0, SHEBANG_BYTES, 0));
  } finally {
    closeSync(file);
  }
}

function codeOf(check: () => void): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    return errorCode(error);
  }
}

function withCode(code: string): Error {
  return Object.assign(new Error(code), { code });
}

// The programs that prompts need on this host, checked before a run starts, because its first prompt may be hours away.
import { findOnPath } from '../../host/files.js';
import type { BackendName } from '../../protocol/language/policy.js';
import { ClientError, type ClientErrorCode } from '../error.js';
import type { Caller } from '../open.js';
import type { OpenPackage } from './package.js';

/** How to install a backend's program. */
interface Program {
  readonly command: string;
  readonly title: string;
  readonly code: ClientErrorCode;
  readonly install: string;
}

/** The program of every backend. */
export const PROGRAMS: Readonly<Record<BackendName, Program>> = {
  claude: {
    command: 'claude',
    title: 'Claude Code',
    code: 'ClaudeMissing',
    install: 'npm install -g @anthropic-ai/claude-code',
  },
  pi: { command: 'pi', title: 'pi', code: 'PiMissing', install: 'npm install -g @earendil-works/pi-coding-agent' },
};

/** The program of a backend on the caller's PATH. */
export function findProgram(name: BackendName, { cwd, env }: Caller): string | undefined {
  const { command } = PROGRAMS[name];
  const names = process.platform === 'win32' ? [`${command}.exe`, `${command}.cmd`] : [command];
  return names.map((one) => findOnPath(one, { path: env['PATH'] ?? '', cwd })).find((path) => path !== undefined);
}

/** Throws for a program that a prompt needs and that is missing; `unnamed` runs prompts that set no backend. */
export function requirePrograms(
  { backends }: Pick<OpenPackage, 'backends'>,
  { caller, unnamed }: { readonly caller: Caller; readonly unnamed: BackendName },
): void {
  const named = backends.filter((one) => one !== 'any');
  // A prompt without a backend uses that of its conversation: if other states name theirs, it may never need the run's own.
  for (const name of named.length > 0 || backends.length === 0 ? named : [unnamed]) {
    if (findProgram(name, caller) !== undefined) continue;
    const { title, command, code, install } = PROGRAMS[name];
    const what = `this workflow has prompts, but ${title} is not installed: there is no "${command}" on PATH`;
    throw new ClientError(code, `${what}; install it with "${install}" and log in by running "${command}" once`);
  }
}

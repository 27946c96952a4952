// Which program runs a script file. The Windows lines are built and tested here, but not run on this platform.
// Must not start anything.
import { assertNever } from '../protocol/assert.js';
import { executorOf } from '../protocol/resolve.js';

/** The command line for a script. */
export interface Interpreter {
  readonly command: string;
  readonly args: readonly string[];
}

/** The interpreter of a script at an absolute path, chosen by its extension. */
export function interpreterOf(path: string): Interpreter {
  const executor = executorOf(path);
  switch (executor) {
    case 'bash':
      return { command: 'bash', args: [path] };
    case 'cmd':
      return { command: 'cmd.exe', args: ['/d', '/c', path] };
    case 'powershell':
      return { command: 'powershell.exe', args: ['-NoProfile', '-ExecutionPolicy', 'Bypass', '-File', path] };
    case 'prompt':
      throw new TypeError(`${path} is a prompt, not a script`);
    default:
      return assertNever(executor);
  }
}

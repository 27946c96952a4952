// Sending signals to one process or to a whole group, never to a stranger. Decides nothing about who has to go.
import { spawn } from 'node:child_process';
import { isAlive, type ProcessIdentity } from '../host/process.js';

/** The two signals that ever end a process here. */
export type EndSignal = 'SIGTERM' | 'SIGKILL';

/** Signals the very process that was identified; "forbidden" when it belongs to somebody else. */
export function signalProcess(identity: ProcessIdentity, signal: EndSignal): 'sent' | 'gone' | 'forbidden' {
  return isAlive(identity) ? send(identity.pid, signal) : 'gone';
}

/** Signals the group that `leader` leads; call it only while the leader has not been reaped, so that its pid is its own. */
export function signalGroup(leader: number, signal: EndSignal): void {
  if (process.platform === 'win32') {
    const { command, args } = taskkill(leader, signal);
    // taskkill fails when the process has already ended: that is what was wanted.
    spawn(command, args, { stdio: 'ignore', windowsHide: true }).on('error', () => {});
    return;
  }
  // A group that is gone, or in which something may not be signalled, is dealt with process by process in the sweep.
  send(-leader, signal);
}

/** The Windows command line that ends a process with all its descendants. */
export function taskkill(pid: number, signal: EndSignal): { command: string; args: string[] } {
  const force = signal === 'SIGKILL' ? ['/F'] : [];
  return { command: 'taskkill', args: ['/PID', String(pid), '/T', ...force] };
}

function send(pid: number, signal: EndSignal): 'sent' | 'gone' | 'forbidden' {
  try {
    process.kill(pid, signal);
    return 'sent';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM' ? 'forbidden' : 'gone';
  }
}

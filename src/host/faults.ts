// Named points at which a test can kill this process, to prove that nothing is lost there. Off unless RAYMOND_FAULTS names a
// file. Not for workflow code, which must not read files.
import { readFileSync, renameSync } from 'node:fs';

/** A point in the program; without a test it costs a call of an empty function. */
type FaultPoint = (name: string) => void;

/**
 * A point: when the file at RAYMOND_FAULTS contains `<name> <count> <id>`, the process kills itself there the count-th
 * time.
 */
export const point: FaultPoint = pointFor(process.env['RAYMOND_FAULTS']);

function pointFor(file: string | undefined): FaultPoint {
  if (file === undefined || file === '') return () => undefined;
  const reached = new Map<string, number>();
  return (name) => {
    const request = read(file);
    const [wanted, count] = request.split(' ');
    if (wanted !== name) return;
    const times = (reached.get(request) ?? 0) + 1;
    reached.set(request, times);
    if (times >= Number(count) && claimFault(file)) process.kill(process.pid, 'SIGKILL');
  };
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return ''; // No fault is requested, or another process has just taken it.
  }
}

/** True for exactly one process: it renames the file. */
function claimFault(file: string): boolean {
  try {
    renameSync(file, `${file}.done`);
    return true;
  } catch {
    return false;
  }
}

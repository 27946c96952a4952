// What the fake Claude notes outside of Raymond's reach: when an attempt begins, what it charges, when it ends, and whether another one lives.
// Lines of "kind turn attempt state pid time usd", the form that test/chaos/effects.ts reads. Must not change what the fake says.
import { appendFileSync, existsSync, readFileSync } from 'node:fs';

/** Notes into `file`; without one, nothing. */
export function notesIn(file) {
  if (file === undefined) return { begin() {}, charging() {}, charged() {}, end() {} };
  const { RAYMOND_TURN_ID: turn, RAYMOND_ATTEMPT: attempt, RAYMOND_STATE_FILE: path = 'none' } = process.env;
  const state = path.replace(/^.*[\\/]/, '');
  const note = (kind, usd = 0) =>
    appendFileSync(file, `${[kind, turn, attempt, state, process.pid, Date.now(), usd].join(' ')}\n`);
  return {
    begin() {
      if (othersOf({ file, turn, attempt }).some(isAlive)) note('O');
      note('B');
    },
    charging: (usd) => note('C', usd),
    charged: (usd) => note('P', usd),
    end: () => note('E'),
  };
}

function othersOf({ file, turn, attempt }) {
  if (!existsSync(file)) return [];
  const open = new Map();
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    const [kind, itsTurn, itsAttempt, , pid] = line.split(' ');
    if (itsTurn !== turn || itsAttempt === attempt) continue;
    if (kind === 'B') open.set(itsAttempt, pid);
    if (kind === 'E') open.delete(itsAttempt);
  }
  return [...open.values()];
}

function isAlive(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return !/^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2));
  } catch {
    return false;
  }
}

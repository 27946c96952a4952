// Lists all processes of this host: their parents, groups and variables. Linux reads /proc, other
// Unixes call `ps`; Windows has no such list (taskkill ends the tree there).
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { hasEnded, identify, readStat, type ProcessIdentity } from '../host/process.js';

/** A living process (never a zombie). `variable` reads its environment as it was when the process was executed. */
export interface ProcessEntry extends ProcessIdentity {
  readonly ppid: number;
  readonly pgrp: number;
  /** The state letter of `ps`. */
  readonly state: string;
  readonly variable: (name: string) => string | undefined;
  /** True during exec: its variables cannot be read at that moment, only a little later. */
  readonly isExecuting: () => boolean;
}

/** All living processes that can be seen from here. */
export function listProcesses(platform: NodeJS.Platform = process.platform): ProcessEntry[] {
  switch (platform) {
    case 'win32':
      return [];
    case 'linux':
      return allFromProc();
    default:
      return fromPs(ps('axww'), ps('axeww'));
  }
}

const KERNEL_THREADS = 2;
const LISTINGS = 10;
// include/linux/sched.h: a kernel thread, and a process that is ending, have no variables and never get them.
const WITHOUT_MEMORY = 0x00200000 | 0x4;

/**
 * The identity of a child of this process, also after its end, until it is reaped (short scripts
 * often have ended).
 */
export function identifyChild(pid: number): ProcessIdentity | undefined {
  return process.platform === 'linux' ? identifyIfCheap(pid) : identify(pid);
}

/** The same from /proc; undefined on a platform without it. */
export function identifyIfCheap(pid: number): ProcessIdentity | undefined {
  const startTime = readStat(pid)?.startTime;
  return startTime === undefined ? undefined : { pid, startTime };
}

/**
 * Lists until no new process appears: one that ends during the listing may have left a child that
 * was not listed yet.
 */
function allFromProc(): ProcessEntry[] {
  const entries = new Map<string, ProcessEntry | undefined>();
  for (let listing = 0; listing < LISTINGS; listing += 1) {
    const fresh = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && !entries.has(name));
    if (fresh.length === 0) break;
    for (const name of fresh) entries.set(name, fromProc(Number(name)));
  }
  return [...entries.values()].filter((entry) => entry !== undefined);
}

function fromProc(pid: number): ProcessEntry | undefined {
  const stat = readStat(pid);
  if (stat === undefined || stat.ppid === KERNEL_THREADS || hasEnded(stat)) return undefined;
  const { startTime, ppid, pgrp, state = '?' } = stat;
  let environ: { readonly text: string | undefined } | undefined;
  const read = () => (environ ??= { text: readEnviron(pid) }).text;
  const variable = (name: string) => {
    const text = `\0${read() ?? ''}`;
    // A starting shell replaces the "=" of a variable by NUL while it reads it, and may be listed
    // at that moment.
    return valueIn(text, `\0${name}=`) ?? valueIn(text, `\0${name}\0`);
  };
  return { pid, startTime, ppid, pgrp, state, variable, isExecuting: () => read() === '' && isBetweenPrograms(pid) };
}

/**
 * fs/binfmt_elf.c: the variables exist before the code has its address. Those that were set since
 * have a length.
 */
function isBetweenPrograms(pid: number): boolean {
  const stat = readStat(pid);
  if (stat === undefined || hasEnded(stat) || (stat.flags & WITHOUT_MEMORY) !== 0) return false;
  return stat.codeStart === 0 || stat.environEnd > stat.environStart;
}

function readEnviron(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8');
  } catch {
    return undefined; // it ended while it was read, or belongs to another user
  }
}

function valueIn(environ: string, key: string): string | undefined {
  const at = environ.indexOf(key);
  return at < 0 ? undefined : environ.slice(at + key.length).split('\0', 1)[0];
}

function ps(selection: string): string {
  const format = 'pid=,ppid=,pgid=,stat=,lstart=,command=';
  const env = { PATH: process.env['PATH'], LC_ALL: 'C' };
  const options = { encoding: 'utf8', maxBuffer: 256 << 20, timeout: 10_000, env } as const;
  return spawnSync('ps', [selection, '-o', format], options).stdout;
}

/**
 * Entries from two listings of `ps`, without and with environments: `ps` appends the environment to
 * the arguments, so only the additional part of the second listing is environment. An argument that
 * looks like a variable is not one.
 */
export function fromPs(plain: string, withEnvironment: string): ProcessEntry[] {
  const full = new Map(parsePs(withEnvironment).map((line) => [line.pid, line]));
  return parsePs(plain).map(({ command, ...entry }) => {
    const { pid, startTime } = entry;
    const other = full.get(pid);
    const same = other?.startTime === startTime && other.command.startsWith(command);
    const environ = same ? other.command.slice(command.length).replaceAll(' ', '\0') : '';
    return { ...entry, variable: (name) => valueIn(environ, `\0${name}=`), isExecuting: () => false };
  });
}

const PS_LINE = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+([^\sZX]\S*)\s+(\S+\s+\S+\s+\d+\s+[\d:]+\s+\d+)\s(.*)$/;

function parsePs(listing: string) {
  return listing.split('\n').flatMap((line) => {
    const [, pid, ppid, pgrp, state, startTime, command] = PS_LINE.exec(line) ?? [];
    if (state === undefined || startTime === undefined || command === undefined) return [];
    return [{ pid: Number(pid), ppid: Number(ppid), pgrp: Number(pgrp), state: state.charAt(0), startTime, command }];
  });
}

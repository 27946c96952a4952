// A look at all processes of this host: who they are, whose children, in which group, with which variables.
// Linux reads /proc, other Unixes ask `ps`; Windows has no such look (taskkill walks the tree there). Kills nothing.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { identify, type ProcessIdentity } from '../host/process.js';

/** A living process (never a zombie). `variable` reads its environment as it was when the process was executed. */
export interface ProcessEntry extends ProcessIdentity {
  readonly ppid: number;
  readonly pgrp: number;
  readonly variable: (name: string) => string | undefined;
}

/** All living processes that can be seen from here. */
export function listProcesses(platform: NodeJS.Platform = process.platform): ProcessEntry[] {
  switch (platform) {
    case 'win32':
      return [];
    case 'linux':
      return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? fromProc(Number(name)) : []));
    default:
      return fromPs(ps('axww'), ps('axeww'));
  }
}

const KERNEL_THREADS = 2;

/** Who a child of this process is, also when it has ended already and waits to be reaped (short scripts often have). */
export function identifyChild(pid: number): ProcessIdentity | undefined {
  if (process.platform !== 'linux') return identify(pid);
  const startTime = readStat(pid)?.startTime;
  return startTime === undefined ? undefined : { pid, startTime };
}

function fromProc(pid: number): ProcessEntry[] {
  const { startTime, state, ppid, pgrp } = readStat(pid) ?? {};
  if (startTime === undefined || ppid === undefined || pgrp === undefined) return [];
  if (state === 'Z' || state === 'X' || ppid === KERNEL_THREADS) return [];
  let environ: string | undefined;
  const variable = (name: string) => valueIn((environ ??= `\0${readProc(pid, 'environ') ?? ''}`), `\0${name}=`);
  return [{ pid, startTime, ppid, pgrp, variable }];
}

function readStat(pid: number) {
  const stat = readProc(pid, 'stat');
  if (stat === undefined) return undefined;
  // The command name (field 2) may hold spaces and parentheses: fields are counted after its last ")".
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { state: fields[0], ppid: Number(fields[1]), pgrp: Number(fields[2]), startTime: fields[19] };
}

function readProc(pid: number, file: 'stat' | 'environ'): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
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
  const options = { encoding: 'utf8', maxBuffer: 256 << 20, env: { PATH: process.env['PATH'], LC_ALL: 'C' } } as const;
  return spawnSync('ps', [selection, '-o', format], options).stdout;
}

/**
 * Entries out of two listings of `ps`, without and with environments: `ps` puts the environment behind the arguments,
 * so only what the second listing has in addition is environment. An argument that looks like a variable is none.
 */
export function fromPs(plain: string, withEnvironment: string): ProcessEntry[] {
  const full = new Map(parsePs(withEnvironment).map((line) => [line.pid, line]));
  return parsePs(plain).map(({ pid, ppid, pgrp, startTime, command }) => {
    const other = full.get(pid);
    const same = other?.startTime === startTime && other.command.startsWith(command);
    const environ = same ? other.command.slice(command.length).replaceAll(' ', '\0') : '';
    return { pid, ppid, pgrp, startTime, variable: (name) => valueIn(environ, `\0${name}=`) };
  });
}

const PS_LINE = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+([^\sZX]\S*)\s+(\S+\s+\S+\s+\d+\s+[\d:]+\s+\d+)\s(.*)$/;

function parsePs(listing: string) {
  return listing.split('\n').flatMap((line) => {
    const [, pid, ppid, pgrp, , startTime, command] = PS_LINE.exec(line) ?? [];
    if (startTime === undefined || command === undefined) return [];
    return [{ pid: Number(pid), ppid: Number(ppid), pgrp: Number(pgrp), startTime, command }];
  });
}

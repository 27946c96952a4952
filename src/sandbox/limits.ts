// The limits of a sandboxed turn as a whole: what all its processes use together is measured while they run, so that a
// turn that uses more is ended and its failure names the limit. Linux only, as the sandbox `process`.
import { readdir, readFile } from 'node:fs/promises';
import { totalmem } from 'node:os';
import { setImmediate as immediate } from 'node:timers/promises';
import { readStat } from '../host/process.js';
import type { SandboxLimits } from '../protocol/sandbox.js';

/** A limit that a turn has exceeded. */
export interface Exceeded {
  readonly limit: keyof SandboxLimits;
  readonly most: number;
}

/** What the processes of a turn use together. */
export interface Usage {
  readonly processes: number;
  readonly cpuSeconds: number;
  /** Bytes; 0 = not measured. */
  readonly memory: number;
}

/** How often a turn is measured. What grows faster is stopped by the limits that the kernel keeps for each process. */
const LOOK_MS = 200;
/** proc(5): the unit of CPU times on every Linux. */
const TICKS_PER_SECOND = 100;

/** Says which limit a turn has exceeded, if any; `pid` is the first process of its sandbox. */
export type Look = (pid: number) => Promise<Exceeded | undefined>;

/** Watches the limits of one turn. */
export class LimitWatch {
  readonly exceeded: Promise<Exceeded>;
  private resolve!: (exceeded: Exceeded) => void;
  private timer: NodeJS.Timeout | undefined;
  private stopped = false;

  constructor(private readonly look: Look | undefined) {
    this.exceeded = new Promise((resolve) => (this.resolve = resolve));
  }

  /** Looks from now on. */
  start(pid: number): void {
    const { look } = this;
    if (look === undefined) return;
    const again = async (): Promise<void> => {
      const found = await look(pid);
      if (found !== undefined) this.resolve(found);
      // After the last one, so that a slow host is not measured by several at once.
      else this.#wait(again);
    };
    this.#wait(again);
  }

  stop(): void {
    this.stopped = true;
    clearTimeout(this.timer);
  }

  #wait(look: () => Promise<void>): void {
    if (!this.stopped) this.timer = setTimeout(() => void look(), LOOK_MS);
  }
}

/** Looks in this order. */
export function firstOf(looks: readonly Look[]): Look {
  return async (pid) => {
    for (const look of looks) {
      const found = await look(pid);
      if (found !== undefined) return found;
    }
    return undefined;
  };
}

/** The most that one turn may use of the memory of a host, whatever its policy says. */
export const MOST_MEMORY = Math.floor((totalmem() * 3) / 4);

/** Measures the processes of a sandbox. */
export function processesWithin(limits: SandboxLimits): Look {
  return async (pid) => exceededBy(await usageOf(pid, { most: limits.memory }), limits);
}

/** The first limit that a turn has exceeded. */
export function exceededBy({ memory, processes, cpuSeconds }: Usage, limits: SandboxLimits): Exceeded | undefined {
  const used = { memory, processes, cpu: cpuSeconds };
  for (const limit of ['memory', 'processes', 'cpu'] as const) {
    const most = limits[limit];
    if (most !== undefined && used[limit] > most) return { limit, most };
  }
  return undefined;
}

/**
 * What a process and all its descendants use; memory is measured when it could be more than the `most`. The processes of a
 * sandbox never lose their first one as an ancestor.
 */
export async function usageOf(pid: number, { most }: { readonly most: number | undefined }): Promise<Usage> {
  const all = await familyOf(pid);
  const sum = (value: (process: ListedProcess) => number): number => all.reduce((total, one) => total + value(one), 0);
  // To ask each process for its own part takes long.
  const isNear = most !== undefined && sum(({ residentPages }) => residentPages) * PAGE_BYTES > most / 2;
  const memory = isNear ? await Promise.all(all.map(({ pid: one }) => memoryOf(one))) : [];
  return {
    processes: sum(({ threads }) => threads),
    cpuSeconds: sum(({ cpuTicks }) => cpuTicks) / TICKS_PER_SECOND,
    memory: memory.reduce((total, bytes) => total + bytes, 0),
  };
}

/** The ids of a process and all its descendants. */
export async function membersOf(pid: number): Promise<readonly number[]> {
  return (await familyOf(pid)).map((one) => one.pid);
}

async function familyOf(pid: number): Promise<readonly ListedProcess[]> {
  const stats = await allProcesses();
  const children = new Map<number, ListedProcess[]>();
  for (const stat of stats) {
    const siblings = children.get(stat.ppid);
    if (siblings === undefined) children.set(stat.ppid, [stat]);
    else siblings.push(stat);
  }
  const members = new Set(stats.filter((stat) => stat.pid === pid));
  // An element that is added to a set during iteration is visited as well: descendants of any depth.
  for (const member of members) children.get(member.pid)?.forEach((child) => members.add(child));
  return [...members];
}

/** The smallest page of all Linux systems that Node supports. */
const PAGE_BYTES = 4096;

type ListedProcess = NonNullable<ReturnType<typeof readStat>> & { readonly pid: number };

let listing: Promise<readonly ListedProcess[]> | undefined;

/** All processes of this host; turns that are measured at the same time share one list. */
async function allProcesses(): Promise<readonly ListedProcess[]> {
  return await (listing ??= listed().finally(() => (listing = undefined)));
}

/** The number of processes that are read before other work of the worker may run. */
const BATCH = 50;

async function listed(): Promise<readonly ListedProcess[]> {
  const found: ListedProcess[] = [];
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  for (const [index, pid] of pids.entries()) {
    if (index % BATCH === BATCH - 1) await immediate();
    const stat = readStat(pid);
    if (stat !== undefined) found.push({ ...stat, pid });
  }
  return found;
}

const KIB = 1024;

/** Its own part of what it shares with others, without the files that it maps. */
async function memoryOf(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/smaps_rollup`, 'latin1').catch(() => ''); // it has ended
  return KIB * ['Pss_Anon', 'Pss_Shmem', 'SwapPss'].reduce((sum, field) => sum + kibibytes(text, field), 0);
}

function kibibytes(text: string, field: string): number {
  return Number(new RegExp(`^${field}: +(\\d+) kB$`, 'm').exec(text)?.[1] ?? 0);
}

/** Why a turn was ended. */
export function describeExceeded(exceeded: Exceeded): string {
  return `the turn was ended: it ${usedText(exceeded)}; raise "${exceeded.limit}" of its sandbox if it needs more`;
}

function usedText({ limit, most }: Exceeded): string {
  switch (limit) {
    case 'memory':
      return `used more than ${sizeText(most)} of memory`;
    case 'processes':
      return `had more than ${most} processes and threads`;
    case 'cpu':
      return `used more than ${most} s of CPU time`;
    case 'disk':
      return `wrote more than ${sizeText(most)} to the disk`;
    case 'files':
      return `wrote a file of more than ${sizeText(most)}`;
    default:
      return limit satisfies never;
  }
}

const UNITS = [
  ['GiB', 2 ** 30],
  ['MiB', 2 ** 20],
  ['KiB', 2 ** 10],
] as const;

function sizeText(bytes: number): string {
  const [unit, size] = UNITS.find(([, one]) => bytes % one === 0) ?? ['bytes', 1];
  return `${bytes / size} ${unit}`;
}

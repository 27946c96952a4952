// A host: processes, host name, network and disk of its own, at the same paths as on all others. It can lose its power, its network and the room
// on its disk. A supervisor on it starts the worker anew whenever that has ended.
import { appendFile, mkdir, open, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa, type ResultPromise } from 'execa';
import type { Link } from './lan.js';

/** What all hosts have alike. */
export interface Build {
  /** A folder of this machine; what the hosts see at the same path below it is their own. */
  readonly folder: string;
  /** The words that start the worker, without the name of the host. */
  readonly worker: readonly string[];
  readonly config: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Bytes of a disk. */
const DISK = '192m';

/** Where a host has its disk, where its states note what they do (neither full nor lost with anything), and where the desk has workflows and no host has any. */
export const placesOf = (folder: string): Readonly<Record<'disk' | 'notes' | 'flows', string>> => ({
  disk: join(folder, 'disk'),
  notes: join(folder, 'notes'),
  flows: join(folder, 'flows'),
});

/** One host; off at first. */
export class Host {
  private machine: ResultPromise | undefined;
  private boots = 0;

  private constructor(
    readonly name: string,
    private readonly link: Link,
    private readonly build: Build,
  ) {}

  /** A host with an empty disk. */
  static async make(name: string, link: Link, build: Build): Promise<Host> {
    const host = new Host(name, link, build);
    for (const path of [...Object.values(placesOf(build.folder)), host.disk]) await mkdir(path, { recursive: true });
    await execa('mount', ['-t', 'tmpfs', '-o', `size=${DISK}`, 'tmpfs', host.disk]);
    for (const path of ['project/.raymond', 'home', 'tmp']) await mkdir(join(host.disk, path), { recursive: true });
    await writeFile(join(host.disk, 'project/.raymond/config.toml'), build.config);
    return host;
  }

  /** The disk as this machine sees it. */
  private get disk(): string {
    return join(this.build.folder, `disk-of-${this.name}`);
  }

  get isOn(): boolean {
    return this.machine !== undefined;
  }

  /** Switches it on, with its network. */
  async powerOn(): Promise<void> {
    if (this.machine !== undefined) return;
    this.boots += 1;
    // Process ids begin anew with every boot: so do the notes in which they stand.
    const { noted } = this;
    await mkdir(noted, { recursive: true });
    await this.link.heal();
    const { disk, notes, flows } = placesOf(this.build.folder);
    const own = `mount --bind "${this.disk}" "${disk}" && mount --bind "${noted}" "${notes}"`;
    const mounts = `${own} && mount -t tmpfs -o size=4k tmpfs "${flows}"`;
    const supervisor = `hostname ${this.name}; ${mounts} && cd "${disk}/project" || exit 1; while :; do "$@" 2>>"${notes}/log" & echo $! > "${notes}/worker"; wait $!; sleep 0.2; done`;
    const apart = ['unshare', '-m', '-u', '-p', '-f', '--kill-child', '--mount-proc', 'bash', '-c', supervisor, 'bash'];
    const env = { ...this.build.env, HOME: join(disk, 'home'), TMPDIR: join(disk, 'tmp') };
    this.machine = this.link.begin([...apart, ...this.build.worker, '--host', this.name], { env, stdio: 'ignore' });
  }

  /** Takes its power: nobody hears of it, and nothing is ended in order. */
  async powerOff(): Promise<void> {
    await this.link.cut();
    this.machine?.kill('SIGKILL');
    await this.machine;
    this.machine = undefined;
  }

  async cut(): Promise<void> {
    await this.link.cut();
  }

  async heal(): Promise<void> {
    await this.link.heal();
  }

  /** Leaves nothing of the disk. */
  async fill(): Promise<void> {
    const file = await open(join(this.disk, 'filler'), 'w');
    try {
      for (;;) await file.write(Buffer.alloc(1 << 20));
    } catch {
      await appendFile(join(this.disk, 'filler'), Buffer.alloc(4096)).catch(() => undefined);
    } finally {
      await file.close();
    }
  }

  /** Gives the room back. */
  async empty(): Promise<void> {
    await rm(join(this.disk, 'filler'), { force: true });
  }

  /** Sends a signal to the worker, if there is one; the supervisor starts another one when it has ended. */
  async signal(name: 'TERM' | 'KILL'): Promise<boolean> {
    const pid = await readFile(join(this.noted, 'worker'), 'utf8').catch(() => '');
    const inside = ['--target', String(await this.init()), '--pid', '--', 'bash', '-c', `kill -${name} ${pid}`];
    return pid !== '' && (await execa('nsenter', inside, { reject: false })).exitCode === 0;
  }

  /** The notes since it was switched on. */
  private get noted(): string {
    return join(this.build.folder, `notes-${this.name}-${this.boots}`);
  }

  private async init(): Promise<number> {
    const { stdout } = await execa('pgrep', ['--parent', String(this.machine?.pid)], { reject: false });
    return Number(stdout.split('\n')[0]);
  }

  /** Takes the disk out of this machine. */
  async remove(): Promise<void> {
    await this.powerOff();
    await execa('umount', ['--lazy', this.disk], { reject: false });
  }
}

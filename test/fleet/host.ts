// A host: processes, host name, network and disk of its own, at the same paths as on all others. It can lose its power, its network and the room
// on its disk. A supervisor on it starts the worker again whenever that has ended.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa, type ResultPromise } from 'execa';
import { Disk } from './disk.js';
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

/** What a host has for itself besides its mounts; of those of others it sees what becomes of them. */
const OWN = ['-u', '-p', '-f', '--kill-child', '--mount-proc'];

/** The size of a disk. */
const DISK = '192M';

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
    private readonly build: Build,
    private readonly parts: { readonly link: Link; readonly disk: Disk },
  ) {}

  /** A host with an empty disk. */
  static async make(name: string, link: Link, build: Build): Promise<Host> {
    const [path, image] = [join(build.folder, `disk-of-${name}`), join(build.folder, `${name}.image`)];
    for (const dir of [...Object.values(placesOf(build.folder)), path]) await mkdir(dir, { recursive: true });
    const disk = await Disk.make({ image, path, size: DISK });
    for (const dir of ['project/.raymond', 'home', 'tmp']) await mkdir(join(path, dir), { recursive: true });
    await writeFile(join(path, 'project/.raymond/config.toml'), build.config);
    // An operator's config is on the disk before a power cut can come.
    await execa('sync', ['--file-system', path]);
    return new Host(name, build, { link, disk });
  }

  get isOn(): boolean {
    return this.machine !== undefined;
  }

  /** Switches it on, with its network. */
  async powerOn(): Promise<void> {
    if (this.machine !== undefined) return;
    this.boots += 1;
    // Process ids begin again with every boot: so do the notes in which they stand.
    const { noted } = this;
    await mkdir(noted, { recursive: true });
    await this.parts.disk.mount();
    await this.parts.link.heal();
    const { disk, notes, flows } = placesOf(this.build.folder);
    const own = `mount --bind "${this.parts.disk.path}" "${disk}" && mount --bind "${noted}" "${notes}"`;
    const mounts = `${own} && mount -t tmpfs -o size=4k tmpfs "${flows}"`;
    const supervisor = `hostname ${this.name}; ${mounts} && cd "${disk}/project" || exit 1; while :; do "$@" 2>>"${notes}/log" & echo $! > "${notes}/worker"; wait $!; sleep 0.2; done`;
    const apart = ['unshare', '-m', '--propagation', 'slave', ...OWN, 'bash', '-c', supervisor, 'bash'];
    const env = { ...this.build.env, HOME: join(disk, 'home'), TMPDIR: join(disk, 'tmp') };
    this.machine = this.parts.link.begin([...apart, ...this.build.worker, '--host', this.name], {
      env,
      stdio: 'ignore',
    });
  }

  /** Takes its power: nobody hears of it, nothing is ended in order, and what was not yet written to its disk is lost. */
  async powerOff(): Promise<void> {
    await this.parts.link.cut();
    if (this.machine === undefined) return;
    this.machine.kill('SIGKILL');
    await this.machine;
    this.machine = undefined;
    await this.parts.disk.cutPower();
  }

  async cut(): Promise<void> {
    await this.parts.link.cut();
  }

  async heal(): Promise<void> {
    await this.parts.link.heal();
  }

  /** Leaves nothing of the disk. */
  async fill(): Promise<void> {
    await this.parts.disk.fill();
  }

  /** Gives the room back. */
  async empty(): Promise<void> {
    await this.parts.disk.empty();
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
    await this.parts.disk.unmount();
  }
}

// Buildah with a storage of its own, so that no image of this machine is touched. Everything runs in a chroot: no cgroups, no daemon.
import { execa } from 'execa';
import { run } from './run.mjs';

const PACKAGES = { buildah: 'buildah', debootstrap: 'debootstrap' };

/** What this machine lacks, and what to do about it. */
export async function missing() {
  if (process.platform !== 'linux') return ['it needs Linux'];
  const absent = [];
  for (const [program, name] of Object.entries(PACKAGES))
    if ((await execa('which', [program], { reject: false })).exitCode !== 0) absent.push(name);
  return [
    ...(process.getuid() === 0 ? [] : ['it needs root: call it with sudo']),
    ...(absent.length === 0 ? [] : [`install what is missing: apt-get install ${absent.join(' ')}`]),
  ];
}

/** One storage of images and containers. */
export class Buildah {
  constructor({ root, runroot }) {
    // Copies instead of overlays: they work inside containers and virtual machines of all kinds.
    this.flags = ['--root', root, '--runroot', runroot, '--storage-driver', 'vfs'];
    this.containers = [];
  }

  /** Calls a command of buildah. */
  async call(command, ...args) {
    const isolated = ['bud', 'run'].includes(command) ? ['--isolation', 'chroot'] : [];
    return await run('buildah', [...this.flags, command, ...isolated, ...args]);
  }

  /** A new container of an image; it goes with `removeContainers`. */
  async from(image) {
    const container = await this.call('from', '--pull-never', image);
    this.containers.push(container);
    return container;
  }

  async has(image) {
    return (
      (await execa('buildah', [...this.flags, 'inspect', '--type', 'image', image], { reject: false })).exitCode === 0
    );
  }

  /** Megabytes of the files of a container. */
  async sizeOf(container) {
    const kilobytes = await run('du', ['-sk', await this.call('mount', container)]);
    return Math.round(parseInt(kilobytes, 10) / 1000);
  }

  async removeContainers() {
    for (const container of this.containers.splice(0)) await this.call('rm', container);
  }
}

// The disk of a host: an ext4 file system in a file. When its power is cut, it loses what was not yet written, as a real one does.
import { open, rename, rm, appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { shutDown } from '../support/cut-disk.js';

/** How such a disk is made; root needs no reserve, else a full disk is not full for it. */
const MAKE = ['-q', '-m', '0', '-i', '4096'];

/** A disk; mounted at first. */
export class Disk {
  private isMounted = false;

  private constructor(
    private readonly image: string,
    /** Where it is mounted. */
    readonly path: string,
  ) {}

  /** Makes an empty one of this size, as `truncate` understands it. */
  static async make(options: { readonly image: string; readonly path: string; readonly size: string }): Promise<Disk> {
    const disk = new Disk(options.image, options.path);
    await execa('truncate', ['-s', options.size, disk.image]);
    await execa('mkfs.ext4', [...MAKE, disk.image]);
    await disk.mount();
    return disk;
  }

  /** Mounts it, unless it is. */
  async mount(): Promise<void> {
    if (this.isMounted) return;
    await execa('mount', ['-o', 'loop', this.image, this.path]);
    this.isMounted = true;
  }

  /** Loses what was not yet written. No process may use it any more. */
  async cutPower(): Promise<void> {
    shutDown(this.path);
    await this.unmount();
    // A process in a mount namespace of its own, of whatever on this machine, may still have the old disk mounted; mounting the same image
    // again would give that one, on which everything is an error.
    const copy = `${this.image}.copy`;
    await execa('cp', ['--sparse=always', this.image, copy]);
    await rename(copy, this.image);
  }

  /** Leaves no room. */
  async fill(): Promise<void> {
    const file = await open(join(this.path, 'filler'), 'w');
    try {
      for (;;) await file.write(Buffer.alloc(1 << 20));
    } catch {
      await appendFile(join(this.path, 'filler'), Buffer.alloc(4096)).catch(() => undefined);
    } finally {
      await file.close();
    }
  }

  /** Gives the room back. */
  async empty(): Promise<void> {
    await rm(join(this.path, 'filler'), { force: true });
  }

  /** Unmounts it, unless it is not mounted. */
  async unmount(): Promise<void> {
    if (!this.isMounted) return;
    await execa('umount', [this.path]);
    this.isMounted = false;
  }
}

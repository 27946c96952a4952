// A disk whose power can be cut: an ext4 file system in a file, shut down by the kernel without writing what it has not yet written.
import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { beforeRemoval, folder } from './folder.js';
import { describeUnless, NO_LINUX, NO_ROOT } from './unless.js';

/** A program in Perl: `EXT4_IOC_SHUTDOWN` with the flag that does not even write the journal. From then on every access is an error. */
export const SHUT_DOWN =
  'open(my $d, "<", $ARGV[0]) or die; my $f = pack("L", 2); ioctl($d, 0x8004587d, $f) or die "ioctl: $!"';

/** Cuts the power of a mounted ext4 file system: what was not yet written to its disk is lost. */
export function shutDown(path: string): void {
  execFileSync('perl', ['-e', SHUT_DOWN, path]);
}

/** Like `describe`, skipped where no such disk can be made. */
export const describeOnCutDisk = describeUnless(noCutDisk());

/** A mounted disk. */
export class CutDisk {
  private constructor(
    private image: string,
    /** Where it is mounted. */
    readonly path: string,
  ) {}

  /** Makes and mounts one of 16 MiB. */
  static async mount(): Promise<CutDisk> {
    const dir = await folder({ 'disk/README': '' });
    const disk = new CutDisk(join(dir, 'image'), join(dir, 'disk'));
    execFileSync('truncate', ['-s', '16M', disk.image]);
    execFileSync('mkfs.ext4', ['-q', disk.image]);
    execFileSync('mount', ['-o', 'loop', disk.image, disk.path]);
    beforeRemoval(() => Promise.resolve(void spawnSync('umount', [disk.path])));
    return disk;
  }

  /** Cuts the power, and switches it on again. */
  cutPower(): void {
    shutDown(this.path);
    execFileSync('umount', [this.path]);
    // A process in a mount namespace of its own may still have the old disk mounted; mounting the same image again would give that one.
    const after = `${this.image}-after`;
    execFileSync('cp', [this.image, after]);
    this.image = after;
    execFileSync('mount', ['-o', 'loop', after, this.path]);
  }
}

/** Why no such disk can be made here; undefined when it can. */
export function noCutDisk(): string | undefined {
  return NO_LINUX ?? NO_ROOT ?? missing();
}

function missing(): string | undefined {
  const needed = ['mkfs.ext4', 'losetup', 'perl'].filter((name) => spawnSync('which', [name]).status !== 0);
  if (needed.length > 0) return `there is no ${needed.join(', no ')}`;
  return spawnSync('losetup', ['-f']).status === 0 ? undefined : 'no loop device is free';
}

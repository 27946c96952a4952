// Containers for tests: the fake `docker` in a folder for PATH, and whether the real one answers here.
import { spawnSync } from 'node:child_process';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { folder } from './folder.js';

/** The fake `docker`. */
interface FakeDocker {
  /** PATH with it in front. */
  readonly path: string;
  /** The command lines that it got. */
  asked(): Promise<readonly (readonly string[])[]>;
}

/** Makes one. It knows the image `tools:1`, which has Claude Code if a path of it is given. */
export async function fakeDocker({ claude = '' }: { readonly claude?: string } = {}): Promise<FakeDocker> {
  const bin = await folder();
  const main = fileURLToPath(new URL('fake-docker.mjs', import.meta.url));
  await writeFile(join(bin, 'docker'), `#!/bin/sh\nexec '${process.execPath}' '${main}' '${bin}' '${claude}' "$@"\n`);
  await chmod(join(bin, 'docker'), 0o755);
  return {
    path: `${bin}:${process.env['PATH'] ?? ''}`,
    asked: async () => {
      const lines = (await readFile(join(bin, 'asked'), 'utf8')).trim().split('\n');
      return lines.map((line) => JSON.parse(line) as readonly string[]);
    },
  };
}

/** The program that stands for the real thing. */
export const REAL_RUNTIME = process.env['RAYMOND_TEST_RUNTIME'] ?? 'docker';

/** Why the real thing cannot be tested here; undefined = it can. Its image must have bash, python3 and setsid. */
export function noDocker(image: string, programs: readonly string[] = []): string | undefined {
  const info = spawnSync(REAL_RUNTIME, ['info', '--format', '{{json .}}'], { encoding: 'utf8' });
  if (info.error !== undefined) return `${REAL_RUNTIME} is not on PATH`;
  if (info.status !== 0 || info.stdout.includes('ServerErrors')) return `${REAL_RUNTIME} does not answer`;
  const inspected = spawnSync(REAL_RUNTIME, ['image', 'inspect', image], { stdio: 'ignore' });
  if (inspected.status !== 0) return `${REAL_RUNTIME} has no image ${image}; set RAYMOND_TEST_IMAGE to one that it has`;
  const missing = programs.find((program) => {
    const look = ['run', '--rm', '--network', 'none', '--entrypoint', 'sh', image, '-c', `command -v ${program}`];
    return spawnSync(REAL_RUNTIME, look, { stdio: 'ignore' }).status !== 0;
  });
  return missing === undefined ? undefined : `the image ${image} has no ${missing}`;
}

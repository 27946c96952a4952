// `npm run image`: builds the Dockerfile on this machine without Docker and without anybody's registry of images, runs a worker in what came
// out, and has it do the sample `hello` and a prompt with the real Claude CLI, whose model is a loopback API. Needs root and Debian packages.
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeBase } from './image/base.mjs';
import { Buildah, missing } from './image/buildah.mjs';
import { tryOut } from './image/trial.mjs';
import { root, step } from './image/run.mjs';

const IMAGE = 'localhost/raymond-worker';

const reasons = await missing();
if (reasons.length > 0) {
  for (const reason of reasons) console.error(`npm run image: ${reason}`);
  process.exit(69);
}

const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'raymond', 'image');
await mkdir(cache, { recursive: true });
const folder = await mkdtemp(join(tmpdir(), 'raymond-image-'));
const buildah = new Buildah({ root: join(cache, 'storage'), runroot: join(folder, 'run') });
try {
  if (!process.argv.includes('--built')) {
    await makeBase({ buildah, anew: process.argv.includes('--new-base') });
    await step(`the image ${IMAGE}`, () => buildah.call('bud', '--pull-never', '--tag', IMAGE, root));
  }
  await tryOut({ buildah, image: IMAGE, folder: join(folder, 'project') });
} finally {
  await buildah.removeContainers();
  await rm(folder, { recursive: true, force: true });
}

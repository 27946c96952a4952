// The images that the Dockerfile is FROM, made on this machine: Debian by debootstrap, and on it Node.js and npm by npm.
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile, copyFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root, run, step } from './run.mjs';

const MIRROR = 'http://deb.debian.org/debian';
const ARCHITECTURES = { x64: 'x64', arm64: 'arm64' };

/** Makes both, unless they are there from an earlier call. */
export async function makeBase({ buildah, anew }) {
  const { node, debian, release, major } = await wanted();
  const images = [debian, node].map((name) => `localhost/${name}`);
  const present = await Promise.all(images.map((image) => buildah.has(image)));
  if (!anew && present.every(Boolean))
    return console.log(`the bases ${images.join(' and ')}: there from an earlier call (--new-base makes them again)`);
  const container = await buildah.from('scratch');
  const folder = await buildah.call('mount', container);
  await step(`Debian ${release} by debootstrap`, () =>
    run('debootstrap', ['--variant=minbase', release, folder, MIRROR]),
  );
  await slim(folder);
  await buildah.call('config', '--env', 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', container);
  await buildah.call('commit', '--quiet', container, images[0]);
  await step(`Node.js ${major} and npm by npm`, () => addNode(folder, major));
  await useRegistry(folder);
  await buildah.call('commit', '--quiet', container, images[1]);
  console.log(`the bases ${images.join(' and ')}: made`);
}

/** Without what the official slim images leave out as well. */
async function slim(folder) {
  await run('chroot', [folder, 'apt-get', 'clean']);
  for (const name of [
    'usr/share/doc',
    'usr/share/man',
    'usr/share/locale',
    'usr/share/info',
    'var/lib/apt/lists',
    'var/cache/debconf',
  ])
    await rm(join(folder, name), { recursive: true, force: true });
  const left = ['/usr/share/doc/*', '/usr/share/man/*', '/usr/share/locale/*', '/usr/share/info/*'];
  const lines = left.map((path) => `path-exclude ${path}`);
  await writeFile(join(folder, 'etc/dpkg/dpkg.cfg.d/docker'), `${lines.join('\n')}\n`);
}

/** What the Dockerfile asks for: `node:22-bookworm-slim` is Node.js 22 on `debian:bookworm-slim`. */
async function wanted() {
  const dockerfile = await readFile(join(root, 'Dockerfile'), 'utf8');
  const [, node, major, release] = /^FROM (node:(\d+)-(\w+)-slim)( AS \w+)?$/m.exec(dockerfile) ?? [];
  if (node === undefined) throw new Error('the Dockerfile has no line FROM node:VERSION-DEBIAN-slim any more');
  const debian = `debian:${release}-slim`;
  if (!dockerfile.includes(`\nFROM ${debian}\n`)) throw new Error(`the Dockerfile has no line FROM ${debian} any more`);
  return { node, debian, major, release };
}

async function addNode(folder, major) {
  const architecture = ARCHITECTURES[process.arch];
  if (architecture === undefined) throw new Error(`npm has no Node.js for ${process.arch}`);
  const packed = await mkdtemp(join(tmpdir(), 'raymond-node-'));
  try {
    const node = await unpack(`node-linux-${architecture}@${major}`, packed);
    await copyFile(join(node, 'bin', 'node'), join(folder, 'usr/local/bin/node'));
    const npm = await unpack(`npm@10`, packed);
    const modules = join(folder, 'usr/local/lib/node_modules');
    await mkdir(modules, { recursive: true });
    await run('cp', ['-r', npm, join(modules, 'npm')]);
    for (const name of ['npm', 'npx'])
      await symlink(`../lib/node_modules/npm/bin/${name}-cli.js`, join(folder, 'usr/local/bin', name));
  } finally {
    await rm(packed, { recursive: true, force: true });
  }
}

async function unpack(spec, into) {
  const folder = join(into, spec.replace(/\W/g, '-'));
  await mkdir(folder);
  // The newest of the versions that fit stands last.
  const listed = JSON.parse(await run('npm', ['view', '--json', spec, 'version'], { all: false }));
  const version = [listed].flat().at(-1);
  const name = spec.slice(0, spec.lastIndexOf('@'));
  const [{ filename }] = JSON.parse(
    await run('npm', ['pack', '--json', '--pack-destination', folder, `${name}@${version}`]),
  );
  await run('tar', ['-xzf', join(folder, filename), '-C', folder]);
  return join(folder, 'package');
}

/** In the image npm asks the registry that it asks here, and trusts the certificates that it trusts here. */
async function useRegistry(folder) {
  const config = async (key) => (await run('npm', ['config', 'get', key])).trim();
  const lines = [`registry=${await config('registry')}`];
  const cafile = await config('cafile');
  if (cafile !== 'null' && cafile !== '') {
    await copyFile(cafile, join(folder, 'usr/local/etc/npm-ca.crt'));
    lines.push('cafile=/usr/local/etc/npm-ca.crt');
  }
  await writeFile(join(folder, 'usr/local/etc/npmrc'), `${lines.join('\n')}\n`);
}

// Builds the page of `raymond serve` into dist/page: one script and one style sheet whose names carry a hash of what is in them, so that browsers
// may keep them for ever. Nothing is inline: the page is served with a policy that forbids it.
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import esbuild from 'esbuild';
import { licenses } from './bundle-program.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const source = join(root, 'src/page');

/** Builds it into `dist`/page. */
export async function buildPage(dist) {
  const page = join(dist, 'page');
  const { metafile } = await esbuild.build({
    absWorkingDir: root,
    entryPoints: { page: join(source, 'main.tsx'), style: join(source, 'style/index.css') },
    tsconfig: join(source, 'tsconfig.json'),
    outdir: join(page, 'assets'),
    entryNames: '[name]-[hash]',
    bundle: true,
    minify: true,
    format: 'esm',
    target: ['chrome111', 'firefox115', 'safari16.4'],
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
  });
  await mkdir(join(page, 'assets'), { recursive: true });
  const names = Object.keys(metafile.outputs).map((path) => basename(path));
  const address = (ending) => `/assets/${names.find((name) => name.endsWith(ending))}`;
  const html = await readFile(join(source, 'index.html'), 'utf8');
  await writeFile(
    join(page, 'index.html'),
    html.replace('{style}', address('.css')).replace('{script}', address('.js')),
  );
  await copyFile(join(source, 'icon.svg'), join(page, 'assets/icon.svg'));
  await writeFile(join(page, 'LICENSES.txt'), licenses(Object.keys(metafile.inputs).map((path) => join(root, path))));
}

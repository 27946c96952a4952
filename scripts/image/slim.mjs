// Takes out of an installed Raymond what a worker never loads: native code for other machines, declarations, source maps, and the bundler of
// the SDK, because the workflow code is bundled already. Called by the Dockerfile with the folder that holds node_modules.
import { existsSync, globSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [root] = process.argv.slice(2);
const modules = join(root, 'node_modules');
const MACHINES = { x64: 'x86_64-unknown-linux-gnu', arm64: 'aarch64-unknown-linux-gnu' };

const bridge = join(modules, '@temporalio/core-bridge');
const own = MACHINES[process.arch];
if (!existsSync(join(bridge, 'releases', own)))
  throw new Error(`@temporalio/core-bridge has no release for ${own} any more`);
for (const name of readdirSync(join(bridge, 'releases'))) if (name !== own) remove(join(bridge, 'releases', name));
for (const name of ['sdk-core', 'src', 'ts', 'Cargo.lock', 'bridge-macros']) remove(join(bridge, name));

// The SDK loads its bundler with the worker, and calls it only for workflow code that is not bundled.
for (const name of ['webpack', 'memfs', 'unionfs']) stub(join(modules, name));
const ONLY_FOR_BUNDLING = [
  '@jsonjoy.com',
  '@swc/core*',
  '@webassemblyjs',
  'terser',
  'caniuse-lite',
  'swc-loader',
  'browserslist',
  'es-module-lexer',
];
for (const path of globSync(ONLY_FOR_BUNDLING.map((name) => join(modules, name)))) remove(path);

// Copies of the same modules for bundlers and browsers: Node.js loads the CommonJS ones.
for (const path of globSync(
  join(modules, '{@opentelemetry/*/build/{esm,esnext},rxjs/{src,dist/{esm,esm5,bundles,types}}}'),
))
  remove(path);
for (const path of globSync(join(root, '{dist,node_modules}/**/*.{map,ts,mts,cts,md,markdown}'))) remove(path);

function remove(path) {
  rmSync(path, { recursive: true, force: true });
}

/** A package that fails when something of it is called. */
function stub(path) {
  const { name, version } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));
  for (const entry of readdirSync(path)) remove(join(path, entry));
  writeFileSync(join(path, 'package.json'), `${JSON.stringify({ name, version, main: 'index.js' })}\n`);
  const complaint = `${name} is not in this image: its workflow code is bundled`;
  writeFileSync(
    join(path, 'index.js'),
    `module.exports = new Proxy({}, { get(_, key) { if (key === '__esModule') return true; throw new Error(${JSON.stringify(complaint)}); } });\n`,
  );
}

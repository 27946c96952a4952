// Takes out of an installed Raymond what a worker never loads: native code for other machines, declarations, source maps, and the bundler of
// the SDK, because the workflow code is bundled already. Called by the Dockerfile with the folder that holds node_modules.
import { existsSync, globSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

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
const used = usedBy(root, new Set(['@swc/core', 'swc-loader']));
for (const path of installedIn(modules)) if (!used.has(path)) remove(path);

// Copies of the same modules for bundlers and browsers: Node.js loads the CommonJS ones.
for (const path of globSync(
  join(modules, '{@opentelemetry/*/build/{esm,esnext},rxjs/{src,dist/{esm,esm5,bundles,types}}}'),
))
  remove(path);
for (const path of globSync(join(root, '{dist,node_modules}/**/*.{map,ts,mts,cts,md,markdown}'))) remove(path);

/** The folders of all packages below a node_modules. */
function installedIn(folder) {
  const found = globSync(join(folder, '{*,@*/*}/package.json')).map((path) => dirname(path));
  return found.flatMap((path) => [path, ...installedIn(join(path, 'node_modules'))]);
}

/** The folders of the packages that one depends on, by way of others, too; `omitted` are the names of some that it never loads. */
function usedBy(path, omitted, found = new Set()) {
  const { dependencies, optionalDependencies, peerDependencies } = manifestOf(path);
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })) {
    const used = omitted.has(name) ? undefined : placeOf(name, path);
    if (used === undefined || found.has(used)) continue;
    usedBy(used, omitted, found.add(used));
  }
  return found;
}

/** Where Node.js finds a package from another one: in its own node_modules, or in one above. */
function placeOf(name, from) {
  for (let folder = from; folder.startsWith(root); folder = dirname(folder)) {
    const path = join(folder, 'node_modules', name);
    if (existsSync(join(path, 'package.json'))) return path;
  }
  return undefined;
}

function manifestOf(path) {
  return JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));
}

function remove(path) {
  rmSync(path, { recursive: true, force: true });
}

/** A package that fails when something of it is called. */
function stub(path) {
  const { name, version } = manifestOf(path);
  for (const entry of readdirSync(path)) remove(join(path, entry));
  writeFileSync(join(path, 'package.json'), `${JSON.stringify({ name, version, main: 'index.js' })}\n`);
  const complaint = `${name} is not in this image: its workflow code is bundled`;
  writeFileSync(
    join(path, 'index.js'),
    `module.exports = new Proxy({}, { get(_, key) { if (key === '__esModule') return true; throw new Error(${JSON.stringify(complaint)}); } });\n`,
  );
}

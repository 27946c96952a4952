// Bundles the command line: what a command loads is one file of its own and a few that it shares, where the compiled modules and those of
// the libraries are hundreds. Node needs about 0.6 ms of processor for each, and most commands do little else.
import { readdirSync, readFileSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import esbuild from 'esbuild';
import webpack from 'webpack';

/**
 * Temporal's worker stays a package: its threads are files that are loaded by path; pino alike. OpenTelemetry is for the few who ask for
 * traces, AWS's client for those who keep artifacts in a bucket. The client's part of the SDK is a bundle of its own, because processes that
 * have a worker load the packages (bin/raymond.js).
 */
const PACKAGES = /^(?:@temporalio\/|@opentelemetry\/|@aws-sdk\/|@smithy\/|pino$)/;

const here = (file) => fileURLToPath(new URL(file, import.meta.url));

/**
 * Bundles `dist`/cli/index.js into `dist`/program. Modules that name a file of the package by `import.meta.url` name it from a folder of
 * `dist`: that holds for their bundle as well, because `program` is such a folder.
 */
export async function bundleProgram(dist) {
  const program = await bundled(dist, {
    entry: { raymond: join(dist, 'cli/index.js') },
    devtool: 'source-map',
    externals: ({ request }, decide) => (PACKAGES.test(request) ? decide(null, `commonjs ${request}`) : decide()),
    plugins: [
      new webpack.BannerPlugin({
        banner: 'const ownUrl = require("node:url").pathToFileURL(__filename).href;',
        raw: true,
        test: /\.cjs$/,
      }),
      new webpack.DefinePlugin({ 'import.meta.url': 'ownUrl' }),
    ],
    module: {
      parser: { javascript: { url: false, createRequire: false } },
      rules: [{ test: /\.js$/, include: dist, extractSourceMap: true }],
    },
  });
  // A file of its own, because a worker keeps it, and starts it again after an update has replaced its files.
  await esbuild.build({
    entryPoints: [join(dist, 'launcher/main.js')],
    outfile: join(dist, 'program/launcher.cjs'),
    ...{ bundle: true, platform: 'node', target: 'node20', format: 'cjs' },
  });
  const sdk = await bundled(dist, {
    entry: { sdk: here('sdk.cjs') },
    devtool: false,
    module: {
      rules: [
        { test: /(?:json-module|data-converter-helpers|protobufjs.src.type)\.js$/, loader: here('lean-sdk.cjs') },
      ],
    },
  });
  for (const name of (await readdir(join(dist, 'program'))).filter((name) => name.endsWith('.cjs'))) {
    const path = join(dist, 'program', name);
    await writeFile(path, inAscii(await readFile(path, 'utf8')));
  }
  const modules = [program, sdk].flatMap(({ compilation }) => [...compilation.modules]);
  await writeFile(join(dist, 'program/LICENSES.txt'), licenses(modules.map(({ resource = '' }) => resource)));
}

/** A program without letters beyond ASCII: with one, V8 takes twice the memory for it, and Node ten times the time to read it. */
export function inAscii(code) {
  return code.replace(/[^\0-\x7f]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function bundled(dist, config) {
  const all = {
    mode: 'production',
    target: 'node20',
    context: dist,
    // Errors name functions as the source does; and what a running process loads after an update means the same modules.
    optimization: { minimize: false, moduleIds: 'named', chunkIds: 'named' },
    performance: { hints: false },
    output: {
      path: join(dist, 'program'),
      filename: '[name].cjs',
      chunkFilename: '[name].cjs',
      library: { type: 'commonjs2' },
      devtoolModuleFilenameTemplate: ({ resourcePath }) => resourcePath,
    },
  };
  return new Promise((resolve, reject) => {
    webpack({ ...all, ...config }).run((error, stats) => {
      if (error) reject(error);
      else if (stats.hasErrors() || stats.hasWarnings())
        reject(new Error(stats.toString({ all: false, errors: true, warnings: true })));
      else resolve(stats);
    });
  });
}

/** The licences of the libraries that these files are of, which ask to go with every copy. */
export function licenses(paths) {
  const folders = paths.map((path) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0]);
  return [...new Set(folders.filter(Boolean))].sort().map(licenseOf).join('\n');
}

function licenseOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const texts = readdirSync(folder).filter((file) => /^licen[cs]e/i.test(file));
  return [`${name} ${version} (${license})\n`, ...texts.map((file) => readFileSync(join(folder, file), 'utf8'))].join(
    '\n',
  );
}

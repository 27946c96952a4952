// Bundles the command line: what a command loads is one file of its own and a few that it shares, where the compiled modules and those of
// the libraries are hundreds. Node needs about 0.6 ms of processor for each, and most commands do little else.
import { readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import webpack from 'webpack';

/**
 * The SDK stays a package: its threads and converters are files that are loaded by path, and it must not be there twice; pino alike.
 * OpenTelemetry is for the few who ask for traces, AWS's client for those who keep artifacts in a bucket.
 */
const PACKAGES = /^(?:@temporalio\/|@opentelemetry\/|@aws-sdk\/|@smithy\/|pino$)/;

/**
 * Bundles `dist`/cli/index.js into `dist`/program. Modules that name a file of the package by `import.meta.url` name it from a folder of
 * `dist`: that holds for their bundle as well, because `program` is such a folder.
 */
export async function bundleProgram(dist) {
  const stats = await bundled({
    mode: 'production',
    target: 'node20',
    context: dist,
    entry: { raymond: join(dist, 'cli/index.js') },
    devtool: 'source-map',
    externals: ({ request }, decide) => (PACKAGES.test(request) ? decide(null, `node-commonjs ${request}`) : decide()),
    output: {
      path: join(dist, 'program'),
      filename: '[name].js',
      chunkFilename: '[name].js',
      chunkFormat: 'module',
      library: { type: 'module' },
      devtoolModuleFilenameTemplate: ({ resourcePath }) => resourcePath,
    },
    experiments: { outputModule: true },
    module: {
      parser: { javascript: { importMeta: false, url: false, createRequire: false } },
      rules: [{ test: /\.js$/, include: dist, extractSourceMap: true }],
    },
    // Errors name functions as the source does; and what a running process loads after an update means the same modules.
    optimization: { minimize: false, moduleIds: 'named', chunkIds: 'named' },
    performance: { hints: false },
  });
  await writeFile(
    join(dist, 'program/LICENSES.txt'),
    licenses([...stats.compilation.modules].map(({ resource = '' }) => resource)),
  );
}

function bundled(config) {
  return new Promise((resolve, reject) => {
    webpack(config).run((error, stats) => {
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

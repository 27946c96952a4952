// Builds dist/: TypeScript compiled, the workflow bundle that workers load, so that nothing is bundled at start, that of the command line, and the page of
// `raymond serve`.
// Built beside dist/ and then swapped in, so that programs that run from dist/ never see a part of it.
import { spawnSync } from 'node:child_process';
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { buildPage } from './build-page.mjs';
import { bundleProgram, inAscii } from './bundle-program.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const fresh = join(root, `dist.${process.pid}`);
const old = join(root, `dist.${process.pid}.old`);
try {
  const tsc = ['node_modules/typescript-7/bin/tsc', '-p', 'tsconfig.build.json', '--outDir', fresh];
  const { status } = spawnSync(process.execPath, tsc, { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
  const { code } = await bundleWorkflowCode({
    workflowsPath: join(fresh, 'workflows/index.js'),
    failureConverterPath: join(fresh, 'codec/workflow-failures.js'),
    workflowInterceptorModules: [join(fresh, 'codec/workflow-guard.js')],
    // Loaded once for all workflows of a worker, in place of once for each of them: none of them keeps anything of its own.
    preloadModules: ['workflows/index.js', 'codec/workflow-failures.js', 'codec/workflow-guard.js'].map((file) =>
      join(fresh, file),
    ),
    logger: new DefaultLogger('WARN'),
    webpackConfigHook: withLeanMap,
  });
  await writeFile(join(fresh, 'workflow-bundle.js'), inAscii(code));
  await bundleProgram(fresh);
  await buildPage(fresh);
  await rename(join(root, 'dist'), old).catch((error) => {
    if (error.code !== 'ENOENT') throw error;
  });
  await rename(fresh, join(root, 'dist'));
} finally {
  await rm(fresh, { recursive: true, force: true });
  await rm(old, { recursive: true, force: true });
}

/** Every worker holds the source map in memory: lines are enough for a stack trace, and no path of this machine belongs into it. */
function withLeanMap(config) {
  return {
    ...config,
    context: fresh,
    devtool: 'inline-nosources-cheap-module-source-map',
    output: {
      ...config.output,
      devtoolModuleFilenameTemplate: ({ absoluteResourcePath }) => absoluteResourcePath.replaceAll(root, ''),
    },
  };
}

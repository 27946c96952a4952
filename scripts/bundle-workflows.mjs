// Builds the workflow bundle that workers load: no bundling at start. Run by `npm run build`, after tsc.
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';

const dist = new URL('../dist/', import.meta.url);
const { code } = await bundleWorkflowCode({
  workflowsPath: fileURLToPath(new URL('workflows/index.js', dist)),
  logger: new DefaultLogger('WARN'),
});
await writeFile(new URL('workflow-bundle.js', dist), code);

// Stores the JSON schemas and documents of the present version in test/released/VERSION, which test/released.test.ts holds later versions
// against. Part of the release pull request; before the first release also `npm run build && node scripts/release/freeze.mjs`.
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import { DOCUMENTS } from '../../dist/client/documents/documents.js';
import { editorSchemas } from '../../dist/schemas.js';

const root = new URL('../../', import.meta.url);
const { version } = JSON.parse(await readFile(new URL('package.json', root), 'utf8'));
const folder = new URL(`test/released/${version}/`, root);
await rm(folder, { recursive: true, force: true });
await mkdir(folder, { recursive: true });
const documents = Object.fromEntries(Object.entries(DOCUMENTS).map(([name, schema]) => [name, z.toJSONSchema(schema)]));
for (const [name, schemas] of Object.entries({ documents, schemas: editorSchemas() }))
  await writeFile(new URL(`${name}.json`, folder), `${JSON.stringify(schemas, undefined, 1)}\n`);

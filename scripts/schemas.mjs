// Writes schemas/ from the schemas with which the program reads files. Needs a build. A test says when it is time.
import { mkdir, writeFile } from 'node:fs/promises';
import { editorSchemas } from '../dist/schemas.js';

const folder = new URL('../schemas/', import.meta.url);
await mkdir(folder, { recursive: true });
for (const [name, schema] of Object.entries(editorSchemas())) {
  await writeFile(new URL(name, folder), `${JSON.stringify(schema, undefined, 2)}\n`);
}

// Writes the pages of docs/reference that are made of the program's own tables. Needs a build. A test says when it is time.
import { mkdir, writeFile } from 'node:fs/promises';
import { PassThrough } from 'node:stream';
import { openIo } from '../../dist/cli/io.js';
import { build } from '../../dist/cli/program/index.js';
import { editorSchemas } from '../../dist/schemas.js';
import { cliPages } from './cli-page.mjs';
import { configPage } from './config-page.mjs';

const folder = new URL('../../docs/reference/', import.meta.url);
const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };
const io = openIo({ cwd: '/', env: {}, ...streams });
const pages = cliPages(build({ io, finish: () => undefined, version: '' }));
await mkdir(new URL('cli/', folder), { recursive: true });
for (const [path, text] of Object.entries(pages)) await writeFile(new URL(path, folder), text);
await writeFile(new URL('config.md', folder), configPage(editorSchemas()['config.schema.json']));

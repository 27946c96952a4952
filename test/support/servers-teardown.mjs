// After all tests: ends the servers that test files have shared, and removes what they stored.
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { stopServer } from '../../dist/server/index.js';

/** Jest's global tear-down. */
export default async function tearDown() {
  const folder = process.env.JEST_SERVERS_FOLDER;
  const servers = (await readdir(folder)).map((name) => join(folder, name));
  await Promise.all(servers.map((raymondDir) => stopServer({ raymondDir, politeMs: 0 })));
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}

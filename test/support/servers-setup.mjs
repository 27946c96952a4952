// Before all tests: a folder for the servers that test files share (shared-server.ts), known to Jest's workers by their environment.
import { mkdtemp, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Jest's global set-up. */
export default async function setUp() {
  process.env.JEST_SERVERS_FOLDER = await realpath(await mkdtemp(join(tmpdir(), 'raymond-servers-')));
}

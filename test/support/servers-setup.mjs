// Before all tests: a folder for the servers that test files share (shared-server.ts), known to Jest's workers by their environment; and
// workers in this process interpret workflows on its main thread, for a thread of their own takes half a second of processor to start.
// The chaos test, `raymond worker` and a test of `start` have that thread. Temporal servers collect their garbage less often, which saves a tenth
// of their processor time.
import { mkdtemp, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Jest's global set-up. */
export default async function setUp() {
  process.env.TEMPORAL_DEBUG = '1';
  process.env.GOGC ??= '300';
  process.env.JEST_SERVERS_FOLDER = await realpath(await mkdtemp(join(tmpdir(), 'raymond-servers-')));
}

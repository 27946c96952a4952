// Where the S3 server of the tests lies: what RAYMOND_VERSITYGW names, else in the user's cache, where scripts/versitygw.mjs puts it.
import { join } from 'node:path';
import { userCache } from '../../dist/server/temporal-cli.js';

/** The version that is built. */
export const VERSION = 'v1.8.0';

/** The executable, whether it is there or not. */
export function versitygwPath() {
  return process.env.RAYMOND_VERSITYGW ?? join(userCache(), 'raymond', 'versitygw', VERSION, 'versitygw');
}

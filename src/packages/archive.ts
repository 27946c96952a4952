// A folder's files as one zip, the same bytes for the same files on every host: names in order, no times, nothing compressed (the outcome
// of compression depends on the version of Node.js), the executable bit kept.
import { buffer } from 'node:stream/consumers';
import { ZipFile } from 'yazl';
import { ScopeError } from './error.js';
import type { PackedFile } from './packed.js';
import { messageOf } from '../protocol/text.js';

/** Read in local time, as zips are: the same wherever it is read. */
const NO_TIME = new Date(1980, 0, 1);

/** Zips files; `shown` is how messages call the folder. */
export async function zipOf(files: ReadonlyMap<string, PackedFile>, shown: string): Promise<Buffer> {
  const zip = new ZipFile();
  for (const [name, { content, executable }] of [...files].sort(([one], [other]) => (one < other ? -1 : 1))) {
    const options = {
      mtime: NO_TIME,
      forceDosTimestamp: true,
      compress: false,
      mode: executable ? 0o100755 : 0o100644,
    };
    try {
      zip.addBuffer(content, name, options);
    } catch (error) {
      const why = messageOf(error);
      throw new ScopeError('Layout', `${shown}: ${JSON.stringify(name)} cannot be packed: ${why}; rename it`);
    }
  }
  zip.end();
  return await buffer(zip.outputStream);
}

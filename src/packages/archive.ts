// Packs a folder's files into one zip. The same files give the same bytes on every host: sorted names, no times, no
// compression (its output depends on the Node.js version), with the executable bit.
import { buffer } from 'node:stream/consumers';
import { ZipFile } from 'yazl';
import { ScopeError } from './error.js';
import type { PackedFile } from './packed.js';
import { messageOf } from '../protocol/text.js';

/** Zip readers take times as local time, so this one is the same everywhere. */
const NO_TIME = new Date(1980, 0, 1);

/** Zips files; messages call the folder `shown`. */
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

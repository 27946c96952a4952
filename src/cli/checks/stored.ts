// `raymond doctor --deep`: checks every file of the artifact store against its hash.
import { examineStore } from '../../client/look/integrity.js';
import { storeOf } from '../../client/open.js';
import { isDirectory } from '../../host/files.js';
import type { Project } from '../../client/project/project.js';
import { messageOf } from '../../protocol/text.js';
import { failed, ok, type Check } from './check.js';

const NAME = 'stored files';

/** How many damaged files are listed; the others are counted. */
const LISTED = 1000;

const MIB = 1024 ** 2;

/** Reads the whole store, however long that takes: one result for all intact files, and one for each damaged file. */
export async function storedFiles(project: Project, env: NodeJS.ProcessEnv): Promise<readonly Check[]> {
  const store = storeOf(project, env);
  if (project.config.artifact_store === undefined && !(await isDirectory(store.location)))
    return [ok(NAME, 'none yet')];
  const whole = { artifact: 0, document: 0, bytes: 0 };
  const damaged: Check[] = [];
  let more = 0;
  try {
    for await (const { kind, bytes, damage } of examineStore(store)) {
      whole.bytes += bytes;
      if (damage === undefined) whole[kind] += 1;
      else if (damaged.length === LISTED) more += 1;
      else damaged.push(failed(NAME, `${damage.path}: ${damage.why}`, damage.next));
    }
  } catch (error) {
    return [...damaged, failed(NAME, messageOf(error), 'fix that, then run raymond doctor --deep again')];
  }
  const amount = `${whole.artifact} artifacts (${(whole.bytes / MIB).toFixed(1)} MiB) and ${whole.document} documents`;
  const summary = ok(NAME, `${amount} in ${store.location} are intact`);
  return [summary, ...damaged, ...(more === 0 ? [] : [failed(NAME, `and ${more} more`)])];
}

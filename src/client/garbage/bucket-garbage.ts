// Finds and removes files in a bucket that no run needs. As on disk (garbage.ts), it considers only names that Raymond
// gives, and nothing written recently.
import type { BucketStore } from '../../store/bucket.js';
import type { S3Object } from '../../store/s3.js';
import { fileNameOfRun } from '../../protocol/ids.js';
import type { GarbageKind, GarbageRequest, Tally } from './garbage.js';

/** What may be removed from a bucket. */
type BucketTallies = Readonly<Record<Extract<GarbageKind, 'artifacts' | 'chapters' | 'places'>, Tally>>;

/** Removes it, or with `dryRun` only counts it. Throws the store's errors. */
export async function removeFromBucket(
  bucket: BucketStore,
  { references, runs, since, dryRun }: Omit<GarbageRequest, 'folders'>,
): Promise<BucketTallies> {
  const known = new Set(runs.map(fileNameOfRun));
  const counts = { artifacts: new Count(), chapters: new Count(), places: new Count() };
  const ofRuns = new Map<string, S3Object[]>();
  const remove = async (object: S3Object, count: Count): Promise<void> => {
    if (dryRun || (await bucket.removeOlder(object.key, since))) count.add(object.bytes);
  };
  for await (const object of bucket.objects()) {
    const sha256 = /^([0-9a-f]{2})\/(\1[0-9a-f]{62})$/.exec(object.key)?.[2];
    const [folder, name] = /^((?:runs|places)\/([A-Za-z0-9][A-Za-z0-9._%-]*))\/./.exec(object.key)?.slice(1) ?? [];
    const isOld = object.modified < since.getTime();
    if (sha256 !== undefined && isOld && !references.has(sha256)) await remove(object, counts.artifacts);
    if (folder !== undefined && name !== undefined && !known.has(name))
      ofRuns.set(folder, [...(ofRuns.get(folder) ?? []), object]);
  }
  for (const [folder, objects] of ofRuns) {
    if (newestOf(objects) >= since.getTime()) continue;
    const count = folder.startsWith('runs/') ? counts.chapters : counts.places;
    for (const object of objects) await remove(object, count);
  }
  const { artifacts, chapters, places } = counts;
  return { artifacts: artifacts.tally, chapters: chapters.tally, places: places.tally };
}

/** When anything of a run, in a folder of this name, was last written (epoch milliseconds); 0 when there is nothing. */
export async function newestChapter(bucket: BucketStore, name: string): Promise<number> {
  const objects: S3Object[] = [];
  for await (const object of bucket.objects(`runs/${name}/`)) objects.push(object);
  return newestOf(objects);
}

function newestOf(objects: readonly S3Object[]): number {
  return objects.reduce((newest, { modified }) => Math.max(newest, modified), 0);
}

class Count {
  tally: Tally = { files: 0, bytes: 0 };

  add(bytes: number): void {
    this.tally = { files: this.tally.files + 1, bytes: this.tally.bytes + bytes };
  }
}

// Many forks, or forks with long attributes, do not fit into a turn's report: beyond a few
// kilobytes they are split into pages in the artifact store, which the workflow reads one after the
// other.
import { utf8Length, MAX_INLINE_BYTES } from '../../protocol/text.js';
import type { Fork, ForkPage, MoreForks } from '../../protocol/machine/transition.js';
import type { ArtifactStore } from '../../store/store.js';

/**
 * The largest page, in bytes of JSON: its agents are started together, in one message to the
 * server.
 */
export const PAGE_BYTES = 128 * 1024;
const PAGE_FORKS = 100;

/** The longest attributes that the run's ledger stores unchanged, in bytes of JSON. */
const SHORT_BYTES = 512;

/** The forks of an output for its report: some of them, and a reference to the others. */
export async function dividedForks(
  artifacts: ArtifactStore,
  forks: readonly Fork[],
): Promise<{ readonly forks: readonly Fork[]; readonly more?: MoreForks }> {
  const kept = await Promise.all(forks.map((fork) => withStoredAttributes(artifacts, fork)));
  if (kept.length <= PAGE_FORKS && sizeOf(kept) <= MAX_INLINE_BYTES) return { forks: kept };
  const pages = pagesOf(kept);
  let next: ForkPage['next'];
  for (const page of pages.toReversed()) {
    const content: ForkPage = { forks: page, ...(next === undefined ? {} : { next }) };
    next = await artifacts.put(Buffer.from(JSON.stringify(content)));
  }
  return { forks: [], ...(next === undefined ? {} : { more: { count: kept.length, page: next } }) };
}

async function withStoredAttributes(artifacts: ArtifactStore, fork: Fork): Promise<Fork> {
  const json = JSON.stringify(fork.attributes);
  if (utf8Length(json) <= SHORT_BYTES) return fork;
  return { ...fork, storedAttributes: await artifacts.put(Buffer.from(json)) };
}

function pagesOf(forks: readonly Fork[]): readonly (readonly Fork[])[] {
  const pages: Fork[][] = [[]];
  let bytes = 0;
  for (const fork of forks) {
    const size = sizeOf(fork);
    const page = pages.at(-1) ?? [];
    if (page.length > 0 && (page.length === PAGE_FORKS || bytes + size > PAGE_BYTES)) {
      pages.push([fork]);
      bytes = size;
    } else {
      page.push(fork);
      bytes += size;
    }
  }
  return pages;
}

function sizeOf(value: unknown): number {
  return utf8Length(JSON.stringify(value));
}

// Checks a store for damage: the hash of every artifact, the shape of every document. One file is in memory at a time.
import { checkKept } from '../../history/chapters.js';
import { runOfFileName } from '../../protocol/ids.js';
import { StoreDamaged, type ArtifactStore, type Damage, type ProbedStore } from '../../store/store.js';
import { latestGeneration } from '../../workspaces/placement.js';

/** A file that was read. */
interface Examined {
  readonly kind: 'artifact' | 'document';
  /** Of artifacts only. */
  readonly bytes: number;
  /** Absent = it is intact. */
  readonly damage?: Damage;
}

/** Reads everything in a store. Throws the store's errors, except `StoreDamaged`. */
export async function* examineStore(store: ProbedStore): AsyncGenerator<Examined> {
  const damaged = new Map<string, Damage>();
  for await (const { sha256, path, bytes, isWhole } of store.examine()) {
    if (isWhole) yield { kind: 'artifact', bytes };
    else damaged.set(sha256, { path, why: `its SHA-256 is not ${sha256}`, next: '' });
  }
  const uses = new Map<string, Use>();
  for await (const { runId, name, check } of documentsOf(store)) {
    yield { kind: 'document', bytes: 0, ...(await damageOf(check)) };
    if (damaged.size > 0) noteUses((await store.read(name)) ?? '', { damaged, runId, uses });
  }
  for (const [sha256, { path, why }] of damaged)
    yield { kind: 'artifact', bytes: 0, damage: { path, why, next: adviceFor(uses.get(sha256)) } };
}

interface KeptDocument {
  readonly runId: string;
  readonly name: string;
  readonly check: () => Promise<unknown>;
}

async function* documentsOf(store: ArtifactStore): AsyncGenerator<KeptDocument> {
  for (const top of ['runs', 'places'])
    for (const folder of await store.list(top)) {
      const runId = runOfFileName(folder);
      for (const name of await store.list(`${top}/${folder}`)) {
        const owner = name.replace(/\.json$/, '');
        const check = async (): Promise<unknown> =>
          top === 'runs' ? await checkKept(store, { runId, name }) : await latestGeneration(store, { runId, owner });
        yield { runId, name: `${top}/${folder}/${name}`, check };
      }
    }
}

async function damageOf(check: () => Promise<unknown>): Promise<{ readonly damage?: Damage }> {
  try {
    await check();
    return {};
  } catch (error) {
    if (error instanceof StoreDamaged) return { damage: error.damage };
    throw error;
  }
}

/** Which documents of runs use a damaged artifact. */
interface Use {
  readonly what: string;
  readonly runs: Set<string>;
}

/** By the key in front of a reference. */
const KINDS: Readonly<Record<string, string>> = {
  session: 'a conversation',
  stateSha256: 'a state file',
  output: 'the output of a turn',
};

interface Names {
  readonly damaged: ReadonlyMap<string, Damage>;
  readonly runId: string;
  readonly uses: Map<string, Use>;
}

function noteUses(text: string, { damaged, runId, uses }: Names): void {
  for (const [, key = '', sha256 = ''] of text.matchAll(/"(\w+)":(?:\{[^{}]*?"sha256":)?"([0-9a-f]{64})"/g)) {
    if (!damaged.has(sha256)) continue;
    const { what, runs } = uses.get(sha256) ?? { what: KINDS[key] ?? 'a value', runs: new Set<string>() };
    uses.set(sha256, { what, runs: runs.add(runId) });
  }
}

/** Open runs are not checked: their histories are in Temporal. */
function adviceFor(use: Use | undefined): string {
  const what = use === undefined ? 'no closed run uses it' : `${use.what} of ${[...use.runs].sort().join(', ')}`;
  return `${what}; restore it from a backup; without one see "A damaged file" in docs/how-to/recover.md`;
}

// The conversations of a run as its recorded turns name them: the bytes of every transcript in the bucket, and whether each is its parent's with
// nothing but one turn more. What differs between two runs of a program by its nature (ids, times, the name of the run) is made alike.
import { join } from 'node:path';
import { openStore } from '../../dist/store/open.js';
import type { Cluster } from './cluster.js';
import { bucketAt, bucketConfig, KEYS } from './services.js';

/** The transcripts by the turns that left them, and what is wrong with how they continue each other. */
export interface Conversations {
  readonly said: Readonly<Record<string, string>>;
  readonly torn: readonly string[];
}

interface Turn {
  readonly agentId: string;
  readonly number: number;
  readonly session?: { readonly id: string; readonly sha256: string };
}

/** Reads those of a run. */
export async function conversationsOf(cluster: Cluster, runId: string): Promise<Conversations> {
  const { stdout } = await cluster.desk.raymond(['history', runId, '--json', ...cluster.flags]);
  const { turns } = JSON.parse(stdout) as { readonly turns: readonly Turn[] };
  const { endpoint, address } = bucketConfig(bucketAt(cluster.machines.bucket.link));
  const bucket = { address, endpoint, cwd: cluster.folder, cacheBytes: 1 << 30 };
  const store = openStore({ dir: join(cluster.folder, 'read'), bucket }, KEYS);
  const transcripts = new Map<string, Transcript>();
  for (const { agentId, number, session } of turns) {
    if (session === undefined) continue;
    const text = await store.text({ sha256: session.sha256, bytes: 0 });
    transcripts.set(`${agentId}/${number}`, new Transcript(text, session.id));
  }
  return {
    said: Object.fromEntries([...transcripts].map(([turn, one]) => [turn, one.alike(runId)])),
    torn: [...transcripts].flatMap(([turn, one]) =>
      one.tornFrom([...transcripts.values()]).map((how) => `${turn} ${how}`),
    ),
  };
}

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
const TIME = /\d{4}-\d\d-\d\dT[\d:.]+Z/g;

/** A transcript, without the name of its session. */
class Transcript {
  readonly lines: readonly string[];

  constructor(text: string, session: string) {
    this.lines = text
      .replaceAll(session, 'SESSION')
      .split('\n')
      .filter((line) => line !== '');
  }

  /** The same bytes for the same conversation of another run. */
  alike(runId: string): string {
    const names = new Map<string, string>();
    const named = (uuid: string): string => {
      if (!names.has(uuid)) names.set(uuid, `line ${names.size + 1}`);
      return names.get(uuid)!;
    };
    return this.lines.join('\n').replaceAll(UUID, named).replaceAll(TIME, 'TIME').replaceAll(runId, 'RUN');
  }

  /** What it has beyond the longest of the recorded ones that it begins with must be one prompt and what followed: a parent is never written to. */
  tornFrom(recorded: readonly Transcript[]): readonly string[] {
    const length = Math.max(0, ...recorded.filter((other) => this.continues(other)).map(({ lines }) => lines.length));
    const prompts = this.lines.slice(length).filter((line) => (JSON.parse(line) as { type: string }).type === 'user');
    return prompts.length === 1 ? [] : [`has ${prompts.length} prompts beyond the conversation that it continues`];
  }

  private continues({ lines }: Transcript): boolean {
    return lines.length < this.lines.length && lines.every((line, index) => line === this.lines[index]);
  }
}

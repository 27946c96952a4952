// What the attempts of an agent spent. The program of a prompt prints into a journal
// (launcher/journal.ts). Its name is that of the attempt's activity, with `.jsonl` until an attempt
// is about to report it, and `.reported` from then until the server has the report (receipts.ts).
// No dollar counts twice (invariant I4).
import { createReadStream } from 'node:fs';
import { appendFile, open, readdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { explainingWrites, renameDurable } from '../../host/files.js';
import type { Pricing } from '../../backends/backends.js';
import type { Attempt } from '../attempt/attempt.js';
import { activityKey, agentKey, journalFolder } from '../attempt/attempt-names.js';
import { defined, jsonOf } from '../../protocol/text.js';
import type { LostSpending } from '../../contract/records.js';
import type { TurnHeartbeat } from '../../contract/turns.js';
import { claimsIn } from './claims.js';
import { reporterOf, type Reporter } from '../attempt/receipts.js';
import { isThisHost } from '../worker-context.js';

const REPORTED = '.reported';

/** The journal file of this attempt. */
export function journalFile(attempt: Attempt): string {
  return join(journalFolder(attempt.worker.settings.raymondDir), `${attempt.fileName}.jsonl`);
}

/**
 * Removes the journals of the agent's earlier activities: they are closed, because this one has
 * started.
 */
export async function removeEarlierJournals(attempt: Attempt): Promise<void> {
  const { arrived } = await journalsFor(attempt);
  await remove(arrived);
}

/** Dollars of the agent's earlier attempts that the server does not know of. */
export async function unreportedUsd(attempt: Attempt): Promise<number> {
  const { unreported, unconfirmed } = await journalsFor(attempt);
  const mine = journalFile(attempt);
  return await spentIn([...unreported.filter((file) => file !== mine), ...unconfirmed], attempt.worker.backends);
}

/**
 * The spending of earlier attempts; `usd` = the part that is known here. Journals are on the host
 * of their attempt.
 */
export function lostSpending({ context, worker }: Attempt, usd: number): LostSpending | undefined {
  const { info } = context;
  const last = info.attempt > 1 ? (info.heartbeatDetails as TurnHeartbeat | undefined) : undefined;
  const wasOnOtherHost = usd === 0 && last?.phase === 'running' && !isThisHost(worker, last);
  if (usd === 0 && !wasOnOtherHost) return undefined;
  return { usd, ...defined({ unknownOn: wasOnOtherHost ? last.host : undefined }) };
}

/**
 * Marks the agent's journals as reported by this activity, in their last line; they stay until the
 * server has the report.
 */
export async function markReported(attempt: Attempt): Promise<void> {
  const { own, unreported, unconfirmed } = await journalsFor(attempt);
  const name = (file: string): string => `${own}${basename(basename(file, REPORTED), '.jsonl')}${REPORTED}`;
  const foreign = unconfirmed.filter((file) => !file.startsWith(own));
  const reporter = reporterOf(attempt.context);
  await Promise.all(
    [...unreported, ...foreign].map(async (file) => {
      if (reporter !== undefined) await explainingWrites(file, () => appendFile(file, noteOf(reporter)));
      await renameDurable(file, name(file));
    }),
  );
}

/** Removes the journals that this activity has reported, after the server has the report. */
export async function removeReported(attempt: Attempt): Promise<void> {
  const { own, unconfirmed } = await journalsFor(attempt);
  await remove(unconfirmed.filter((file) => file.startsWith(own)));
}

/** True for the journal of an attempt that has reported, or was about to. */
export function isReported(journal: string): boolean {
  return journal.endsWith(REPORTED);
}

/** Removes leftovers of killed processes: every journal whose report has arrived. unreported.ts handles claimed ones. */
export async function removeArrived(
  raymondDir: string,
  hasArrived: (reporter: Reporter) => Promise<boolean>,
): Promise<void> {
  const folder = journalFolder(raymondDir);
  const names = await readdir(folder).catch(() => []); // no folder: nothing has been spent
  const claimed = (await claimsIn(raymondDir)).map(({ name }) => name);
  const free = names.filter((name) => isReported(name) && !claimed.some((one) => name.includes(one)));
  for (const file of free.map((name) => join(folder, name))) {
    const reporter = await notedIn(file).catch(() => undefined); // its owner has just removed it
    if (reporter !== undefined && (await hasArrived(reporter))) await remove([file]);
  }
}

/** A turn whose worker died: the activity that the server still waits for. */
interface DeadTurn {
  readonly runId: string;
  readonly agentId: string;
  readonly activity: { readonly workflowRunId: string; readonly activityId: string };
  readonly pricing: Pricing;
}

/**
 * The spending of an agent's dead attempts. Call `booked` when it was recorded. Only for an agent without a running
 * turn.
 */
export async function spentByDead(
  raymondDir: string,
  { runId, agentId, activity, pricing }: DeadTurn,
): Promise<{ readonly usd: number; readonly booked: () => Promise<void> }> {
  const { unreported, unconfirmed, arrived } = await sortJournals(raymondDir, {
    agent: agentKey(runId, agentId),
    activities: [activityKey(activity)],
  });
  const unknown = [...unreported, ...unconfirmed];
  return { usd: await spentIn(unknown, pricing), booked: () => remove([...unknown, ...arrived]) };
}

interface Journals {
  /** The prefix of the journals that this activity reported. */
  readonly own: string;
  readonly unreported: readonly string[];
  /** Reported by this activity, or by one of this turn that the server gave up, so that its report may be lost. */
  readonly unconfirmed: readonly string[];
  readonly arrived: readonly string[];
}

/** Without the spending from before the agent moved away and came back: the host itself reports that (unreported.ts). */
async function journalsFor({
  worker,
  activityKey: own,
  request: { runId, agent, lostActivities = [] },
}: Attempt): Promise<Journals> {
  const { raymondDir } = worker.settings;
  const generation = agent.workspace?.place?.generation;
  const key = agentKey(runId, agent.id);
  const claims = generation === undefined ? [] : await claimsIn(raymondDir, key);
  const claimedByOthers = claims.filter(({ claimant }) => claimant !== undefined && claimant.generation !== generation);
  const activities = [own, ...lostActivities.map(activityKey)];
  return await sortJournals(raymondDir, { agent: key, activities, without: claimedByOthers.map(({ name }) => name) });
}

interface Sorting {
  readonly agent: string;
  /** The first one is the one that asks. */
  readonly activities: readonly string[];
  /** The attempts whose journals stay as they are. */
  readonly without?: readonly string[];
}

async function sortJournals(raymondDir: string, { agent, activities, without = [] }: Sorting): Promise<Journals> {
  const folder = journalFolder(raymondDir);
  const names = await readdir(folder).catch(() => []); // no folder: nothing has been spent yet
  const own = names.filter((name) => name.startsWith(`${agent}-`) && !without.some((other) => name.includes(other)));
  const files = own.map((name) => join(folder, name));
  const prefixes = activities.map((activity) => join(folder, `${agent}-${activity}-`));
  const reported = files.filter(isReported);
  const isOpen = (file: string): boolean => prefixes.some((prefix) => file.startsWith(prefix));
  return {
    own: prefixes[0] ?? join(folder, agent),
    unreported: files.filter((file) => !isReported(file)),
    unconfirmed: reported.filter(isOpen),
    arrived: reported.filter((file) => !isOpen(file)),
  };
}

/** The journals of one attempt, reported or not, by the name of its files. */
export async function journalsOf(raymondDir: string, fileName: string): Promise<readonly string[]> {
  const folder = journalFolder(raymondDir);
  const names = await readdir(folder).catch(() => []); // no folder: nothing has been spent yet
  return names.filter((name) => name.includes(fileName)).map((name) => join(folder, name));
}

/** The cost that they report, in USD. */
export async function spentIn(files: readonly string[], pricing: Pricing): Promise<number> {
  let usd = 0;
  for (const file of files) usd += await costOf(file, pricing);
  return usd;
}

async function remove(files: readonly string[]): Promise<void> {
  await Promise.all(files.map((file) => rm(file, { force: true })));
}

async function costOf(journal: string, pricing: Pricing): Promise<number> {
  const reader = pricing.reader();
  for await (const chunk of createReadStream(journal) as AsyncIterable<Buffer>) reader.push(chunk);
  reader.end();
  return reader.costUsd;
}

const TYPE = 'raymond';
const LONGEST_BYTES = 8 << 10;

const noteSchema = z.object({
  type: z.literal(TYPE),
  reporter: z.object({ workflowId: z.string(), workflowRunId: z.string(), activityId: z.string() }),
});

/** The line, after the last output of the program. */
function noteOf(reporter: Reporter): string {
  return `\n${JSON.stringify({ type: TYPE, reporter })}\n`;
}

/**
 * The activity that reports the journal; undefined without such a line. Throws errors of the file
 * system.
 */
export async function notedIn(journal: string): Promise<Reporter | undefined> {
  const handle = await open(journal);
  try {
    const { size } = await handle.stat();
    const length = Math.min(size, LONGEST_BYTES);
    const { buffer } = await handle.read(Buffer.alloc(length), 0, length, size - length);
    const last = buffer.toString('utf8').trimEnd().split('\n').at(-1) ?? '';
    return noteSchema.safeParse(jsonOf(last)).data?.reporter;
  } finally {
    await handle.close();
  }
}

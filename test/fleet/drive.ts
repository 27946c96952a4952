// Brings a run of a fleet to its end, as people at a desk would: starts it, answers what it asks, and resumes it when it rests.
// Must not know why it rests.
import { setTimeout as delay } from 'node:timers/promises';
import type { Called } from '../support/cli.js';
import type { RunJson } from '../support/fakes.js';
import type { Cluster } from './cluster.js';

const MOST_MS = 45 * 60_000;
const LOOK_MS = 1000;
const USAGE = 64;
const UNREACHABLE = 69;
const STARTS = 10;

interface Asked extends RunJson {
  readonly asks: readonly { readonly askId: string; readonly prompt: string }[];
}

/** A run to start. */
export interface Drive {
  readonly runId: string;
  readonly workflow: string;
  /** The branches that get its files. */
  readonly branch: string;
  /** Seconds without a poll after which a host is taken for gone; absent = as for users. */
  readonly silence?: number;
}

/** What was done for it. */
export interface Driven {
  readonly document: RunJson;
  readonly resumed: number;
  /** What was asked and told, for whoever looks for a cause. */
  readonly calls: readonly Call[];
}

interface Call {
  readonly words: readonly string[];
  readonly at: number;
  readonly seconds: number;
  readonly exitCode: number | undefined;
  readonly said: string;
}

/** Does it; throws when the run does not end in a long time. */
export async function drive(cluster: Cluster, run: Drive): Promise<Driven> {
  await start(cluster, run);
  const calls: Call[] = [];
  const call = async (...words: readonly string[]): Promise<Called> => {
    const at = Date.now();
    const called = await cluster.desk.raymond([...words, ...cluster.flags]);
    const said = words[0] === 'status' ? restingIn(called) : called.stderr;
    calls.push({ words, at, seconds: (Date.now() - at) / 1000, exitCode: called.exitCode, said });
    return called;
  };
  const deadline = Date.now() + MOST_MS;
  let resumed = 0;
  let status: Asked | undefined;
  while (Date.now() < deadline) {
    status = statusIn(await call('status', run.runId, '--json'));
    if (status?.status === 'completed') return { document: status, resumed, calls };
    for (const { askId, prompt } of status?.asks ?? []) await call('answer', run.runId, askId, `${prompt}.answered`);
    if (status !== undefined && rests(status)) {
      const { exitCode, stderr } = await call('resume', run.runId);
      if (exitCode === USAGE) throw new Error(`resume: ${stderr}`);
      resumed += 1;
    }
    await delay(LOOK_MS);
  }
  throw new Error(`${run.runId} did not end: ${JSON.stringify(status)}`);
}

/** The run, or undefined while nobody can tell. */
function statusIn({ stdout, exitCode }: Called): Asked | undefined {
  return exitCode === 0 ? (JSON.parse(stdout) as Asked) : undefined;
}

/** Its agents that wait for something else than a turn. */
function restingIn(called: Called): string {
  const agents = statusIn(called)?.agents ?? [];
  const resting = agents.filter(({ status }) => !['running', 'completed', 'awaiting'].includes(status));
  return resting.map(({ id, status, error = '' }) => `${id} ${status} ${error}`).join('\n');
}

/** Somebody has to do something for one of its agents. */
function rests({ status, agents }: RunJson): boolean {
  return status !== 'running' && status !== 'asking'
    ? true
    : agents.some((agent) => ['paused', 'failed'].includes(agent.status));
}

async function start(cluster: Cluster, { runId, workflow, branch, silence }: Drive): Promise<void> {
  const flags = ['--id', runId, '--budget', '0', '--output-branch', branch, ...cluster.startFlags];
  const env = silence === undefined ? {} : { RAYMOND_HOST_SILENCE: String(silence) };
  const call = (): Promise<Called> => cluster.desk.raymond(['start', workflow, ...flags], { env });
  let called = await call();
  // The monkey may have been at the server already; who calls again learns whether the run has begun.
  for (let tries = 1; called.exitCode === UNREACHABLE && tries < STARTS; tries += 1) {
    await delay(LOOK_MS);
    called = await call();
  }
  const { exitCode, stderr } = called;
  if (exitCode !== 0 && !stderr.includes('is in use')) throw new Error(`start ended with ${exitCode}: ${stderr}`);
}

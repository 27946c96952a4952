// `raymond completion bash|zsh|fish`: a script that lets a shell complete commands, flags and the ids of runs; and `raymond __complete`,
// which such a script asks for the ids. A person waits for it at every press of a key, and has asked for nothing else: it says nothing and starts nothing.
import { setTimeout as delay } from 'node:timers/promises';
import type { Command } from 'commander';
import { listRuns } from '../client/runs.js';
import { findProject } from '../project.js';
import { assertNever } from '../protocol/failure.js';
import { serverStatus } from '../server/index.js';
import { clusterOf, openForQuestion } from './context.js';
import { EXIT } from './exit.js';
import type { Io } from './io.js';
import { bashScript } from './shells/bash.js';
import { fishScript } from './shells/fish.js';
import { wordsOf } from './shells/words.js';
import { zshScript } from './shells/zsh.js';

/** The shells that there is a script for. */
export type Shell = 'bash' | 'zsh' | 'fish';

/** Prints the script; gives the exit code. */
export async function completion(
  io: Io,
  { shell, program }: { readonly shell: Shell; readonly program: Command },
): Promise<number> {
  await io.print(scriptOf(shell, program));
  return EXIT.completed;
}

function scriptOf(shell: Shell, program: Command): string {
  const words = wordsOf(program);
  switch (shell) {
    case 'bash':
      return bashScript(words);
    case 'zsh':
      return zshScript(words);
    case 'fish':
      return fishScript(words);
    default:
      return assertNever(shell);
  }
}

const PATIENCE_MS = 2_000;
const MOST_RUNS = 200;

/** Prints the ids of the last runs, a line each, the newest first; none when nobody tells them in time. */
export async function completeRuns(io: Io): Promise<number> {
  const silent = { ...io, stdin: io.stdin, say: () => undefined };
  const timer = new AbortController();
  const late = delay(PATIENCE_MS, [], { signal: timer.signal }).catch(() => []);
  const ids = await Promise.race([runIds(silent).catch(() => []), late]);
  timer.abort();
  io.hurry();
  if (ids.length > 0) await io.print(ids.join('\n'));
  return EXIT.completed;
}

async function runIds(io: Io): Promise<readonly string[]> {
  const project = await findProject(io.cwd);
  const isLocal = clusterOf(project, { flags: {}, env: io.env }) === undefined;
  if (isLocal && (await serverStatus(project)).kind !== 'running') return [];
  const { link } = await openForQuestion(io, { flags: {} });
  return (await listRuns(link.client, { limit: MOST_RUNS })).map(({ runId }) => runId);
}

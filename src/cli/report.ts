// The end of a command that followed a run: the result on stdout, a word for people on stderr, and the exit code.
// Must not wait for anything else.
import type { RunView } from '../client/runs.js';
import { assertNever } from '../protocol/failure.js';
import { askTexts, asksOf } from './asks.js';
import { documentOf } from './document.js';
import { EXIT, exitOf } from './exit.js';
import type { ViewFlags } from './flags.js';
import { print, say } from './say.js';
import type { Surroundings } from './surroundings.js';
import { textOf } from './texts.js';

/** Prints how a run ended or why it waits; gives the exit code. */
export async function reportRun(
  view: RunView,
  {
    artifacts,
    flags,
    told = new Set(),
  }: { readonly artifacts: Surroundings['artifacts']; readonly flags: ViewFlags; readonly told?: ReadonlySet<string> },
): Promise<number> {
  if (flags.json === true) await print(JSON.stringify(await documentOf(view, artifacts)));
  else if (view.result !== undefined) await print(await textOf(view.result, artifacts));
  if (flags.quiet !== true || view.status !== 'completed') {
    const questions = askTexts(view.runId, await asksOf(view, artifacts), told);
    say(lastWord(view, { told, questions }));
  }
  return exitOf(view.status);
}

/** What to say when a person stopped serving a run. */
export function reportInterrupted(runId: string): number {
  say(`the run goes on from here with: raymond resume ${runId}`);
  return EXIT.interrupted;
}

function lastWord(
  view: RunView,
  { told, questions }: { readonly told: ReadonlySet<string>; readonly questions: readonly string[] },
): string {
  const { runId, status } = view;
  const cost = `$${view.costUsd.toFixed(4)}`;
  const trouble = view.agents.flatMap((agent) => troubleOf(agent, told));
  switch (status) {
    case 'completed':
      return `completed: ${runId}, ${cost}`;
    case 'running':
      return `running: ${runId}, ${cost}`;
    case 'cancelled':
      return `cancelled: ${runId}, ${cost}; go on with: raymond resume ${runId}`;
    case 'failed':
      return [`failed: ${runId}, ${cost}`, ...trouble, `mend what failed, then: raymond resume ${runId}`].join('\n');
    case 'asking':
      return [`waiting for an answer: ${runId}, ${cost}`, ...trouble, ...questions].join('\n');
    case 'paused':
      return [`paused: ${runId}, ${cost}`, ...trouble, `when that is settled: raymond resume ${runId}`].join('\n');
    case 'over-budget':
      return `over budget: ${runId}, ${cost} of $${(view.budgetUsd ?? 0).toFixed(4)}; go on with more: raymond budget ${runId} AMOUNT`;
    default:
      return assertNever(status);
  }
}

function troubleOf(
  { id, state, status, error }: RunView['agents'][number],
  told: ReadonlySet<string>,
): readonly string[] {
  if (status === 'lost') return [`  ${id}: lost at ${state}: its Temporal workflow no longer exists`];
  if (error === undefined) return [];
  return [told.has(error) ? `  ${id}: ${status} at ${state}, see above` : `  ${error}`];
}

// `transitions.log` of a run: one entry for each recorded turn, appended whole and in order, with
// each agent's total as far as the log knows it.
import type { FileHandle } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { openInFolder } from '../../host/files.js';
import { assertNever } from '../../protocol/failure.js';
import { abbreviation, askId, forkedAgentId } from '../../protocol/ids.js';
import { describeProblem } from '../../protocol/language/problem.js';
import { executorOf } from '../../protocol/language/resolve.js';
import { clip, isArtifact, type Value } from '../../protocol/text.js';
import type { Transition } from '../../protocol/machine/transition.js';
import type { TurnOutcome, TurnReport, TurnRequest } from '../../contract/turns.js';

/** Entries that may wait for a disk that does not answer. */
const MAX_WAITING = 1000;

/** The log of one run, as one worker writes it. */
export class TransitionLog {
  private readonly totals = new Map<string, number>();
  private readonly reader = new TotalReader(this.totals);
  private known = 0;
  private waiting = 0;
  private last: Promise<void> = Promise.resolve();

  constructor(private readonly path: string) {}

  /** Counts what an agent spent on a turn that is not recorded. */
  spent(agentId: string, costUsd: number): void {
    this.totals.set(agentId, (this.totals.get(agentId) ?? 0) + costUsd);
  }

  /** Appends an entry behind those that wait. Rejects when it cannot. */
  async add(agentId: string, costUsd: number, entry: (totalUsd: number) => string): Promise<void> {
    if (this.waiting >= MAX_WAITING) throw new Error('the disk does not answer');
    this.waiting += 1;
    const turn = this.last.then(() => this.append(agentId, costUsd, entry));
    this.last = turn.catch(() => undefined).finally(() => (this.waiting -= 1));
    await turn;
  }

  private async append(agentId: string, costUsd: number, entry: (totalUsd: number) => string): Promise<void> {
    const file = await openInFolder(this.path, 'a+');
    try {
      await this.catchUp(file);
      this.spent(agentId, costUsd);
      const bytes = Buffer.from(entry(this.totals.get(agentId) ?? 0));
      await file.write(bytes);
      this.known += bytes.length;
    } finally {
      await file.close();
    }
  }

  /** Reads earlier entries, and those of other workers. */
  private async catchUp(file: FileHandle): Promise<void> {
    const { size } = await file.stat();
    if (size <= this.known) return;
    const input = file.createReadStream({ start: this.known, end: size - 1, autoClose: false });
    for await (const line of createInterface({ input, crlfDelay: Infinity })) this.reader.line(line);
    this.known = size;
  }
}

/** The most of a result that is shown, in characters. */
const MAX_PAYLOAD = 200;

/** One turn, with a blank line after it. `totalUsd` is the agent's cost so far, with this turn. */
export function entryOf(
  { agent, reminder, returnsTo }: TurnRequest,
  report: TurnReport,
  { at, totalUsd }: { readonly at: Date; readonly totalUsd: number },
): string {
  const lines = [
    `${localTime(at)} [${oneLine(agent.id)}] ${oneLine(agent.state)} -> ${oneLine(routeOf(report.outcome, returnsTo))}`,
    `  turn: ${agent.turn + 1}${reminder === undefined ? '' : ` (reminder ${reminder.number})`}`,
    `  state_type: ${executorOf(agent.state) === 'prompt' ? 'prompt' : 'script'}`,
    ...sessionLines(agent, report),
    `  cost: ${usd(report.costUsd)}`,
    `  total_cost: ${usd(totalUsd)}`,
    ...detailsOf(agent, report.outcome).map((line) => `  ${oneLine(line)}`),
  ];
  return `${lines.join('\n')}\n\n`;
}

/** Reads lines of the log, and keeps each agent's total from its last entry. */
export class TotalReader {
  private agentId: string | undefined;

  constructor(private readonly totals: Map<string, number>) {}

  line(line: string): void {
    const [, agentId] = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \[(.+?)\] /.exec(line) ?? [];
    if (agentId !== undefined) this.agentId = agentId;
    const [, total] = /^ {2}total_cost: \$([\d.]+)$/.exec(line) ?? [];
    if (total !== undefined && this.agentId !== undefined) this.totals.set(this.agentId, Number(total));
  }
}

function routeOf(outcome: TurnOutcome, returnsTo: string | undefined): string {
  switch (outcome.kind) {
    case 'transition':
      return targetOf(outcome.transition, returnsTo);
    case 'problem':
      return '(mistake)';
    case 'cancelled':
      return '(cancelled)';
    default:
      return assertNever(outcome);
  }
}

function targetOf(transition: Transition, returnsTo: string | undefined): string {
  if (transition.kind === 'result' && transition.verdict !== undefined) return targetOf(transition.verdict, undefined);
  if (transition.kind === 'result') return returnsTo === undefined ? '(result, terminated)' : `${returnsTo} (result)`;
  return `${'next' in transition ? transition.next : transition.target} (${transition.kind})`;
}

/** A prompt's conversation and the one that it continues; a script does not change the agent's. */
function sessionLines({ session: before }: TurnRequest['agent'], { session }: TurnReport): readonly string[] {
  if (session === undefined) return before === undefined ? [] : [`  session_id: ${before.id}`];
  return [`  session_id: ${session.id}${before === undefined ? '' : ` (resumed from ${before.id})`}`];
}

function detailsOf(agent: TurnRequest['agent'], outcome: TurnOutcome): readonly string[] {
  if (outcome.kind === 'cancelled') return [];
  if (outcome.kind === 'problem') return [`problem: ${describeProblem(outcome.problem)}`];
  const { transition } = outcome;
  switch (transition.kind) {
    case 'call':
    case 'function':
      return [`return: ${transition.return}`];
    case 'call-workflow':
    case 'function-workflow':
      return [`workflow: ${transition.scope.path}`, `return: ${transition.return}`];
    case 'reset-workflow':
      return [`workflow: ${transition.scope.path}`];
    case 'ask':
      return [`ask: ${askId(agent.id, agent.turn + 1)} ${payloadText(transition.prompt)}`];
    case 'result':
      return [`result: ${payloadText(transition.payload)}`];
    case 'fork':
      // The run skips ids that are in use: then these numbers are higher.
      if (transition.more !== undefined) return [`forked: ${transition.more.count} agents`];
      return transition.forks.map(({ target, workflow }, n) => {
        const short = workflow?.abbreviation ?? abbreviation(target);
        return `forked: ${forkedAgentId({ parent: agent.id, short, number: agent.forks + n + 1 })} at ${target}`;
      });
    default:
      return [];
  }
}

function payloadText(payload: Value): string {
  if (isArtifact(payload)) return `${payload.bytes} bytes, artifact ${payload.sha256}`;
  return JSON.stringify(clip(payload, MAX_PAYLOAD));
}

/** At least cents, at most millionths. */
function usd(amount: number): string {
  return `$${amount.toFixed(6).replace(/0{1,4}$/, '')}`;
}

function localTime(at: Date): string {
  const two = (number: number): string => String(number).padStart(2, '0');
  const day = [at.getFullYear(), two(at.getMonth() + 1), two(at.getDate())].join('-');
  return `${day} ${[at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join(':')}`;
}

/** No name may look like another entry. */
function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ');
}

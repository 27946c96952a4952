// A turn of a script state: the interpreter runs the file, its stdout is read for tags, a non-zero exit fails the agent.
// Must not retry: a script that fails has failed; only the loss of the worker starts another attempt.
import { dirname } from 'node:path';
import { Context } from '@temporalio/activity';
import { turnVariables } from '../protocol/environment.js';
import type { ProcessEnd } from '../launcher/client.js';
import type { Environment } from './claude/environment.js';
import { scriptEnvironment } from './claude/environment.js';
import { turnFailure } from './failure.js';
import { readOutcome } from './outcome.js';
import { pendingOf } from './pending.js';
import type { Ending } from './process.js';
import { runProcess } from './process.js';
import { interpreterOf } from './interpreter.js';
import { loadState, requireDirectory } from './state.js';
import type { LoadedState } from './state.js';
import { MAX_OUTPUT_BYTES, OutputTail, OutputText } from './output.js';
import { Spoken } from './spoken.js';
import { Turn } from './turn.js';
import type { TurnReport, TurnRequest } from './types.js';
import type { Workbench } from './workbench.js';

/** Runs one attempt of a script turn. */
export async function runScript(bench: Workbench, request: TurnRequest): Promise<TurnReport> {
  const turn = new Turn(bench, request, Context.current());
  return await turn.run(bench.scripts, () => attempt(turn));
}

async function attempt(turn: Turn): Promise<TurnReport> {
  const { agent } = turn.request;
  const state = await loadState(agent.scope, agent.state);
  await requireDirectory(agent.cwd);
  const environment = await environmentOf(turn, state);
  const stdout = new OutputText();
  const stderr = new OutputTail();
  const debug = turn.debug?.script(environment.env);
  const spoken = { stdout: new Spoken(turn), stderr: new Spoken(turn) };
  const ending = await runProcess(turn, {
    idleSeconds: turn.request.settings.idleSeconds ?? 0,
    maxSeconds: turn.request.settings.maxSeconds ?? 0,
    spec: {
      ...interpreterOf(state.path),
      cwd: agent.cwd,
      env: environment.env,
      marker: { turnId: turn.id, attempt: turn.attempt },
      children: 'keep',
      graceMs: turn.bench.settings.graceMs,
    },
    onOutput: (stream, chunk) => {
      if (stream === 'stdout') stdout.add(chunk);
      else stderr.add(chunk);
      spoken[stream].bytes(chunk);
      debug?.output(stream, chunk);
    },
  });
  debug?.ended(ending);
  return await report(turn, { state, ending, stdout, stderr, warnings: environment.warnings });
}

const TOO_MUCH = `the script printed more than ${MAX_OUTPUT_BYTES / 1024 ** 2} MiB, which is not read for tags; write it to a file`;

interface Finished {
  readonly state: LoadedState;
  readonly ending: Ending;
  readonly stdout: OutputText;
  readonly stderr: OutputTail;
  readonly warnings: readonly string[];
}

async function report(turn: Turn, { state, ending, stdout, stderr, warnings }: Finished): Promise<TurnReport> {
  const facts = { costUsd: 0, durationMs: Date.now() - turn.startedAt, stateSha256: state.sha256 };
  if (ending.kind === 'cancelled') return { ...facts, outcome: { kind: 'cancelled' } };
  const failed = stdout.overflowed ? TOO_MUCH : failureOf(ending);
  if (failed !== undefined) {
    const said = stderr.text() === '' ? '' : `\n${stderr.text()}`;
    throw turnFailure('ScriptFailed', `${turn.request.agent.id}, ${turn.request.agent.state}: ${failed}${said}`);
  }
  const { artifacts } = turn.bench;
  const read = await readOutcome(stdout.text(), { agent: turn.request.agent, artifacts });
  const all = [...warnings, ...read.warnings];
  for (const text of all) turn.tell({ kind: 'warned', text });
  turn.tell({ kind: 'ended', outcome: read.outcome, costUsd: 0, durationMs: facts.durationMs });
  return { ...facts, outcome: read.outcome, ...(all.length === 0 ? {} : { warnings: all }) };
}

function failureOf(ending: Ending): string | undefined {
  if (ending.kind === 'idle') return `ended after ${ending.seconds} s without output (timeout)`;
  if (ending.kind === 'overtime') return `ended after ${ending.seconds} s in all (max_time)`;
  return ending.kind === 'exited' ? exitFailure(ending.end) : undefined;
}

function exitFailure(end: ProcessEnd): string | undefined {
  switch (end.kind) {
    case 'exited':
      return end.code === 0 ? undefined : `the script ended with exit code ${end.code}`;
    case 'signalled':
      return `the script was ended by ${end.signal}`;
    case 'unstartable':
      return `the script cannot be started: ${end.message}`;
    default:
      return `the script was stopped (${end.kind})`;
  }
}

async function environmentOf(
  turn: Turn,
  state: LoadedState,
): Promise<{ env: Environment; warnings: readonly string[] }> {
  const { request, bench } = turn;
  const pending = await pendingOf(turn);
  const variables = turnVariables({
    runId: request.runId,
    agentId: request.agent.id,
    stateDir: dirname(state.path),
    stateFile: state.path,
    turnId: turn.id,
    attempt: turn.attempt,
    attributes: request.agent.attributes,
    via: request.agent.via,
    ...(pending === undefined ? {} : { pending }),
  });
  const { raymond, attributes, warnings } = variables;
  const clean = bench.settings.scriptEnv === 'clean' ? { clean: bench.settings.envPass } : {};
  return { env: scriptEnvironment({ inherited: bench.environment, raymond, attributes, ...clean }).env, warnings };
}

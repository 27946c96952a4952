// A turn of a script state: the interpreter runs the file, its stdout is read for tags, a non-zero exit fails the agent. A script that
// fails has failed; only the loss of the worker starts another attempt.
import type { OutputStream, ProcessEnd, ProcessSpec } from '../../launcher/client.js';
import { positionedHeader, PLATFORM, type LoadedState, type PositionedHeader } from '../../packages/state.js';
import { hostVariables, nameConflict } from '../../protocol/language/attribute-names.js';
import type { Variables } from '../../protocol/language/policy.js';
import type { SandboxPolicy } from '../../protocol/sandbox.js';
import { templateVariables, turnVariables, type PromptContext } from '../../protocol/language/variables.js';
import { forgetPrograms, interpreterOf, programPath, whyUnrunnable } from './interpreter.js';
import { Attempt } from '../attempt/attempt.js';
import { runOrContinue } from '../attempt/running-turn.js';
import { runChain } from './chain.js';
import { scriptEnvironment, type Environment } from '../environment/environment.js';
import { turnFailure } from '../failure.js';
import { pendingOf, taskFolder, requireDirectory, variableContext } from './files.js';
import { environmentInside, kept, sandboxOf, whyNotMade } from './sandbox.js';
import { requirePlaces, type StateNeeds } from '../slots/leases.js';
import { MAX_OUTPUT_BYTES, OutputTail, OutputText } from './output-text.js';
import { LiveOutput } from './output-listener.js';
import { readOutcome } from './outcome.js';
import { judgedOf } from './prompt-file.js';
import type { Ending } from './ending.js';
import { runProcess } from './process.js';
import type { TurnReport, TurnRequest } from '../../contract/turns.js';
import { registryDir, unpackedDir } from '../settings.js';
import type { WorkerContext } from '../worker-context.js';
import { defined, nonEmpty } from '../../protocol/text.js';
import { describeExceeded, type Exceeded } from '../../sandbox/index.js';

/** Runs a script turn, or continues the one that an earlier attempt has started here. */
export async function runScript(worker: WorkerContext, request: TurnRequest): Promise<TurnReport> {
  return await runOrContinue(worker, async (context) => {
    const attempt = new Attempt(worker, request, context);
    await requirePlaces(attempt, () => needsOf(attempt));
    return await runChain(attempt, { perform, needsOf });
  });
}

async function needsOf(attempt: Attempt): Promise<StateNeeds> {
  return { keys: settingsOf(attempt, await attempt.readState()).settings.limits ?? [] };
}

async function perform(attempt: Attempt): Promise<TurnReport> {
  const { agent } = attempt.request;
  const state = await attempt.loadState();
  const said = settingsOf(attempt, state);
  const folder = await taskFolder(attempt.worker.settings, attempt.request);
  const path = await state.realPath(unpackedDir(attempt.worker.settings));
  const pending = await pendingOf(attempt, { taskFolder: folder });
  const context = await variableContext(attempt, { path, folder, pending });
  const { policy, warnings: refused } = sandboxOf(attempt, said.settings.sandbox);
  if (policy !== undefined) await requireDirectory(agent.cwd);
  const environment = environmentOf(attempt, { path, folder, pending, context, policy });
  const stdout = new OutputText();
  const stderr = new OutputTail();
  const debug = attempt.debug?.script(environment.env);
  const printed = { stdout: new LiveOutput(attempt), stderr: new LiveOutput(attempt) };
  const { redactor } = attempt.worker;
  const shown = { stdout: redactor.stream(), stderr: redactor.stream() };
  const show = (stream: OutputStream, chunk: Buffer): void => {
    if (stream === 'stderr') stderr.add(chunk);
    printed[stream].bytes(chunk);
    debug?.output(stream, chunk);
  };
  const unrunnable = policy?.kind === 'container' ? undefined : await whyUnrunnable(path);
  if (unrunnable !== undefined) throw turnFailure('InvalidState', `${agent.id}, ${agent.state}: ${unrunnable}`);
  const { command, args } = interpreterOf(path);
  const spec: ProcessSpec = {
    // Found on the worker's own PATH: the script's PATH is for its own commands.
    command: programPath(command),
    args,
    cwd: agent.cwd,
    env: environment.env,
    marker: { turnId: attempt.turnId, attempt: attempt.attemptId },
    children: 'keep',
    graceMs: attempt.worker.settings.graceMs,
  };
  const inside = await insideOf(attempt, spec, { policy, path, folder, pending });
  const denied: string[] = [];
  const ending = await runProcess(attempt, {
    idleSeconds: said.settings.timeout ?? attempt.request.settings.idleSeconds ?? 0,
    maxSeconds: attempt.request.settings.maxSeconds ?? 0,
    maxBytes: attempt.worker.settings.scriptOutputBytes,
    ...(inside ?? { spec }),
    onOutput: (stream, chunk) => {
      if (stream === 'stdout') stdout.add(chunk);
      show(stream, shown[stream].push(chunk));
    },
  }).finally(async () => denied.push(...((await inside?.close()) ?? [])));
  for (const stream of ['stdout', 'stderr'] as const) show(stream, shown[stream].end());
  debug?.ended(ending);
  const warnings = [...said.warnings, ...environment.warnings, ...refused, ...denied];
  const variables = templateVariables(context);
  return await report(attempt, { state, folder, said, ending, policy, stdout, stderr, warnings, denied, variables });
}

/** The settings of the state: its package's manifest overrides the script's header. */
function settingsOf(
  attempt: Attempt,
  { text, settings, positionText }: LoadedState,
): Pick<Extract<PositionedHeader, { kind: 'header' }>, 'settings' | 'warnings' | 'hints'> {
  const { id, state } = attempt.request.agent;
  const header = positionedHeader(text, { file: state, positionText });
  if (header.kind === 'invalid') throw turnFailure('InvalidState', `${id}, ${state}: ${header.problems.join('\n')}`);
  return { ...header, settings: { ...header.settings, ...settings } };
}

const TOO_MUCH = `the script printed more than ${MAX_OUTPUT_BYTES / 1024 ** 2} MiB, which is not read for tags; write it to a file`;

interface ScriptEnd {
  readonly state: LoadedState;
  readonly folder: string;
  readonly said: ReturnType<typeof settingsOf>;
  readonly ending: Ending;
  readonly policy: SandboxPolicy | undefined;
  readonly stdout: OutputText;
  readonly stderr: OutputTail;
  readonly warnings: readonly string[];
  /** The warnings about what the sandbox refused. */
  readonly denied: readonly string[];
  readonly variables: Variables;
}

async function report(
  attempt: Attempt,
  { state, folder, said, ending, policy, stdout, stderr, warnings, denied, variables }: ScriptEnd,
): Promise<TurnReport> {
  const facts = { costUsd: 0, durationMs: Date.now() - attempt.startedAt, stateSha256: state.sha256 };
  if (ending.kind === 'cancelled') return { ...facts, outcome: { kind: 'cancelled' } };
  const exceeded = exceededOf(ending, policy);
  const failed =
    (exceeded && describeExceeded(exceeded)) ?? failureOf(ending) ?? (stdout.overflowed ? TOO_MUCH : undefined);
  if (failed !== undefined) {
    const { id, state: file } = attempt.request.agent;
    const message = [`${id}, ${file}: ${failed}`, ...said.hints, stderr.text()]
      .filter((line) => line !== '')
      .join('\n');
    const notMade = whyNotMade(attempt, ending, stderr.text());
    if (notMade !== undefined) throw turnFailure('NeedsPerson', `${id}, ${file}: ${notMade}`);
    const { retries } = said.settings;
    throw turnFailure(
      exceeded === undefined ? 'ScriptFailed' : 'LimitExceeded',
      message,
      retries === undefined ? {} : { retries },
    );
  }
  const { artifacts } = attempt;
  const { redactor, environment, settings } = attempt.worker;
  const cacheDir = registryDir(settings);
  const { agent } = attempt.request;
  const reading = {
    agent,
    ...judgedOf(attempt),
    artifacts,
    cacheDir,
    taskFolder: folder,
    redactor,
    environment,
    variables,
  };
  const read = await readOutcome(stdout.text(), reading);
  const all = [...warnings, ...read.warnings];
  for (const text of all) attempt.reportProgress({ kind: 'warned', text });
  attempt.reportProgress({ kind: 'ended', outcome: read.outcome, costUsd: 0, durationMs: facts.durationMs });
  return { ...facts, outcome: read.outcome, ...nonEmpty({ warnings: all, denied }) };
}

/** The shell reports the signal of a command in its exit code. */
const FILE_TOO_LARGE = 128 + 25;

/** The limit of its sandbox that ended it; the kernel kills a process that writes too large a file. */
function exceededOf(ending: Ending, policy: SandboxPolicy | undefined): Exceeded | undefined {
  if (ending.kind === 'limited') return ending.exceeded;
  if (ending.kind !== 'exited' || policy?.files === undefined) return undefined;
  const { end } = ending;
  const isTooLarge =
    end.kind === 'signalled' ? end.signal === 'SIGXFSZ' : end.kind === 'exited' && end.code === FILE_TOO_LARGE;
  return isTooLarge ? { limit: 'files', most: policy.files } : undefined;
}

function failureOf(ending: Ending): string | undefined {
  if (ending.kind === 'idle') return `stopped after ${ending.seconds} s without output (timeout)`;
  if (ending.kind === 'flooded')
    return `stopped because it printed more than ${ending.bytes / 1024 ** 2} MiB (script_output)`;
  if (ending.kind === 'overtime') return `stopped after ${ending.seconds} s in total (max_time)`;
  return ending.kind === 'exited' ? exitFailure(ending.end) : undefined;
}

function exitFailure(end: ProcessEnd): string | undefined {
  switch (end.kind) {
    case 'exited':
      return end.code === 0 ? undefined : `the script ended with exit code ${end.code}`;
    case 'signalled':
      return `the script was killed by ${end.signal}${end.signal === 'SIGXFSZ' ? ': a file exceeded the size limit (ulimit -f)' : ''}`;
    case 'unstartable':
      forgetPrograms();
      return `the script cannot be started: ${end.message}`;
    default:
      return `the script was stopped (${end.kind})`;
  }
}

/** The script's file, its agent's task folder, and its value. */
interface Given {
  readonly path: string;
  readonly folder: string;
  readonly pending: Awaited<ReturnType<typeof pendingOf>>;
  readonly context: PromptContext;
  readonly policy: SandboxPolicy | undefined;
}

/** The process in its sandbox; undefined without one. */
async function insideOf(
  attempt: Attempt,
  spec: ProcessSpec,
  { policy, path, folder, pending }: Omit<Given, 'context'>,
): Promise<Awaited<ReturnType<typeof kept>> | undefined> {
  if (policy === undefined) return undefined;
  const temporary = pending === undefined ? undefined : await attempt.temporaryFolder();
  return await kept(attempt, spec, { policy, stateFile: path, taskFolder: folder, ...defined({ temporary }) });
}

function environmentOf(
  attempt: Attempt,
  { path, folder, pending, context: { agent }, policy }: Given,
): { env: Environment; warnings: readonly string[] } {
  const { request, worker } = attempt;
  const host = hostVariables(worker.environment, PLATFORM);
  const variables = turnVariables({
    ...attempt.names({ stateFile: path, taskFolder: folder }),
    ...askOf(request),
    attributes: agent.attributes,
    conflictOf: (name) => nameConflict(name, host),
    via: request.agent.via,
    ...defined({ pending }),
  });
  const { raymond, warnings } = variables;
  const attributes = { ...request.settings.environment, ...variables.attributes };
  const clean = worker.settings.scriptEnv === 'clean' ? { clean: worker.settings.envPass } : {};
  const passed = policy === undefined ? clean : { clean: policy.env };
  const own = { ...raymond, ...attempt.watched };
  const { env } = scriptEnvironment({ inherited: worker.environment, raymond: own, attributes, ...passed });
  return {
    env: policy === undefined ? env : environmentInside(env, { policy, inherited: worker.environment }),
    warnings,
  };
}

function askOf({ agent: { pending } }: TurnRequest): { readonly askId?: string } {
  return pending?.askId === undefined ? {} : { askId: pending.askId };
}

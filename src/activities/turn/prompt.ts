// A turn of a prompt state: the prompt rendered, a backend run on a fork of the agent's conversation, its answer read for tags.
// Only the cost of a failed attempt remains; the agent's session changes only by the result of this function (invariant I3). A mistake in the
// state's file ends the turn before anything is spent.
import { CancelledFailure } from '@temporalio/activity';
import type { Backend, BackendCommand, BackendContext, BackendEnd, OutputReader } from '../../backends/backend.js';
import type { ProcessSpec } from '../../launcher/client.js';
import type { LoadedState } from '../../packages/state.js';
import { renderPrompt, templateVariables } from '../../protocol/language/variables.js';
import { endsWithResult, type BackendName, type JsonObject, type Rules } from '../../protocol/language/policy.js';
import { deniedText, reminderText, notesText, resultText } from '../../protocol/language/reminder.js';
import { claimJournal } from '../spending/claims.js';
import { claimAccount, limitOf, withAccount } from './account.js';
import { Attempt } from '../attempt/attempt.js';
import { runOrContinue } from '../attempt/running-turn.js';
import { asTurnFailure, turnFailure, withDetails } from '../failure.js';
import { pendingOf, taskFolder, requireDirectory, variableContext } from './files.js';
import { confinePrompt, keptPrompt, sandboxOf, whyNotMade, type ConfinedPrompt } from './sandbox.js';
import { requirePlaces } from '../slots/leases.js';
import { OutputTail } from './output-text.js';
import { Listener } from './output-listener.js';
import { readOutcome } from './outcome.js';
import type { Ending } from './ending.js';
import { runProcess } from './process.js';
import { environmentOf } from '../environment/prompt-environment.js';
import {
  accountsNamed,
  backendOf,
  evaluatorOf,
  judgedOf,
  promptFile,
  promptNeeds,
  resultCheck,
} from './prompt-file.js';
import {
  removeEarlierJournals,
  removeReported,
  journalFile,
  lostSpending,
  markReported,
  unreportedUsd,
} from '../spending/spending.js';
import type { TurnReport, TurnRequest } from '../../contract/turns.js';
import { registryDir, unpackedDir } from '../settings.js';
import type { WorkerContext } from '../worker-context.js';
import { defined, nonEmpty } from '../../protocol/text.js';
import { describeExceeded } from '../../sandbox/index.js';

/** Runs a prompt turn, or continues the one that an earlier attempt has started here. */
export async function runPrompt(worker: WorkerContext, request: TurnRequest): Promise<TurnReport> {
  return await runOrContinue(worker, async (context) => {
    const attempt = new Attempt(worker, request, context);
    await requirePlaces(attempt, () => promptNeeds(attempt));
    if (worker.accounts.all.length > 0) claimAccount(attempt, await accountsNamed(attempt));
    return await attempt.run(worker.prompts, () => perform(attempt));
  });
}

async function perform(attempt: Attempt): Promise<TurnReport> {
  const { agent } = attempt.request;
  const state = await attempt.loadState();
  await requireDirectory(agent.cwd);
  const prepared = await prepare(attempt, state);
  await discardEarlier(attempt, prepared);
  await removeEarlierJournals(attempt);
  const result = await runBackend(attempt, prepared);
  attempt.spending = result.read.spending;
  const lostUsd = await unreportedUsd(attempt);
  attempt.lost = lostSpending(attempt, lostUsd);
  const costUsd = result.read.costUsd + lostUsd;
  // In parallel with storing the conversation, because each waits for the disk. A marked journal counts as long as this activity is open.
  const marked = markReported(attempt);
  marked.catch(() => undefined); // Thrown below.
  try {
    return await conclude(attempt, { state, prepared, result, costUsd });
  } catch (error) {
    if (error instanceof CancelledFailure) return await abandonTurn(attempt, { state, prepared, costUsd });
    // Errors after the answer do not change its cost.
    throw withDetails(asTurnFailure(error, agent), { costUsd });
  } finally {
    await marked;
    if (!attempt.isOnHostQueue) attempt.worker.receipts.await(attempt.context, () => removeReported(attempt));
  }
}

/** The answer could not be stored before the turn was cancelled or the worker stopped. */
async function abandonTurn(
  attempt: Attempt,
  { state, prepared, costUsd }: Pick<ConcludeOptions, 'state' | 'prepared' | 'costUsd'>,
): Promise<TurnReport> {
  await prepared.backend.discard(prepared.sessionId, prepared.location);
  // On a host's own queue, no other host would retry it and find its spending.
  const details = attempt.isOnHostQueue ? { costUsd } : {};
  if (!attempt.isCancelled)
    throw turnFailure('WorkerLost', 'the worker was shut down while it waited for the store', details);
  const durationMs = Date.now() - attempt.startedAt;
  return { outcome: { kind: 'cancelled' }, costUsd, durationMs, stateSha256: state.sha256 };
}

async function discardEarlier({ activityKey, context }: Attempt, { location, backend }: PreparedPrompt): Promise<void> {
  for (let number = 1; number < context.info.attempt; number += 1)
    await backend.discard(backend.sessionId(`${activityKey}-${number}`), location);
}

function specOf(attempt: Attempt, command: BackendCommand, { env, cwd }: BackendContext): ProcessSpec {
  const { turnId, attemptId, worker } = attempt;
  const marker = { turnId, attempt: attemptId };
  const { graceMs } = worker.settings;
  return { ...command, cwd, env, marker, journal: journalFile(attempt), children: 'sweep', graceMs };
}

interface BackendResult {
  readonly read: OutputReader;
  readonly ending: Ending;
  readonly stderr: string;
  /** What the sandbox did not allow, each a sentence. */
  readonly denied: readonly string[];
}

async function runBackend(
  attempt: Attempt,
  {
    prompt,
    location,
    sessionId,
    backend,
    schema,
    rules: { policy },
    confined,
    path,
    taskFolder: folder,
  }: PreparedPrompt,
): Promise<BackendResult> {
  const { settings } = attempt.worker;
  const { agent, allowanceUsd, settings: requested } = attempt.request;
  const listener = new Listener(attempt, backend);
  const stderr = new OutputTail();
  const redacted = attempt.worker.redactor.stream();
  const effort = policy.effort ?? requested.effort;
  const model = policy.model ?? requested.model;
  const { id: agentId, state, attributes } = agent;
  const denied: string[] = [];
  const command = await backend.command({
    asker: { runId: attempt.request.runId, agentId, state, attributes },
    sessionId,
    prompt,
    ...location,
    artifacts: attempt.artifacts,
    permissions: requested.permissions,
    temporaryFolder: () => attempt.temporaryFolder(),
    ...defined({ session: agent.session, model, effort, budgetUsd: allowanceUsd, schema }),
  });
  await claimJournal(attempt);
  const spec = specOf(attempt, command, location);
  const inside =
    confined === undefined
      ? undefined
      : await keptPrompt(attempt, spec, { ...confined, stateFile: path, taskFolder: folder });
  const ending = await runProcess(attempt, {
    idleSeconds: policy.timeout ?? requested.idleSeconds ?? settings.promptIdleSeconds,
    maxSeconds: requested.maxSeconds ?? 0,
    maxBytes: settings.promptOutputBytes,
    enough: listener.enough,
    ...(inside ?? { spec }),
    onOutput: (stream, chunk) => {
      if (stream === 'stdout') listener.write(chunk);
      else stderr.add(redacted.push(chunk));
    },
  }).finally(async () => denied.push(...((await inside?.close()) ?? [])));
  stderr.add(redacted.end());
  return { read: listener.finish(), ending, stderr: stderr.text(), denied };
}

interface ConcludeOptions {
  readonly state: LoadedState;
  readonly prepared: PreparedPrompt;
  readonly result: BackendResult;
  readonly costUsd: number;
}

async function conclude(attempt: Attempt, { state, prepared, result, costUsd }: ConcludeOptions): Promise<TurnReport> {
  const { agent } = attempt.request;
  const { artifacts } = attempt;
  const { redactor, environment } = attempt.worker;
  const { backend, location } = prepared;
  const { read, ending, stderr, denied } = result;
  const facts = { costUsd, durationMs: Date.now() - attempt.startedAt, stateSha256: state.sha256 };
  if (ending.kind === 'cancelled') {
    await backend.discard(prepared.sessionId, location);
    return { ...facts, outcome: { kind: 'cancelled' } };
  }
  const ended = { end: endOf(ending), stderr, now: new Date(), redact: <T>(value: T): T => redactor.all(value) };
  const verdict = read.judge(ended);
  if (verdict.kind === 'failed') {
    await backend.discard(prepared.sessionId, location);
    const where = `${agent.id}, ${agent.state}`;
    if (ending.kind === 'limited')
      throw turnFailure('LimitExceeded', `${where}: ${describeExceeded(ending.exceeded)}`, { costUsd });
    const notMade = whyNotMade(attempt, ending, stderr);
    if (notMade !== undefined) throw turnFailure('NeedsPerson', `${where}: ${notMade}`, { costUsd });
    throw turnFailure(verdict.type, `${where}: ${verdict.message}`, { costUsd, ...limitOf(attempt, verdict) });
  }
  const { rules } = prepared;
  const kept = await backend.keep(prepared.sessionId, { ...location, artifacts });
  const { backendName } = prepared;
  const marks = { model: rules.policy.model, backend: backendName === 'claude' ? undefined : backendName };
  const session = { ...kept, ...defined(marks) };
  const { outcome, warnings } = await readOutcome(read.text, {
    agent,
    ...judgedOf(attempt),
    artifacts,
    cacheDir: registryDir(attempt.worker.settings),
    taskFolder: prepared.taskFolder,
    rules,
    variables: rules.variables,
    ...(rules.result === undefined ? {} : defined({ structured: read.structured })),
    redactor,
    environment,
  });
  const all = [...prepared.warnings, ...read.warnings, ...denied, ...warnings];
  for (const text of all) attempt.reportProgress({ kind: 'warned', text });
  attempt.reportProgress({ kind: 'ended', outcome, costUsd, durationMs: facts.durationMs });
  return { ...facts, session, outcome, ...nonEmpty({ warnings: all, denied }) };
}

function endOf(ending: Exclude<Ending, { kind: 'cancelled' }>): BackendEnd {
  if (ending.kind === 'limited') return { kind: 'stopped' };
  if (ending.kind !== 'exited') return ending;
  const { end } = ending;
  // A lost launcher has thrown before.
  return end.kind === 'lost' ? { kind: 'stopped' } : end;
}

/** A prompt turn that is ready to start. */
interface PreparedPrompt {
  readonly prompt: string;
  readonly rules: Rules;
  readonly taskFolder: string;
  readonly location: BackendContext;
  readonly sessionId: string;
  readonly backend: Backend;
  readonly backendName: BackendName;
  /** The schema that the backend itself asks for. */
  readonly schema?: JsonObject;
  /** The file of the state. */
  readonly path: string;
  /** Its sandbox; absent = none. */
  readonly confined?: ConfinedPrompt;
  readonly warnings: readonly string[];
}

/** Prepares the turn. Throws `InvalidState` with every mistake of the frontmatter. */
async function prepare(attempt: Attempt, state: LoadedState): Promise<PreparedPrompt> {
  const { agent, reminder } = attempt.request;
  const { body, policy, warnings } = await promptFile(attempt, state);
  const { name: backendName, options } = await backendOf(attempt, policy);
  const sandbox = sandboxOf(attempt, policy.sandbox);
  const backend = attempt.worker.backends.named(backendName);
  const folder = await taskFolder(attempt.worker.settings, attempt.request);
  const pending = await pendingOf(attempt, { taskFolder: folder });
  const path = await state.realPath(unpackedDir(attempt.worker.settings));
  const context = await variableContext(attempt, { path, folder, pending });
  const rendered = renderPrompt(body, context);
  const result = await resultCheck(attempt, { state, policy });
  const evaluator = policy.evaluation && evaluatorOf(policy.evaluation);
  const rules: Rules = { policy, variables: templateVariables(context), ...defined({ result, evaluator }) };
  const schema = backend.asksForResults && endsWithResult(policy) ? asked(result?.schema) : undefined;
  const before = notesText(await notesOf(attempt)) + deniedText(agent.denied ?? []);
  const appended = (schema === undefined ? resultText(rules) : '') + reminded(reminder, rules);
  // An `@path` from a value or a model must not read files for its author.
  const values = { ...context.agent.attributes, input: pending?.text ?? '', result: pending?.text ?? '' };
  const added = `${before}${appended}`;
  const mentions = added.includes('@') || mentionsCameIn(rendered.used, values) ? 'off' : 'on';
  const envPass = sandbox.policy?.env;
  const passed = await environmentOf(attempt, { path, folder, mentions, backendName, ...defined({ envPass }) });
  const env = backend.usesAccounts ? await withAccount(attempt, { env: passed, named: policy.accounts }) : passed;
  const confined =
    sandbox.policy === undefined ? undefined : await confinePrompt(attempt, { policy: sandbox.policy, backend, env });
  return {
    prompt: before + rendered.text + appended,
    rules,
    taskFolder: folder,
    location: {
      env: confined?.env ?? env,
      cwd: agent.cwd,
      ...defined({ options }),
    },
    backend,
    backendName,
    path,
    ...defined({ schema, confined }),
    sessionId: backend.sessionId(attempt.attemptId),
    warnings: [...warnings, ...rendered.warnings, ...sandbox.warnings],
  };
}

async function notesOf({
  artifacts,
  request: { operatorNotes = [] },
}: Attempt): Promise<Parameters<typeof notesText>[0]> {
  return await Promise.all(operatorNotes.map(async ({ text, by }) => ({ text: await artifacts.text(text), by })));
}

/** A model can be asked for objects only. */
function asked(schema: JsonObject | undefined): JsonObject | undefined {
  return schema?.['type'] === 'object' ? schema : undefined;
}

function reminded(reminder: TurnRequest['reminder'], rules: Rules): string {
  return reminder === undefined ? '' : reminderText(reminder.problem, rules);
}

function mentionsCameIn(used: readonly string[], values: Readonly<Record<string, string>>): boolean {
  return used.some((name) => (values[name] ?? values[name.replace(/\..*$/s, '')])?.includes('@') === true);
}

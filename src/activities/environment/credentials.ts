// The command of an account. It runs on the worker with the worker's environment and prints the
// account's variables, as one JSON object or as lines NAME=VALUE.
import { jsonOf } from '../../protocol/text.js';
import { OutputTail, OutputText } from '../turn/output-text.js';
import type { Environment } from './environment.js';
import { turnFailure } from '../failure.js';
import type { Launcher, ProcessEnd } from '../../launcher/client.js';
import type { WorkerContextSettings } from '../settings.js';
import type { TurnRequest } from '../../contract/turns.js';
import type { Redactor } from './redact.js';

/** The attempt that needs an account, and its worker. */
export interface AccountUser {
  readonly worker: {
    readonly launcher: Launcher;
    readonly redactor: Redactor;
    readonly environment: Environment;
    readonly settings: Pick<WorkerContextSettings, 'raymondDir'>;
  };
  readonly attemptId: string;
  readonly turnId: string;
  readonly request: TurnRequest;
}

/** How long a command may take. */
const LONGEST_MS = 30_000;

/** Runs it. Throws `NoCredentials`. */
export async function readCredentials(
  { worker, attemptId, turnId, request }: AccountUser,
  { name, command }: { readonly name: string; readonly command: string },
): Promise<Environment> {
  const [stdout, stderr] = [new OutputText(), new OutputTail(1000)];
  const env = { ...worker.environment, RAYMOND_TURN_ID: turnId, RAYMOND_ATTEMPT: attemptId };
  const marker = { turnId, attempt: attemptId };
  const spec = { command: 'sh', args: ['-c', command], cwd: worker.settings.raymondDir, env, marker, graceMs: 1000 };
  const process = worker.launcher.run({ ...spec, children: 'sweep' }, (stream, chunk) =>
    (stream === 'stdout' ? stdout : stderr).add(chunk),
  );
  const timer = setTimeout(() => void process.stop(), LONGEST_MS);
  const end = await process.ended;
  clearTimeout(timer);
  const variables = hasEnded(end) ? parseCredentials(stdout.text()) : undefined;
  if (variables !== undefined) return variables;
  const why = hasEnded(end) ? 'prints neither a JSON object of strings nor lines NAME=VALUE' : `failed (${howOf(end)})`;
  const said = worker.redactor.text(stderr.text());
  const { id, state } = request.agent;
  const what = `the command of the account ${name} ${why}; correct accounts in the config, or the service that the command calls`;
  throw turnFailure('NoCredentials', [`${id}, ${state}: ${what}`, said].filter((line) => line !== '').join('\n'));
}

function hasEnded(end: ProcessEnd): boolean {
  return end.kind === 'exited' && end.code === 0;
}

function howOf(end: ProcessEnd): string {
  if (end.kind === 'exited') return `exit code ${end.code}`;
  return end.kind === 'signalled' ? end.signal : end.kind;
}

/** The variables in the output of a command; undefined when it contains none. */
function parseCredentials(text: string): Environment | undefined {
  const trimmed = text.trim();
  const found = trimmed.startsWith('{') ? fromJson(trimmed) : fromLines(trimmed);
  const isUsable = found.length > 0 && found.every(([name, value]) => NAME.test(name) && typeof value === 'string');
  return isUsable ? (Object.fromEntries(found) as Environment) : undefined;
}

const NAME = /^[A-Za-z_]\w*$/;

function fromJson(text: string): readonly (readonly [string, unknown])[] {
  return Object.entries(jsonOf(text) ?? {}); // The failure reports the expected form.
}

function fromLines(text: string): readonly (readonly [string, unknown])[] {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '');
  return lines.map((line) => {
    const [, name = '', value] = /^(?:export\s+)?([^=\s]+)=(.*)$/.exec(line.trim()) ?? [];
    return [name, value?.replace(/^(["'])(.*)\1$/, '$2')] as const;
  });
}

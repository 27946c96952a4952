// The keys of a bucket: from the usual AWS variables, or from a command that prints them as JSON, asked again before they expire.
import { hostname } from 'node:os';
import { errorCode } from '../host/files.js';
import { defined } from '../protocol/text.js';
import { StoreRefused, StoreUnreachable } from './store.js';

/** What requests are signed with. */
export interface Keys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** Keys that expire at some time (epoch milliseconds), or never. */
interface PassingKeys extends Keys {
  readonly expiresAt?: number;
}

/** Where keys come from: the environment, or the shell command `command`, called in the folder `cwd`. */
export interface KeySource {
  readonly env: NodeJS.ProcessEnv;
  readonly command?: string;
  readonly cwd: string;
}

/** So long before they expire, keys are asked for anew. */
const EARLY_MS = 60_000;

const COMMAND_MS = 60_000;

/** Keys, as often as they are needed. */
export class Credentials {
  private known: Promise<PassingKeys> | undefined;

  constructor(private readonly source: KeySource) {}

  /** Throws `StoreRefused` when there are none, `StoreUnreachable` when the command gives none now. */
  async get(): Promise<Keys> {
    const { command, env } = this.source;
    if (command === undefined) return keysIn(env);
    const { known } = this;
    if (known !== undefined) {
      const { expiresAt, ...keys } = await known;
      if (expiresAt === undefined || expiresAt - EARLY_MS > Date.now()) return keys;
      // Somebody else may have asked meanwhile.
      if (this.known === known) this.forget();
    }
    const asked = (this.known ??= this.ask(command));
    try {
      const { expiresAt: _soon, ...keys } = await asked;
      return keys;
    } catch (error) {
      if (this.known === asked) this.forget();
      throw error;
    }
  }

  /** The service does not take them any more. */
  forget(): void {
    this.known = undefined;
  }

  private async ask(command: string): Promise<PassingKeys> {
    const { execa } = await import('execa');
    const { cwd, env } = this.source;
    const options = { shell: true, cwd, env, extendEnv: false, timeout: COMMAND_MS, stdin: 'ignore' } as const;
    const { failed, stdout, stderr, exitCode, timedOut, cause } = await execa(command, { ...options, reject: false });
    if (failed) {
      const ended = timedOut
        ? `took longer than ${COMMAND_MS / 1000} s`
        : `ended with exit ${exitCode ?? errorCode(cause) ?? '?'}`;
      const said = stderr.trim().split('\n').at(-1)?.slice(0, 300) ?? '';
      const message = `host ${hostname()}: the command of s3_credentials ${ended}${said === '' ? '' : `: ${said}`}; correct it in the config`;
      throw new StoreUnreachable(message);
    }
    return await keysOf(stdout);
  }
}

function keysIn(env: NodeJS.ProcessEnv): Keys {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey, AWS_SESSION_TOKEN: token } = env;
  if (!accessKeyId || !secretAccessKey) {
    const todo =
      'set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or name a command that prints them as s3_credentials';
    throw new StoreRefused('NoKeys', `host ${hostname()}: there are no keys for the bucket; ${todo}`);
  }
  return { accessKeyId, secretAccessKey, ...(token ? { sessionToken: token } : {}) };
}

/** The keys in what a command has printed, in the form that AWS calls `credential_process`. */
async function keysOf(text: string): Promise<PassingKeys> {
  const { z } = await import('zod');
  const form = z.object({
    AccessKeyId: z.string().min(1),
    SecretAccessKey: z.string().min(1),
    SessionToken: z.string().min(1).optional(),
    Expiration: z.iso.datetime({ offset: true }).optional(),
  });
  const { data } = form.safeParse(json(text));
  if (data === undefined) {
    // What it has printed may be a secret.
    const what = 'a JSON object with AccessKeyId and SecretAccessKey, and perhaps SessionToken and Expiration';
    throw new StoreRefused('NoKeys', `host ${hostname()}: the command of s3_credentials did not print ${what}`);
  }
  const { AccessKeyId: accessKeyId, SecretAccessKey: secretAccessKey, SessionToken: sessionToken, Expiration } = data;
  const expiresAt = Expiration === undefined ? undefined : Date.parse(Expiration);
  return { accessKeyId, secretAccessKey, ...defined({ sessionToken, expiresAt }) };
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // the caller says what was expected
  }
}

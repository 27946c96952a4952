// The keys of a bucket: from the usual AWS variables, or from a command that prints them as JSON, called again before
// they expire.
import { hostname } from 'node:os';
import { errorCode } from '../host/files.js';
import { defined } from '../protocol/text.js';
import { StoreRefused, StoreUnreachable } from './store.js';

/** What signs requests. */
export interface Keys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** Keys that expire at some time (epoch milliseconds), or never. */
interface PassingKeys extends Keys {
  readonly expiresAt?: number;
}

/** The source of keys: the environment, or the shell command `command`, called in the folder `cwd`. */
export interface KeySource {
  readonly env: NodeJS.ProcessEnv;
  readonly command?: string;
  readonly cwd: string;
}

/** How long before their expiry keys are renewed. */
const EARLY_MS = 60_000;

const COMMAND_MS = 60_000;

/** Current keys. */
export class Credentials {
  private known: Promise<PassingKeys> | undefined;

  constructor(private readonly source: KeySource) {}

  /** Throws `StoreRefused` without any keys, `StoreUnreachable` when the command fails now. */
  async get(): Promise<Keys> {
    const { command, env } = this.source;
    if (command === undefined) return keysIn(env);
    const { known } = this;
    if (known !== undefined) {
      const { expiresAt, ...keys } = await known;
      if (expiresAt === undefined || expiresAt - EARLY_MS > Date.now()) return keys;
      // Another caller may have renewed them meanwhile.
      if (this.known === known) this.forget();
    }
    const pending = (this.known ??= this.ask(command));
    try {
      const { expiresAt: _soon, ...keys } = await pending;
      return keys;
    } catch (error) {
      if (this.known === pending) this.forget();
      throw error;
    }
  }

  /** The service rejects them. */
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
    const todo = 'set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or set s3_credentials to a command that prints them';
    throw new StoreRefused('NoKeys', `host ${hostname()}: there are no keys for the bucket; ${todo}`);
  }
  return { accessKeyId, secretAccessKey, ...(token ? { sessionToken: token } : {}) };
}

/** Parses the output of a command, in the format of AWS's `credential_process`. */
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
    // Its output may be a secret.
    const what = 'a JSON object with AccessKeyId and SecretAccessKey, and optionally SessionToken and Expiration';
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
    return undefined; // The caller reports the expected form.
  }
}

// The keys of a bucket: from a command that prints them as JSON, from the usual AWS variables, or from what AWS's own
// chain finds: profiles, single sign-on, the roles of containers, pods and machines.
import { hostname } from 'node:os';
import type { S3ClientConfig } from '@aws-sdk/client-s3';
import { errorCode } from '../host/files.js';
import { defined, jsonOf } from '../protocol/text.js';
import { StoreRefused, StoreUnreachable } from './store.js';

type Keys = Exclude<NonNullable<S3ClientConfig['credentials']>, (...words: never) => unknown>;

/** The source of keys: the environment, or the shell command `command`, called in the folder `cwd`. */
export interface KeySource {
  readonly env: NodeJS.ProcessEnv;
  readonly command?: string;
  readonly cwd: string;
}

const COMMAND_MS = 60_000;

/** What AWS's client is given for keys; it calls for new ones a few minutes before they expire. */
export function keyOptions({ env, command, cwd }: KeySource): Pick<S3ClientConfig, 'credentials' | 'profile'> {
  if (command !== undefined) return { credentials: async () => await askCommand(command, { env, cwd }) };
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey, AWS_SESSION_TOKEN: token } = env;
  if (accessKeyId && secretAccessKey)
    return { credentials: { accessKeyId, secretAccessKey, ...(token ? { sessionToken: token } : {}) } };
  return defined({ profile: env['AWS_PROFILE'] });
}

/** Throws `StoreUnreachable` when the command fails, which may pass. */
async function askCommand(command: string, { env, cwd }: Pick<KeySource, 'env' | 'cwd'>): Promise<Keys> {
  const { execa } = await import('execa');
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

/** Parses the output of a command, in the format of AWS's `credential_process`. */
async function keysOf(text: string): Promise<Keys> {
  const { z } = await import('zod');
  const form = z.object({
    AccessKeyId: z.string().min(1),
    SecretAccessKey: z.string().min(1),
    SessionToken: z.string().min(1).optional(),
    Expiration: z.iso.datetime({ offset: true }).optional(),
  });
  const { data } = form.safeParse(jsonOf(text));
  if (data === undefined) {
    // Its output may be a secret.
    const what = 'a JSON object with AccessKeyId and SecretAccessKey, and optionally SessionToken and Expiration';
    throw new StoreRefused('NoKeys', `host ${hostname()}: the command of s3_credentials did not print ${what}`);
  }
  const { AccessKeyId: accessKeyId, SecretAccessKey: secretAccessKey, SessionToken: sessionToken, Expiration } = data;
  const expiration = Expiration === undefined ? undefined : new Date(Expiration);
  return { accessKeyId, secretAccessKey, ...defined({ sessionToken, expiration }) };
}

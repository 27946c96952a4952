// Claude Code in a sandbox: a folder of its own instead of the user's, with what may come in, and its way to the API.
// Credentials stay outside. Measured with CLI 2.1.329: it sends all requests of the model through the socket that
// ANTHROPIC_UNIX_SOCKET names, in plain HTTP when ANTHROPIC_BASE_URL is one of HTTP.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { exists, makePrivateFolder } from '../../host/files.js';
import { MAX_BYTES, readPlainText } from '../../host/plain-file.js';
import { jsonOf } from '../../protocol/text.js';
import type { BindMount } from '../../sandbox/index.js';
import type { ConfineRequest, Confined } from '../backend.js';
import { folderOf } from '../home.js';
import { CLAUDE_HOME } from './sessions.js';

type Environment = Readonly<Record<string, string>>;
type Json = Readonly<Record<string, unknown>>;

/** What of the user's folder is read inside. Settings come in as a copy without credentials. */
const READ = ['CLAUDE.md', 'agents', 'commands', 'hooks', 'output-styles', 'plugins', 'rules', 'skills'];

/** The variables that hold credentials or lead to the API: the relay has them instead. */
const OUTSIDE = [
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_AUTH_TOKEN',
  'ANTHROPIC_BASE_URL',
  'ANTHROPIC_CUSTOM_HEADERS',
  'ANTHROPIC_UNIX_SOCKET',
  'CLAUDE_CODE_OAUTH_TOKEN',
];
const OTHER_CLOUDS = /^CLAUDE_CODE_USE_/;
const OAUTH_BETA = 'oauth-2025-04-20';

/** Prepares the turn. */
export async function confine({ env, folder, socket }: ConfineRequest): Promise<Confined> {
  const home = folderOf(CLAUDE_HOME, env);
  const settings = home === undefined ? {} : await readJson(join(home, 'settings.json'));
  const account = await readJson(accountFile(env));
  const all = { ...env, ...texts(settings['env']) };
  const cloud = Object.keys(all).find(
    (name) => OTHER_CLOUDS.test(name) && /^(?:1|true|yes|on)$/i.test(all[name] ?? ''),
  );
  if (cloud !== undefined)
    return refused(`${cloud} is set, and a sandboxed prompt reaches only Anthropic's API or a gateway like it`);
  const credential = await credentialOf(all, { home, account });
  if (credential === undefined) {
    const helper = settings['apiKeyHelper'] === undefined ? '' : ' (an apiKeyHelper is not run for it)';
    return refused(`it has no credential for the model${helper}; set ANTHROPIC_API_KEY, or log in with: claude`);
  }
  const inside = join(folder, 'claude');
  await makePrivateFolder(inside);
  await writeJson(join(inside, 'settings.json'), withoutCredentials(settings));
  await writeJson(join(inside, '.claude.json'), { hasCompletedOnboarding: true, mcpServers: account['mcpServers'] });
  return {
    kind: 'confined',
    env: {
      ...withoutOutside(env),
      CLAUDE_CONFIG_DIR: inside,
      ANTHROPIC_UNIX_SOCKET: socket,
      // The host is never looked up: all requests go through the socket.
      ANTHROPIC_BASE_URL: 'http://127.0.0.1:1',
      ANTHROPIC_API_KEY: 'kept-outside-the-sandbox',
      IS_SANDBOX: '1',
    },
    files: home === undefined ? [] : await filesFor(home, inside),
    access: {
      url: all['ANTHROPIC_BASE_URL'] || 'https://api.anthropic.com',
      headers: { ...customHeaders(all['ANTHROPIC_CUSTOM_HEADERS']), ...credential },
      ownHeaders: ['authorization', 'x-api-key'],
      allowed: ['POST /v1/messages', 'POST /v1/messages/count_tokens', 'HEAD /'],
    },
  };
}

function refused(why: string): Confined {
  return { kind: 'refused', why };
}

/** The user's own files as they appear in the folder inside; hooks also where the settings name them. */
async function filesFor(home: string, inside: string): Promise<readonly BindMount[]> {
  const there = await Promise.all(READ.map(async (name) => ((await exists(join(home, name))) ? [name] : [])));
  return there.flat().flatMap((name) => {
    const source = join(home, name);
    const copied = { source, path: join(inside, name) };
    return name === 'hooks' ? [copied, { source, path: source }] : [copied];
  });
}

/** The order in which Claude Code looks. */
async function credentialOf(
  env: Environment,
  { home, account }: { readonly home: string | undefined; readonly account: Json },
): Promise<Readonly<Record<string, string>> | undefined> {
  const { ANTHROPIC_AUTH_TOKEN: token, ANTHROPIC_API_KEY: key, CLAUDE_CODE_OAUTH_TOKEN: oauth } = env;
  if (token) return { authorization: `Bearer ${token}` };
  if (key) return { 'x-api-key': key };
  if (oauth) return bearer(oauth);
  const login = home === undefined ? {} : await readJson(join(home, '.credentials.json'));
  const { accessToken } = (login['claudeAiOauth'] ?? {}) as { readonly accessToken?: unknown };
  if (typeof accessToken === 'string') return bearer(accessToken);
  const { primaryApiKey } = account;
  return typeof primaryApiKey === 'string' ? { 'x-api-key': primaryApiKey } : undefined;
}

function bearer(token: string): Readonly<Record<string, string>> {
  return { authorization: `Bearer ${token}`, 'anthropic-beta': OAUTH_BETA };
}

/** One `Name: value` a line. */
function customHeaders(lines = ''): Readonly<Record<string, string>> {
  const entries = lines.split('\n').flatMap((line) => {
    const [, name, value] = /^\s*([\w-]+)\s*:\s*(.*?)\s*$/.exec(line) ?? [];
    return name === undefined || value === undefined ? [] : [[name.toLowerCase(), value] as const];
  });
  return Object.fromEntries(entries);
}

function withoutCredentials({ apiKeyHelper: _helper, env, ...settings }: Json): Json {
  return { ...settings, cleanupPeriodDays: 3650, env: withoutOutside(texts(env)) };
}

function withoutOutside(env: Environment): Environment {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !OUTSIDE.includes(name)));
}

/** Claude Code keeps the user's account beside its folder, or in the one that its variable names. */
function accountFile(env: Environment): string {
  const folder = env[CLAUDE_HOME.variable] || env['HOME'] || env['USERPROFILE'] || '/nonexistent';
  return join(folder, '.claude.json');
}

function texts(value: unknown): Environment {
  const entries = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}

async function readJson(file: string): Promise<Json> {
  // Claude Code ignores a file that it cannot read.
  const value = jsonOf(await readPlainText(file, MAX_BYTES.settings).catch(() => ''));
  return typeof value === 'object' && value !== null ? (value as Json) : {};
}

async function writeJson(path: string, value: Json): Promise<void> {
  await writeFile(path, JSON.stringify(value), { mode: 0o600 });
}

// What Claude Code gets in a sandbox, by table: where its credential comes from, and what of the user's files comes in.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { confine } from '../../../src/backends/claude/confined.js';
import type { Confined } from '../../../src/backends/backend.js';
import { folder } from '../../support/folder.js';

type Confinement = Extract<Confined, { readonly kind: 'confined' }>;

async function confined(
  env: Readonly<Record<string, string>>,
  files: Readonly<Record<string, string>> = {},
): Promise<{ readonly home: string; readonly folder: string; readonly got: Confined }> {
  const home = await folder(files);
  const own = await folder();
  return { home, folder: own, got: await confine({ env: { HOME: home, ...env }, folder: own, socket: '/s' }) };
}

function accessOf(got: Confined): Confinement['access'] {
  if (got.kind === 'refused') throw new Error(got.why);
  return got.access;
}

const LOGIN = { '.claude/.credentials.json': JSON.stringify({ claudeAiOauth: { accessToken: 'login' } }) };
const OAUTH = 'oauth-2025-04-20';

interface Case {
  readonly title: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
}

const CASES: readonly Case[] = [
  { title: 'a key', env: { ANTHROPIC_API_KEY: 'key' }, files: LOGIN, headers: { 'x-api-key': 'key' } },
  {
    title: 'a token before a key',
    env: { ANTHROPIC_API_KEY: 'key', ANTHROPIC_AUTH_TOKEN: 't' },
    headers: { authorization: 'Bearer t' },
  },
  {
    title: 'a long-lived token',
    env: { CLAUDE_CODE_OAUTH_TOKEN: 'o' },
    files: LOGIN,
    headers: { authorization: 'Bearer o', 'anthropic-beta': OAUTH },
  },
  { title: 'the login', files: LOGIN, headers: { authorization: 'Bearer login', 'anthropic-beta': OAUTH } },
  { title: 'the key of a login', files: { '.claude.json': '{"primaryApiKey":"p"}' }, headers: { 'x-api-key': 'p' } },
  {
    title: 'a key of the settings',
    files: { '.claude/settings.json': '{"env":{"ANTHROPIC_API_KEY":"s"}}' },
    headers: { 'x-api-key': 's' },
  },
  {
    title: 'headers of a gateway',
    env: { ANTHROPIC_API_KEY: 'key', ANTHROPIC_CUSTOM_HEADERS: 'X-Team: a b\nnonsense' },
    headers: { 'x-team': 'a b', 'x-api-key': 'key' },
  },
];

test.each(CASES)('its credential stays outside: $title', async ({ env = {}, files = {}, headers }) => {
  const { got, folder: own } = await confined(env, files);
  expect(accessOf(got).headers).toEqual(headers);
  const inside = JSON.stringify(got.kind === 'confined' ? [got.env, got.files] : got);
  const written = await Promise.all(
    ['settings.json', '.claude.json'].map((name) => readFile(join(own, 'claude', name), 'utf8')),
  );
  for (const secret of Object.values(headers).filter((value) => value !== OAUTH))
    expect(`${inside}${written.join('')}`).not.toContain(`"${secret.replace('Bearer ', '')}"`);
});

test('its API is that of the environment or the settings, and it sees neither', async () => {
  const { got } = await confined({ ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: 'https://gateway.example/a' });
  expect(accessOf(got).url).toBe('https://gateway.example/a');
  expect(got).toMatchObject({ env: { ANTHROPIC_BASE_URL: 'http://127.0.0.1:1', ANTHROPIC_UNIX_SOCKET: '/s' } });
  expect(accessOf((await confined({ ANTHROPIC_API_KEY: 'k' })).got).url).toBe('https://api.anthropic.com');
});

test('the files of the user come in read-only, the settings and MCP servers as copies without credentials', async () => {
  const {
    home,
    folder: own,
    got,
  } = await confined(
    { ANTHROPIC_API_KEY: 'k' },
    {
      '.claude/CLAUDE.md': 'x',
      '.claude/hooks/a.sh': 'x',
      '.claude/projects/x.jsonl': 'x',
      '.claude/settings.json': '{"model":"opus","apiKeyHelper":"h","env":{"A":"1","ANTHROPIC_BASE_URL":"https://x"}}',
      '.claude.json': '{"mcpServers":{"m":{"command":"m"}},"oauthAccount":{"email":"e"}}',
    },
  );
  const inside = join(own, 'claude');
  expect(got).toMatchObject({
    files: [
      { source: join(home, '.claude/CLAUDE.md'), path: join(inside, 'CLAUDE.md') },
      { source: join(home, '.claude/hooks'), path: join(inside, 'hooks') },
      { source: join(home, '.claude/hooks'), path: join(home, '.claude/hooks') },
    ],
  });
  const read = async (name: string): Promise<unknown> => JSON.parse(await readFile(join(inside, name), 'utf8'));
  expect(await read('settings.json')).toEqual({ model: 'opus', env: { A: '1' }, cleanupPeriodDays: 3650 });
  expect(await read('.claude.json')).toEqual({ hasCompletedOnboarding: true, mcpServers: { m: { command: 'm' } } });
});

test('it is refused without a credential, and with another cloud', async () => {
  const helper = { '.claude/settings.json': '{"apiKeyHelper":"h"}' };
  expect((await confined({}, helper)).got).toEqual({
    kind: 'refused',
    why: 'it has no credential for the model (an apiKeyHelper is not run for it); set ANTHROPIC_API_KEY, or log in with: claude',
  });
  expect((await confined({ CLAUDE_CODE_USE_VERTEX: '1' })).got).toMatchObject({ kind: 'refused' });
});

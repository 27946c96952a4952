// The real Claude Code CLI with `raymond mcp`: it connects, and the model starts a run and reads its result. The model is scripted.
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { execa } from 'execa';
import { BACKGROUND, Place } from '../support/cli.js';
import { beforeRemoval } from '../support/folder.js';
import { startModelApi, type ModelRequest, type Reply } from '../support/model-api.js';
import { realClaude } from '../support/real-claude.js';

const PROGRAM = fileURLToPath(new URL('../../bin/raymond.js', import.meta.url));

function reply({ conversation }: ModelRequest): Reply {
  const result = conversation.find(({ kind }) => kind === 'tool-result');
  if (result !== undefined) return { text: /"result": ?"([^"]*)"/.exec(result.text)?.[1] ?? result.text };
  const input = { workflow: 'says', input: 'hello', waitSeconds: 60 };
  return { tool: { name: 'mcp__raymond__start_run', input } };
}

test('Claude Code starts a run by MCP and gets its result', async () => {
  const api = await startModelApi({ reply });
  const claude = await realClaude({ apiUrl: api.url });
  beforeRemoval(async () => {
    await claude.close();
    await api.close();
  });
  const place = await Place.at({ 'says/START.sh': 'echo "<result>said $RAYMOND_INPUT</result>"\n' }, BACKGROUND);
  const config = { mcpServers: { raymond: { command: process.execPath, args: [PROGRAM, 'mcp'] } } };
  const flags = ['--mcp-config', JSON.stringify(config), '--strict-mcp-config', '--allowedTools', 'mcp__raymond'];
  const cache = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  const env = { ...claude.env, ...BACKGROUND, XDG_CACHE_HOME: cache };
  const options = { cwd: place.cwd, env, extendEnv: false, input: 'start says with hello', timeout: 100_000 };
  const { stdout } = await execa('claude', ['-p', '--model', 'haiku', ...flags], options);
  expect(stdout).toBe('said hello');
}, 120_000);

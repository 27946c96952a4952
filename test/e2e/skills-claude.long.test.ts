// The real Claude Code CLI and skills: it finds them, loads them, and runs a workflow that became one, question and answer included. The model
// is scripted, so what is shown is what the CLI does with skills, not what a model makes of them.
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { execa } from 'execa';
import { Place } from '../support/cli.js';
import { startModelApi, type ModelApi, type ModelRequest, type Reply } from '../support/model-api.js';
import { realClaude, type RealClaude } from '../support/real-claude.js';

const PROGRAM = fileURLToPath(new URL('../../bin/raymond.js', import.meta.url));
const RUN = '.claude/skills/gate/run.sh';

let api: ModelApi;
let claude: RealClaude;
let place: Place;

/** What an agent does that follows the page of the skill: it reads the run and its question from what the runner has printed. */
function reply({ conversation }: ModelRequest): Reply {
  const results = conversation.filter(({ kind }) => kind === 'tool-result').map(({ text }) => text);
  if (conversation.some(({ text }) => text.includes('write a workflow that reviews')))
    return results.length === 0 ? skill('raymond') : { text: 'I know how.' };
  const [loaded, asked, answered] = results;
  if (loaded === undefined) return skill('gate');
  if (asked === undefined) return bash(`INPUT=7 ${RUN} run; echo "exit $?"`);
  const run = /"runId":"([^"]+)"/.exec(asked)?.[1] ?? '';
  if (answered === undefined) return bash(`RUN_ID=${run} INPUT=yes ${RUN} answer; echo "exit $?"`);
  return { text: /"result":"[^"]*"/.exec(answered)?.[0] ?? answered };
}

function skill(name: string): Reply {
  return { tool: { name: 'Skill', input: { skill: name } } };
}

function bash(command: string): Reply {
  return { tool: { name: 'Bash', input: { command } } };
}

beforeAll(async () => {
  api = await startModelApi({ reply });
  claude = await realClaude({ apiUrl: api.url });
  place = await Place.at({
    'gate/workflow.yaml': 'id: gate\ndescription: Asks a person before it releases a version.\n',
    'gate/START.sh': 'echo "<ask next=\\"DECIDE\\">Release $RAYMOND_INPUT?</ask>"\n',
    'gate/DECIDE.sh': 'echo "<result>they said $RAYMOND_INPUT</result>"\n',
    'bin/raymond': `#!/bin/sh\nexec '${process.execPath}' '${PROGRAM}' "$@"\n`,
  });
  await chmod(join(place.cwd, 'bin/raymond'), 0o755);
  await place.raymond(['package', 'gate']);
  await place.raymond(['skill', 'install']);
});
afterAll(async () => {
  await claude.close();
  await api.close();
});

async function ask(prompt: string): Promise<string> {
  const cache = process.env['XDG_CACHE_HOME'] ?? join(process.env['HOME'] ?? '', '.cache');
  const env = { ...claude.env, PATH: `${join(place.cwd, 'bin')}:${claude.env['PATH'] ?? ''}`, XDG_CACHE_HOME: cache };
  const args = ['-p', '--model', 'haiku', '--allowedTools', 'Bash', 'Skill'];
  const options = { cwd: place.cwd, env, extendEnv: false, input: prompt, reject: false, timeout: 100_000 } as const;
  const { stdout, stderr, exitCode } = await execa('claude', args, options);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  return stdout;
}

test('a packaged workflow is offered, loaded, asks by exit code 2 and ends with the answer', async () => {
  expect(await ask('release version 7')).toBe('"result":"they said yes"');
  const all = JSON.stringify(api.requests.map(({ raw }) => raw));
  expect(all).toContain('Asks a person before it releases a version.');
  const said =
    api.requests
      .at(-1)
      ?.conversation.map(({ text }) => text)
      .join('\n') ?? '';
  expect(said).toContain('## Exit code 2: a question');
  expect(said).toContain('Release 7?');
  expect(said).toContain('exit 2');
  expect(said).toContain('exit 0');
});

test('the skill about Raymond is offered, and loaded whole', async () => {
  expect(await ask('write a workflow that reviews')).toBe('I know how.');
  const said =
    api.requests
      .at(-1)
      ?.conversation.map(({ text }) => text)
      .join('\n') ?? '';
  expect(said).toContain('# Writing workflows for Raymond');
  expect(said).toContain('references/idioms.md');
});

// Prompts that pi answers: named by a state, a flag or the config; a conversation stays with its backend.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { Place } from '../support/cli.js';
import { fakePi } from '../support/fake-pi.js';
import { fakeWith, documentOf } from '../support/fakes.js';

let place: Place;
let env: Readonly<Record<string, string>>;
beforeAll(async () => {
  env = await fakePi();
  place = await Place.at(
    {
      'talk/START.md': '---\nbackend: pi\n---\nBegin. ANSWER:<goto>NEXT</goto>\n',
      'talk/NEXT.md': 'Go on. ANSWER:<result>SAID turn before</result>\n',
      'plain/START.md': 'ANSWER:<result>by pi</result>\n',
      'mixed/START.md': '---\nbackend: pi\n---\nANSWER:<goto>OTHER</goto>\n',
      'mixed/OTHER.md': '---\nbackend: claude\n---\nNo.\n',
      'bound/workflow.yaml': 'id: bound\nbackend:\n  name: pi\n  options: { tools: [read, ls] }\n',
      'bound/START.md': 'ANSWER:<result>TOOLS</result>\n',
      'bound/CLAUDE.md': '---\nbackend: claude\n---\nNo.\n',
      'one.yaml': 'backend: pi\nstates:\n  START:\n    prompt: "ANSWER:<result>TOOLS</result>"\n',
      'outer/START.sh': 'echo \'<function-workflow return="END">../bound</function-workflow>\'\n',
      'outer/END.sh': 'echo "<result>inner: $RAYMOND_INPUT</result>"\n',
      'apart/START.md': '---\nbackend: pi\n---\nANSWER:<reset>OTHER</reset>\n',
      'apart/OTHER.md': '---\nbackend: claude\n---\nYes.\n',
    },
    env,
  );
});

test('a state that names none continues in the conversation of pi, and both turns are paid', async () => {
  const called = await place.raymond(['start', 'talk', '--id', 'talk', '--json']);
  expect(documentOf(called)).toMatchObject({ status: 'completed', result: '1 turn before', costUsd: 0.5 });
  const { stdout } = await place.raymond(['transcript', 'talk', 'main']);
  expect(stdout).toMatch(/^> Begin\.[^]*<goto>NEXT<\/goto>[^]*> Go on\.[^]*1 turn before/);
  expect((await place.raymond(['session', 'talk', 'main'])).stdout).toMatch(/ && pi --fork \S+\.jsonl$/);
  expect(await readdir(join(env['PI_CODING_AGENT_DIR']!, 'raymond'))).toEqual([]);
});

test('--backend says it for prompts that name none, and what is missing is said before the start', async () => {
  expect(await place.raymond(['start', 'plain', '--backend', 'pi'])).toMatchObject({ exitCode: 0, stdout: 'by pi' });
  const missing = await place.raymond(['start', 'plain', '--backend', 'pi'], { env: { PATH: '/usr/bin:/bin' } });
  expect(missing).toMatchObject({
    exitCode: 69,
    stderr: expect.stringContaining('pi is not installed: there is no "pi" on PATH'),
  });
});

test('the manifest of a package names it, with tools that nothing widens; a package that is entered has its own', async () => {
  const skip = '--dangerously-skip-permissions';
  expect(await place.raymond(['start', 'bound', skip])).toMatchObject({ exitCode: 0, stdout: 'read,ls,mcp__none' });
  expect(await place.raymond(['start', 'one.yaml'])).toMatchObject({
    stdout: 'read,grep,find,ls,edit,write,mcp__none',
  });
  expect(await place.raymond(['start', 'outer'])).toMatchObject({ exitCode: 0, stdout: 'inner: read,ls,mcp__none' });
  const missing = await place.raymond(['start', 'bound'], { env: { PATH: '/usr/bin:/bin' } });
  expect(missing).toMatchObject({ exitCode: 69, stderr: expect.stringContaining('pi is not installed') });
});

test('options that cannot be honoured are an error of lint, and fail the turn before it starts', async () => {
  const fake = await fakeWith({ text: '<result>by Claude</result>' });
  const both = { ...fake.env, PATH: `${fake.binDir}:${env['PATH']}` };
  const refused = await place.raymond(['start', 'bound/CLAUDE.md'], { env: both });
  expect(refused).toMatchObject({
    exitCode: 64,
    stderr: expect.stringContaining('CLAUDE.md:2: the manifest has options'),
  });
  const claude = await place.raymond(['start', 'bound/CLAUDE.md', '--no-check'], { env: both });
  expect(claude.stderr).toContain('has options for pi, which claude cannot obey; remove the options');
});

test('a state that names another one than its conversation has fails before it spends anything; a new conversation may', async () => {
  const fake = await fakeWith({ text: '<result>by Claude</result>', costUsd: 0.1 });
  const both = { ...fake.env, PATH: `${fake.binDir}:${env['PATH']}` };
  const mixed = await place.raymond(['start', 'mixed', '--json'], { env: both });
  expect(documentOf(mixed)).toMatchObject({ status: 'failed', costUsd: 0.25 });
  expect(mixed.stdout).toContain(
    'the state names the backend claude, but continues a conversation of pi; enter it with <reset>',
  );
  const apart = await place.raymond(['start', 'apart', '--json'], { env: both });
  expect(documentOf(apart)).toMatchObject({ status: 'completed', result: 'by Claude', costUsd: 0.35 });
});

// Skills as agents get them: the one about Raymond, installed and brought up to date, and one of a workflow, run by its script.
import { chmod, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { execa } from 'execa';
import { packageFacts } from '../../src/host/self.js';
import { sha256Of } from '../../src/host/sha256.js';
import { Place } from '../support/cli.js';

const SKILL = '.claude/skills/raymond';
const PROGRAM = fileURLToPath(new URL('../../bin/raymond.js', import.meta.url));

describe('raymond skill install', () => {
  test('writes the skill and says so, changes nothing the second time, and fixes what is missing', async () => {
    const place = await Place.at();
    const first = await place.raymond(['skill', 'install']);
    expect(first).toMatchObject({ exitCode: 0, stdout: expect.stringContaining(`wrote ${SKILL}/SKILL.md`) });
    expect(await place.read(`${SKILL}/references/idioms.md`)).toContain('# Idioms');
    expect(await place.raymond(['skill', 'install'])).toMatchObject({ exitCode: 0, stdout: `${SKILL} is up to date` });
    await rm(join(place.cwd, SKILL, 'SKILL.md'));
    expect(await place.raymond(['skill', 'install'])).toMatchObject({ exitCode: 0, stdout: `wrote ${SKILL}/SKILL.md` });
  });

  test('touches nothing when the user has changed a file of it, but by --force', async () => {
    const place = await Place.at();
    await place.raymond(['skill', 'install']);
    await place.write(`${SKILL}/SKILL.md`, 'mine');
    await rm(join(place.cwd, SKILL, 'references/tags.md'));
    const refused = await place.raymond(['skill', 'install']);
    expect(refused).toMatchObject({
      exitCode: 64,
      stderr: expect.stringContaining('SKILL.md was changed; move it away'),
    });
    expect(await place.read(`${SKILL}/SKILL.md`)).toBe('mine');
    expect(await place.read(`${SKILL}/references/tags.md`)).toBeUndefined();
    const forced = await place.raymond(['skill', 'install', '--force', '--json']);
    expect(JSON.parse(forced.stdout)).toMatchObject({ written: [`${SKILL}/SKILL.md`, `${SKILL}/references/tags.md`] });
    expect(await place.read(`${SKILL}/SKILL.md`)).toContain('name: raymond');
  });

  test('brings what an older version has written up to date, and removes what there is no more', async () => {
    const place = await Place.at();
    const old = 'an old file';
    const hash = sha256Of('something else');
    await place.write(`${SKILL}/references/gone.md`, old);
    await place.write(`${SKILL}/.installed.json`, JSON.stringify({ 'references/gone.md': hash }));
    expect(await place.raymond(['skill', 'install'])).toMatchObject({ exitCode: 64 });
    await place.write(`${SKILL}/SKILL.md`, old);
    await place.write(
      `${SKILL}/.installed.json`,
      JSON.stringify({ 'references/gone.md': sha256Of(old), 'SKILL.md': sha256Of(old) }),
    );
    const { stdout, exitCode } = await place.raymond(['skill', 'install']);
    expect({ exitCode, lines: stdout.split('\n') }).toEqual({
      exitCode: 0,
      lines: expect.arrayContaining([`wrote ${SKILL}/SKILL.md`, `removed ${SKILL}/references/gone.md`]),
    });
    expect(await place.read(`${SKILL}/references/gone.md`)).toBeUndefined();
  });

  test('ships with the package', () => {
    expect(packageFacts()).toMatchObject({ files: expect.arrayContaining(['skill', 'workflows']) });
  });
});

const GATE = {
  'flows/gate/workflow.yaml':
    'id: release-gate\nname: Release gate\ndescription: Asks before it releases a version.\ninput: { mode: required, label: version }\ndefault_budget: 2.5\n',
  'flows/gate/START.sh': 'echo "<ask next=\\"DECIDE\\">Release $RAYMOND_INPUT?</ask>"\n',
  'flows/gate/DECIDE.sh':
    'echo "<call-workflow return=\\"END\\" input=\\"$RAYMOND_INPUT\\">../other/</call-workflow>"\n',
  'flows/gate/END.sh': 'echo "<result>$RAYMOND_RESULT in ${PWD##*/}</result>"\n',
  'flows/gate/gate.test.yaml': 'expect: {}\n',
  'flows/other/START.sh': 'echo "<result>decided: $RAYMOND_INPUT</result>"\n',
};

describe('raymond package', () => {
  test('makes a skill whose runner asks by exit code 2 and continues with the answer, with nothing but itself', async () => {
    const place = await Place.at(GATE);
    const made = await place.raymond(['package', 'flows/gate']);
    const folder = '.claude/skills/release-gate';
    expect(made).toMatchObject({ exitCode: 0, stdout: expect.stringContaining(`wrote ${folder}/run.sh`) });
    expect((await readdir(join(place.cwd, folder, 'gate'))).sort()).toEqual([
      'DECIDE.sh',
      'END.sh',
      'START.sh',
      'workflow.yaml',
    ]);
    await rm(join(place.cwd, 'flows'), { recursive: true });

    await place.write('bin/raymond', `#!/bin/sh\nexec '${process.execPath}' '${PROGRAM}' "$@"\n`);
    await chmod(join(place.cwd, 'bin/raymond'), 0o755);
    const run = async (
      verb: string,
      env: Readonly<Record<string, string>>,
    ): Promise<{ code: unknown; document: unknown }> => {
      const path = `${join(place.cwd, 'bin')}:${process.env['PATH'] ?? ''}`;
      const options = { cwd: place.cwd, env: { ...env, PATH: path }, reject: false } as const;
      const { exitCode, stdout } = await execa(join(place.cwd, folder, 'run.sh'), [verb], options);
      return { code: exitCode, document: stdout === '' ? undefined : JSON.parse(stdout) };
    };
    const asked = await run('run', { INPUT: '-2 "x"' });
    expect(asked).toMatchObject({
      code: 2,
      document: { status: 'asking', budgetUsd: 2.5, asks: [{ prompt: 'Release -2 "x"?' }] },
    });
    const { runId, asks } = asked.document as { runId: string; asks: { askId: string }[] };
    const answered = await run('answer', { RUN_ID: runId, ASK_ID: asks[0]!.askId, INPUT: '--no' });
    expect(answered).toMatchObject({
      code: 0,
      document: { status: 'completed', result: expect.stringMatching(/^decided: --no in raymond-test/) },
    });
    expect(await run('run', {})).toEqual({ code: 64, document: undefined });
    expect(await run('jump', {})).toEqual({ code: 64, document: undefined });
  });

  test('writes a page that says what it is for, what it takes, when it asks and what its exit codes mean', async () => {
    const place = await Place.at({
      'ask/1_START.md': '---\nallowed_transitions:\n  - { tag: ask, next: END }\n---\nAsk.\n',
      'ask/END.sh': 'echo "<result>x</result>"\n',
    });
    expect(await place.raymond(['package', 'ask', 'My Skill'])).toMatchObject({ exitCode: 0 });
    const page = await place.read('My Skill/SKILL.md');
    expect(page).toMatch(/^---\nname: ask\ndescription: "Runs the workflow ask\."\n---\n/);
    for (const part of [
      'asks a person, in 1_START',
      '- `INPUT`: free text',
      '(default: 10)',
      '| 2 | a question |',
      './run.sh resume',
    ])
      expect(page).toContain(part);
    const replaced = await place.raymond(['package', 'ask', 'My Skill', '--force']);
    expect(replaced).toMatchObject({ exitCode: 0 });
  });

  test.each<[string, readonly string[], string]>([
    ['a workflow that start would refuse', ['package', 'broken'], 'there is no entry point'],
    ['a package that lies elsewhere', ['package', 'far'], 'which is in another folder; move it beside'],
    ['a target that is there', ['package', 'flows/other', 'flows'], 'already exists'],
    ['a folder that is no skill', ['package', 'flows/other', 'flows', '--force'], 'was not made by this command'],
  ])('%s is refused, and nothing is written', async (_title, args, message) => {
    const place = await Place.at({
      ...GATE,
      'broken/A.md': 'x',
      'far/START.sh': 'echo "<reset-workflow>../flows/other/</reset-workflow>"\n',
    });
    const refused = await place.raymond(args);
    expect(refused).toMatchObject({ exitCode: 64, stderr: expect.stringContaining(message) });
    expect((await readdir(place.cwd, { recursive: true })).filter((name) => name.endsWith('run.sh'))).toEqual([]);
  });
});

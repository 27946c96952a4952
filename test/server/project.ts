// A throw-away project with its own embedded server for tests; and scripts that stand in for programs.
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { isAlive } from '../../src/host/process.js';
import { type EnsuredServer, type EnsureOptions, ensureServer } from '../../src/server/index.js';
import type { ServerRecord } from '../../src/server/record.js';
import { until } from '../support/until.js';

/** A temporary folder with a `.raymond` folder to be. */
export class Project {
  readonly root = mkdtempSync(join(tmpdir(), 'raymond-server-'));
  readonly raymondDir = join(this.root, '.raymond');
  readonly temporalDir = join(this.raymondDir, 'temporal');
  readonly recordFile = join(this.temporalDir, 'server.json');
  readonly lines: string[] = [];
  private readonly servers: { pid: number; startTime: string }[] = [];

  async ensure(options: Partial<EnsureOptions> = {}): Promise<EnsuredServer> {
    const { raymondDir } = this;
    const server = await ensureServer({ raymondDir, report: (line) => this.lines.push(line), ...options });
    this.servers.push(server);
    return server;
  }

  record(): ServerRecord {
    return JSON.parse(readFileSync(this.recordFile, 'utf8')) as ServerRecord;
  }

  /** Kills every server this project ever had and removes its folder. */
  async remove(): Promise<void> {
    if (existsSync(this.recordFile)) this.servers.push(this.record().info);
    for (const server of this.servers) await kill9(server);
    rmSync(this.root, { recursive: true, force: true });
  }
}

/** Works with a client of a server. */
export async function withClient<T>(address: string, work: (client: Client) => Promise<T>): Promise<T> {
  const connection = await Connection.connect({ address });
  try {
    return await work(new Client({ connection }));
  } finally {
    await connection.close();
  }
}

/** Kills the process, if it is still the same one, and waits until it is gone. */
export async function kill9(server: { pid: number; startTime: string }): Promise<void> {
  if (isAlive(server)) process.kill(server.pid, 'SIGKILL');
  await until(() => !isAlive(server), { what: `the end of process ${server.pid}`, everyMs: 5 });
}

/**
 * Writes an executable shell script and returns its path. Only below the temporary folder: where the environment of a test does not reach the
 * program (under another Jest config), a stand-in would take the place of the user's own Temporal CLI.
 */
export function script(folder: string, name: string, lines: readonly string[]): string {
  onlyTemporary(folder);
  mkdirSync(folder, { recursive: true });
  const path = join(folder, name);
  writeFileSync(path, ['#!/bin/sh', ...lines, ''].join('\n'));
  chmodSync(path, 0o755);
  return path;
}

/** Throws where an installation would go into the user's own cache. */
export function onlyTemporary(folder: string): void {
  if (!isTemporary(folder)) throw new Error(`${folder} is not for tests: run them with jest.config.js`);
}

const isTemporary = (folder: string): boolean => resolve(folder).startsWith(join(resolve(tmpdir()), 'raymond-'));

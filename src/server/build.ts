// The pinned Temporal CLI built from its Go module. Takes minutes, so it says what it does; leaves nothing outside `folder`
// but Go's own caches.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { errorCode } from '../host/files.js';
import { CLI_NAME, CLI_VERSION } from './cache.js';
import type { Fetched } from './cli.js';
import type { Report } from './folder.js';

/** What a build needs. */
export interface BuildOptions {
  readonly folder: string;
  readonly report: Report;
  /** How often progress is reported. */
  readonly everyMs?: number;
}

const MODULE = `github.com/temporalio/cli/cmd/temporal@${CLI_VERSION}`;
const ERROR_LINES = 5;

/** Builds the CLI into `folder`; every failure is a reason, none is thrown. */
export async function buildCli({ folder, report, everyMs = 15_000 }: BuildOptions): Promise<Fetched> {
  report(`building the Temporal CLI ${CLI_VERSION} with go: this takes three to four minutes, once`);
  const started = Date.now();
  const lines: string[] = [];
  const progress = setInterval(() => {
    report(
      `building the Temporal CLI: ${Math.round((Date.now() - started) / 1000)} s, go: ${lines.at(-1) ?? 'starting'}`,
    );
  }, everyMs);
  try {
    const exit = await goInstall(folder, (line) => lines.push(line) > ERROR_LINES && lines.shift());
    const path = join(folder, CLI_NAME);
    if (exit === undefined && existsSync(path)) return { kind: 'fetched', path };
    return { kind: 'failed', reason: [exit ?? 'go built no executable', ...lines].join('\n      ') };
  } finally {
    clearInterval(progress);
  }
}

/** Runs `go install`; resolves with what went wrong, or undefined. */
function goInstall(folder: string, onLine: (line: string) => void): Promise<string | undefined> {
  // A setting for cross-compiling would build for another machine, and then GOBIN is refused.
  const { GOOS: _os, GOARCH: _arch, ...env } = process.env;
  return new Promise((resolve) => {
    // -v names each package as it is compiled. In our own process group: Ctrl-C ends it with us.
    const go = spawn('go', ['install', '-v', MODULE], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...env, GOBIN: folder },
    });
    createInterface({ input: go.stderr }).on('line', onLine);
    go.on('error', (error) => {
      resolve(errorCode(error) === 'ENOENT' ? 'there is no `go` on PATH (Go 1.25 or newer is needed)' : error.message);
    });
    go.on('close', (code, signal) =>
      resolve(code === 0 ? undefined : `go install ended with ${signal ?? `exit ${code}`}`),
    );
  });
}

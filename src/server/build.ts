// The pinned Temporal CLI built from its Go module. Takes minutes, so it says what it does; leaves nothing outside `folder`
// but Go's own caches.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
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
async function goInstall(folder: string, onLine: (line: string) => void): Promise<string | undefined> {
  // A setting for cross-compiling would build for another machine, and then GOBIN is refused.
  const { GOOS: _os, GOARCH: _arch, ...env } = process.env;
  // -v names each package as it is compiled. In our own process group: Ctrl-C ends it with us.
  const go = execa('go', ['install', '-v', MODULE], {
    cwd: folder,
    env: { ...env, GOBIN: folder },
    extendEnv: false,
    stdio: ['ignore', 'ignore', 'pipe'],
    buffer: false,
    reject: false,
  });
  for await (const line of go.iterable({ from: 'stderr' })) onLine(line);
  const { failed, code, signal, exitCode, shortMessage } = await go;
  if (!failed) return undefined;
  if (code === 'ENOENT') return 'there is no `go` on PATH (Go 1.25 or newer is needed)';
  return code === undefined ? `go install ended with ${signal ?? `exit ${exitCode ?? '?'}`}` : shortMessage;
}

// The search for a Temporal CLI: configured path, PATH, the user's cache, installation. A configured path is final: when it
// is wrong that is an error, never a reason to take another one.
import { existsSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { CLI_NAME, CLI_VERSION, installedCli } from './cache.js';
import { inspectCli, type TemporalCli } from './cli.js';
import { ServerError } from './error.js';
import { installCli } from './install.js';

/** Takes one line of progress for people. */
export type Report = (line: string) => void;

/** A place where no usable CLI was found, and why. */
export interface Tried {
  readonly place: string;
  readonly reason: string;
}

/** The environment variable that names the executable; it wins over the configuration. */
export const CLI_VARIABLE = 'RAYMOND_TEMPORAL_CLI';

/** The executable the user named, by the environment or the configuration, as an absolute path. */
export function namedCli(configured: string | undefined): string | undefined {
  const named = process.env[CLI_VARIABLE] || configured;
  return named === undefined ? undefined : resolve(named);
}

/** Finds a usable Temporal CLI, installing one if need be; throws a ServerError that lists every place tried. */
export async function findCli({
  cli,
  report,
}: {
  readonly cli?: string | undefined;
  readonly report: Report;
}): Promise<TemporalCli> {
  const named = namedCli(cli);
  if (named !== undefined) return configuredCli(named);
  const tried: Tried[] = [];
  for (const path of [onPath(), installedCli()]) {
    if (path === undefined || !existsSync(path)) continue;
    const inspection = await inspectCli(path);
    if (inspection.kind === 'usable') return inspection.cli;
    report(`not using ${path}: ${inspection.reason}`);
    tried.push({ place: path, reason: inspection.reason });
  }
  if (onPath() === undefined) tried.unshift({ place: `${CLI_NAME} on PATH`, reason: 'not there' });
  const installation = await installCli({ report });
  if (installation.kind === 'installed') return installation.cli;
  throw noCli([...tried, ...installation.tried]);
}

async function configuredCli(path: string): Promise<TemporalCli> {
  const inspection = await inspectCli(path);
  if (inspection.kind === 'usable') return inspection.cli;
  const source = process.env[CLI_VARIABLE] ? CLI_VARIABLE : '`temporal_cli` in the configuration';
  const next = 'correct it, or remove it to let Raymond look for one itself';
  throw new ServerError(
    'NoTemporalCli',
    `the Temporal CLI named by ${source}, ${path}, cannot be used: ${inspection.reason}; ${next}`,
  );
}

function onPath(): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => resolve(folder, CLI_NAME)).find((path) => existsSync(path));
}

function noCli(tried: readonly Tried[]): ServerError {
  const lines = tried.map(({ place, reason }) => `  - ${place}: ${reason}`);
  const choices = [
    `  - install the Temporal CLI (https://docs.temporal.io/cli) so that \`temporal\` is on PATH, or name it by ${CLI_VARIABLE}`,
    '    or `temporal_cli` in .raymond/config.toml',
    `  - copy the executable of ${CLI_VERSION} to ${join(installedCli())}`,
    '  - install Go 1.25 or newer, and Raymond builds it',
    '  - use a Temporal cluster: --address',
  ];
  const message = ['no Temporal CLI to run the embedded server with. Tried:', ...lines, 'What you can do:', ...choices];
  return new ServerError('NoTemporalCli', message.join('\n'));
}

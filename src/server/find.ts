// Finds a Temporal CLI: configured path, PATH, the user's cache, installation. A configured path is
// final: if it is wrong, that is an error, and no other is used.
import { exists, findOnPath } from '../host/files.js';
import { assertNever } from '../protocol/failure.js';
import { ServerError } from './error.js';
import {
  CLI_NAME,
  CLI_VARIABLE,
  DOWNLOADED_VERSION,
  inspectCli,
  installedCli,
  installedClis,
  type Miss,
  namedCli,
  type Report,
  type TemporalCli,
} from './temporal-cli.js';

/** The CLI on this host: a usable one, a configured one that is unusable, or none, with the paths that were tried. */
export type CliSearch =
  | { readonly kind: 'found'; readonly cli: TemporalCli }
  | { readonly kind: 'unusable'; readonly reason: string }
  | { readonly kind: 'missing'; readonly tried: readonly Miss[] };

/** How to search; `report` receives unusable executables, `timeoutMs` limits the answer of each. */
interface SearchOptions {
  readonly cli?: string | undefined;
  readonly report?: Report;
  readonly timeoutMs?: number;
}

/** Looks for a CLI and installs none. */
export async function lookForCli({ cli, report, timeoutMs }: SearchOptions): Promise<CliSearch> {
  const named = namedCli(cli);
  if (named !== undefined) {
    const { path, source } = named;
    const inspection = await inspectCli(path, timeoutMs);
    if (inspection.kind === 'usable') return { kind: 'found', cli: inspection.cli };
    const reason = `the Temporal CLI named by ${source}, ${path}, cannot be used: ${inspection.reason}`;
    return { kind: 'unusable', reason };
  }
  const tried: Miss[] = [];
  const onPath = findOnPath(CLI_NAME);
  for (const path of [onPath, ...installedClis()]) {
    if (path === undefined || !(await exists(path))) continue;
    const inspection = await inspectCli(path, timeoutMs);
    if (inspection.kind === 'usable') return { kind: 'found', cli: inspection.cli };
    report?.(`not using ${path}: ${inspection.reason}`);
    tried.push({ location: path, reason: inspection.reason });
  }
  if (onPath === undefined) tried.unshift({ location: `${CLI_NAME} on PATH`, reason: 'not there' });
  return { kind: 'missing', tried };
}

/** Finds a usable Temporal CLI, installing one if need be; throws a ServerError that lists every place tried. */
export async function findCli(options: SearchOptions & { readonly report: Report }): Promise<TemporalCli> {
  const search = await lookForCli(options);
  switch (search.kind) {
    case 'found':
      return search.cli;
    case 'unusable': {
      const next = 'correct it, or remove it so that Raymond finds one itself';
      throw new ServerError('NoTemporalCli', `${search.reason}; ${next}`);
    }
    case 'missing': {
      const installation = await (await import('./install.js')).installCli({ report: options.report });
      if (installation.kind === 'installed') return installation.cli;
      throw noCli([...search.tried, ...installation.tried]);
    }
    default:
      return assertNever(search);
  }
}

function noCli(tried: readonly Miss[]): ServerError {
  const lines = tried.map(({ location, reason }) => `  - ${location}: ${reason}`);
  const choices = [
    `  - install the Temporal CLI (https://docs.temporal.io/cli) so that \`temporal\` is on PATH, or name it by ${CLI_VARIABLE}`,
    '    or `temporal_cli` in .raymond/config.toml',
    `  - copy the executable of ${DOWNLOADED_VERSION} to ${installedCli()}`,
    '  - install Go 1.25 or newer, and Raymond builds it',
    '  - use a Temporal cluster: --address',
  ];
  const message = ['no Temporal CLI to run the embedded server with. Tried:', ...lines, 'What you can do:', ...choices];
  return new ServerError('NoTemporalCli', message.join('\n'));
}

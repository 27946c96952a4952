// The search for a Temporal CLI: configured path, PATH, the user's cache, installation. A configured path is final: when it
// is wrong that is an error, never a reason to take another one.
import { exists, findOnPath } from '../host/files.js';
import { ServerError } from './error.js';
import {
  CLI_NAME,
  CLI_VARIABLE,
  CLI_VERSION,
  inspectCli,
  installedCli,
  type Miss,
  namedCli,
  type Report,
  type TemporalCli,
} from './temporal-cli.js';

/** Finds a usable Temporal CLI, installing one if need be; throws a ServerError that lists every place tried. */
export async function findCli({
  cli,
  report,
}: {
  readonly cli?: string | undefined;
  readonly report: Report;
}): Promise<TemporalCli> {
  const named = namedCli(cli);
  if (named !== undefined) return useNamed(named);
  const tried: Miss[] = [];
  const onPath = findOnPath(CLI_NAME);
  for (const path of [onPath, installedCli()]) {
    if (path === undefined || !(await exists(path))) continue;
    const inspection = await inspectCli(path);
    if (inspection.kind === 'usable') return inspection.cli;
    report(`not using ${path}: ${inspection.reason}`);
    tried.push({ place: path, reason: inspection.reason });
  }
  if (onPath === undefined) tried.unshift({ place: `${CLI_NAME} on PATH`, reason: 'not there' });
  const installation = await (await import('./install.js')).installCli({ report });
  if (installation.kind === 'installed') return installation.cli;
  throw noCli([...tried, ...installation.tried]);
}

async function useNamed({ path, source }: { readonly path: string; readonly source: string }): Promise<TemporalCli> {
  const inspection = await inspectCli(path);
  if (inspection.kind === 'usable') return inspection.cli;
  const what = `the Temporal CLI named by ${source}, ${path}, cannot be used: ${inspection.reason}`;
  throw new ServerError('NoTemporalCli', `${what}; correct it, or remove it to let Raymond look for one itself`);
}

function noCli(tried: readonly Miss[]): ServerError {
  const lines = tried.map(({ place, reason }) => `  - ${place}: ${reason}`);
  const choices = [
    `  - install the Temporal CLI (https://docs.temporal.io/cli) so that \`temporal\` is on PATH, or name it by ${CLI_VARIABLE}`,
    '    or `temporal_cli` in .raymond/config.toml',
    `  - copy the executable of ${CLI_VERSION} to ${installedCli()}`,
    '  - install Go 1.25 or newer, and Raymond builds it',
    '  - use a Temporal cluster: --address',
  ];
  const message = ['no Temporal CLI to run the embedded server with. Tried:', ...lines, 'What you can do:', ...choices];
  return new ServerError('NoTemporalCli', message.join('\n'));
}

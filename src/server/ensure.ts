// A running server for the project: the existing one, or a new one. Simultaneous callers get the
// same one. Every command calls this, mostly to find the server running: imports for a start are
// loaded only when needed.
import { explainingFolderErrors } from './error.js';
import { isReady, livingRecord } from './probe.js';
import { serverFolder, type ServerInfo, type ServerRecord } from './record.js';
import type { JoinOptions } from './start.js';
import { namedCli } from './temporal-cli.js';

/** The project, and who receives the progress. */
export interface EnsureOptions extends JoinOptions {
  /** The project's `.raymond` folder, absolute. */
  readonly raymondDir: string;
  /**
   * How long a running server may take to answer before it is treated as one that starts (default 1
   * s).
   */
  readonly answerMs?: number;
}

/** A running server, whether this call started it, and whether its folder had no database before. */
export type EnsuredServer = ServerInfo & { readonly started: boolean; readonly isFirst: boolean };

/** Returns the project's running server, starting one if none runs; throws a ServerError when that is not possible. */
export async function ensureServer(options: EnsureOptions): Promise<EnsuredServer> {
  const folder = serverFolder(options.raymondDir);
  const record = await explainingFolderErrors(folder.dir, () => livingRecord(folder));
  if (record !== undefined && (await isReady(record, options.answerMs))) return reuse(record, options);
  const { joinOrStart } = await import('./start.js');
  const result = await joinOrStart(folder, options);
  return result.kind === 'joined'
    ? reuse(result.record, options)
    : { ...result.server, started: true, isFirst: result.isFirst };
}

function reuse({ info }: ServerRecord, { cli, report }: EnsureOptions): EnsuredServer {
  const named = namedCli(cli);
  if (named !== undefined && named.path !== info.cli) {
    report(
      `the running Temporal server was started from ${info.cli}; after \`raymond server stop\` the next start uses ${named.path}`,
    );
  }
  return { ...info, started: false, isFirst: false };
}

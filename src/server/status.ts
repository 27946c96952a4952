// What can be said about the project's server without changing anything.
import { explainingFolderErrors } from './error.js';
import { isReady, livingRecord } from './living.js';
import { serverFolder } from './folder.js';
import { readRecord, type ServerInfo } from './record.js';

/**
 * The state of the project's server: `running` answers; `unresponsive` lives without an answer (starting, stopped by a
 * signal, overloaded); `gone` was never stopped, its process just is not there any more (killed, crashed, a reboot).
 */
export type ServerStatus =
  | { readonly kind: 'running'; readonly server: ServerInfo }
  | { readonly kind: 'unresponsive'; readonly server: ServerInfo }
  | { readonly kind: 'gone'; readonly server: ServerInfo }
  | { readonly kind: 'stopped' };

/** Looks at the project's server; starts, stops and writes nothing. */
export async function serverStatus({ raymondDir }: { readonly raymondDir: string }): Promise<ServerStatus> {
  const folder = serverFolder(raymondDir);
  return explainingFolderErrors(folder.dir, async () => {
    const living = livingRecord(folder);
    if (living !== undefined)
      return { kind: (await isReady(living)) ? 'running' : 'unresponsive', server: living.info };
    const server = readRecord(folder)?.info;
    return server === undefined ? { kind: 'stopped' } : { kind: 'gone', server };
  });
}

// The embedded Temporal server as the rest of Raymond sees it. Light to import: no Temporal SDK behind it.
export { ensureServer, type EnsuredServer, type EnsureOptions } from './ensure.js';
export { ServerError, type ServerErrorCode } from './error.js';
export { runningServers, type RunningServer } from './list.js';
export { lookForCli, type CliSearch as CliLook } from './find.js';
export { serverStatus, type ServerStatus } from './probe.js';
export { type ServerInfo } from './record.js';
export { endServer, stopServer, type StopResult } from './stop.js';
export { CLI_VARIABLE, type Report } from './temporal-cli.js';

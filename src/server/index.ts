// The embedded Temporal server for the rest of Raymond. Quick to import: it does not load the
// Temporal SDK.
export { ensureServer, type EnsuredServer, type EnsureOptions } from './ensure.js';
export { ServerError, type ServerErrorCode } from './error.js';
export { runningServers, type RunningServer } from './list.js';
export { lookForCli, type CliSearch as CliLook } from './find.js';
export { serverStatus, type ServerStatus } from './probe.js';
export { keepLogShort } from './launch.js';
export { serverFolder, type ServerInfo } from './record.js';
export { endServer, stopServer, type StopResult } from './stop.js';
export { CLI_VARIABLE, type Report } from './temporal-cli.js';

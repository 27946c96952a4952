// The embedded Temporal server as the rest of Raymond sees it. Light to import: no Temporal SDK behind it.
export { ensureServer, type EnsuredServer, type EnsureOptions } from './ensure.js';
export { ServerError, type ServerErrorCode } from './error.js';
export { SEARCH_ATTRIBUTES } from './flags.js';
export { type Report } from './folder.js';
export { CLI_VARIABLE } from './named.js';
export { type ServerInfo } from './record.js';
export { serverStatus, type ServerStatus } from './status.js';
export { stopServer, type StopResult } from './stop.js';

// Makes sure that a Temporal CLI is there: found, downloaded or built once. Run before the tests, so that none of them waits for it.
import { findCli } from '../dist/server/find.js';

const { path, serverVersion } = await findCli({ report: (line) => console.error(line) });
console.error(`Temporal CLI: ${path} (server ${serverVersion})`);
